package guardrail

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
)

// Each rule refuses its bad example and takes its good one.
func TestExamples(t *testing.T) {
	for _, r := range guardrail.Catalogue() {
		t.Run(r.ID, func(t *testing.T) {
			for text, good := range map[string]bool{r.Good: true, r.Bad: false} {
				o, err := guardrail.Example(text)
				must(t, err)
				o.SetNamespace(v1alpha1.NamespaceOf(r.ID))
				err = env.Client.Create(t.Context(), o, client.DryRunAll)
				switch {
				case good && err != nil:
					t.Errorf("the good example: %v", err)
				case !good && !refusedBy(r.ID, err):
					t.Errorf("the bad example: %v", err)
				case !good:
					t.Log(err)
				}
			}
		})
	}
}

func ruleNamed(t *testing.T, id string) guardrail.Rule {
	t.Helper()
	r, ok := guardrail.Find(id)
	if !ok {
		t.Fatalf("there is no rule %s", id)
	}
	return r
}
