package guardrail

import (
	"context"
	"fmt"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/compile"
	"demarc.dev/demarc/internal/testenv"
)

// The controller that checks the types of all expressions against every kind that they
// are for has nothing to warn of; that it warns at all is seen of one that is wrong.
func TestTypesFit(t *testing.T) {
	wrong, err := compile.Policy(guardrail.Catalogue()[0])
	must(t, err)
	wrong.Name = "wrong"
	wrong.Spec.Validations[0].Expression = "object.spec.nowhere == 1"
	must(t, env.Client.Create(t.Context(), wrong)) // without a binding it refuses nothing
	t.Cleanup(func() { must(t, env.Client.Delete(context.WithoutCancel(t.Context()), wrong)) })
	controllers(t, "validatingadmissionpolicy-status-controller")
	for _, name := range append([]string{"wrong"}, policies()...) {
		checked := func(p *admissionv1.ValidatingAdmissionPolicy) error {
			if err := env.Client.Get(t.Context(), client.ObjectKey{Name: name}, p); err != nil {
				return err
			}
			if p.Status.TypeChecking == nil || p.Status.ObservedGeneration != p.Generation {
				return fmt.Errorf("%s is not checked yet", name)
			}
			return nil
		}
		var p admissionv1.ValidatingAdmissionPolicy
		testenv.Eventually(t, func() error { return checked(&p) })
		if name == "wrong" {
			if len(p.Status.TypeChecking.ExpressionWarnings) == 0 {
				t.Fatal("a field that there is not is not warned of: nothing is checked here")
			}
			continue
		}
		for _, w := range p.Status.TypeChecking.ExpressionWarnings {
			t.Errorf("%s: %s: %s", name, w.FieldRef, w.Warning)
		}
	}
}

func policies() (names []string) {
	for _, r := range guardrail.Catalogue() {
		names = append(names, compile.Prefix+r.ID)
	}
	return names
}
