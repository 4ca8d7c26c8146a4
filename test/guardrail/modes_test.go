package guardrail

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/testenv"
)

// measured are rules that ask nothing before the platform sets a limit.
var measured = map[string]bool{"request-max": true, "image-registry": true, "required-labels": true, "replica-max": true, "hpa-max": true,
	"ingress-class": true, "storage-class": true, "foreign-host": true}

// A rule to warn of lets everything pass and says in a warning what it would have said;
// one to audit says nothing but in the audit log. Without limits, what measures with them
// is quiet: the set warn has none.
func TestWarnAndAudit(t *testing.T) {
	marks := map[string]string{}
	for _, r := range guardrail.Catalogue() {
		for _, mode := range []v1alpha1.GuardrailMode{v1alpha1.GuardrailWarn, v1alpha1.GuardrailAudit} {
			o := example(t, r.Bad)
			o.SetName("mode-" + r.ID)
			o.SetNamespace(v1alpha1.NamespaceOf(teamOf(r.ID, mode)))
			by, said := as(t, "")
			if err := by.Create(t.Context(), o, client.DryRunAll); err != nil {
				t.Errorf("%s %s: %v", r.ID, mode, err)
			}
			warned := false
			for _, w := range said.all() {
				warned = warned || strings.Contains(w, fmt.Sprintf("'demarc-rule-%[1]s' with binding 'demarc-rule-%[1]s-warn': %[1]s: ", r.ID))
				if mode == v1alpha1.GuardrailAudit && strings.Contains(w, "ValidatingAdmissionPolicy") {
					t.Errorf("%s audit: a warning: %s", r.ID, w)
				}
			}
			quiet := measured[r.ID]
			if want := mode == v1alpha1.GuardrailWarn && !quiet; warned != want {
				t.Errorf("%s %s: warned is %v: %q", r.ID, mode, warned, said.all())
			}
			if mode == v1alpha1.GuardrailAudit && !quiet {
				marks[r.ID] = o.GetNamespace()
			}
		}
	}
	testenv.Eventually(t, func() error {
		log, err := os.ReadFile(auditLog)
		if err != nil {
			return err
		}
		for id, ns := range marks {
			if !noted(string(log), ns, "mode-"+id, "validation.policy.admission.k8s.io/validation_failure", "demarc-rule-"+id+"-audit") {
				return fmt.Errorf("the audit log has no note of %s", id)
			}
		}
		return nil
	})
}

// noted says whether the audit log has a line with all words.
func noted(log string, words ...string) bool {
	for line := range strings.Lines(log) {
		all := true
		for _, w := range words {
			all = all && strings.Contains(line, w)
		}
		if all {
			return true
		}
	}
	return false
}

// A rule holds for all but some teams in one set and for these in another.
func TestScopes(t *testing.T) {
	for _, c := range []struct {
		team   string
		passes bool
	}{{"privileged", false}, {"seccomp", true}} {
		r := ruleNamed(t, "privileged")
		if err := create(t, c.team, example(t, r.Bad)); (err == nil) != c.passes {
			t.Errorf("team %s: %v", c.team, err)
		}
	}
}
