package readiness

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
)

// Guardrails says how the guardrails of the Platform stand: want are the sets as they
// are to be, live those that are there, unknown what the settings name and there is not.
// Exceptions and domains come and go with others and are not compared.
func Guardrails(profile v1alpha1.GuardrailProfile, want, live []v1alpha1.GuardrailSet, unknown []guardrail.Unknown) Step {
	var rules, teams []string
	for _, u := range unknown {
		if u.Team {
			teams = append(teams, u.Name)
		} else {
			rules = append(rules, u.String())
		}
	}
	if len(rules) > 0 {
		return Step{Trouble: &Trouble{"RuleUnknown", strings.Join(rules, "; ") + "; the setting has no effect"}}
	}
	counts := map[v1alpha1.GuardrailMode]int{}
	for i := range want {
		name := want[i].Name
		counts[guardrail.ModeOfSet(name)] += len(guardrail.Read(want[i].Spec).Rules)
		switch there := setNamed(live, name); {
		case there == nil:
			return Step{Trouble: &Trouble{"SetsBehind", "there is no GuardrailSet " + name}}
		case !sameRules(there.Spec, want[i].Spec):
			return Step{Trouble: &Trouble{"SetsBehind", "GuardrailSet " + name + " does not say yet what the Platform says"}}
		}
	}
	if profile == "" {
		profile = v1alpha1.ProfileBaseline
	}
	message := fmt.Sprintf("profile %s: %d rules refuse, %d warn, %d are noted", profile, counts[v1alpha1.GuardrailDeny], counts[v1alpha1.GuardrailWarn], counts[v1alpha1.GuardrailAudit])
	if len(teams) > 0 {
		message += "; of no effect until there is a Tenant of that name: spec.guardrails.teams of " + strings.Join(teams, ", ")
	}
	return Step{Reason: "GuardrailsReady", Message: message}
}

// sameRules leaves exceptions out, which have conditions of their own.
func sameRules(a, b v1alpha1.GuardrailSetSpec) bool {
	a.Exceptions, b.Exceptions = "", ""
	return equality.Semantic.DeepEqual(a, b)
}

func setNamed(sets []v1alpha1.GuardrailSet, name string) *v1alpha1.GuardrailSet {
	for i := range sets {
		if sets[i].Name == name {
			return &sets[i]
		}
	}
	return nil
}
