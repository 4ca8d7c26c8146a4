// Package guardrail holds the rules that keep teams within the platform's limits, and
// decides which of them holds for whom. The rules are ValidatingAdmissionPolicies; what
// this package makes is what they read.
package guardrail

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
)

// Sets are the GuardrailSets that the policies read, in the order of SetNames. p may be nil: the documented defaults hold then. Exceptions that were approved and not revoked
// are taken as they are, those that have ended too: the policy asks the request's clock.
//
//	profile ─▶ Platform.spec.guardrails.rules ─▶ .teams ─▶ one mode for each rule and team
func Sets(p *v1alpha1.Platform, tenants []v1alpha1.Tenant, exceptions []v1alpha1.GuardrailException) []v1alpha1.GuardrailSet {
	return sets(catalogued(), p, tenants, exceptions)
}

// catalogued are the modes of the rules that come with Demarc.
func catalogued() map[string]Modes {
	rules := map[string]Modes{}
	for _, r := range catalogue() {
		rules[r.ID] = r.Modes
	}
	return rules
}

func sets(rules map[string]Modes, p *v1alpha1.Platform, tenants []v1alpha1.Tenant, exceptions []v1alpha1.GuardrailException) []v1alpha1.GuardrailSet {
	g := settings(p)
	base, teams := everybody(rules, g), overrides(g)
	out := make([]v1alpha1.GuardrailSet, 0, len(setNames))
	for _, name := range setNames {
		holds := Holds{Rules: map[string]Scope{}, Limits: limits(g), Exceptions: allowed(exceptions)}
		if ofHosts(name) {
			holds.Domains = domains(p, tenants)
		}
		for id := range rules {
			if scope, some := scopeOf(ModeOfSet(name), base[id], teams[id]); some && ofHosts(name) == judgesHosts(id) {
				holds.Rules[id] = scope
			}
		}
		out = append(out, v1alpha1.GuardrailSet{
			TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "GuardrailSet"},
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       holds.Spec(),
		})
	}
	return out
}

func settings(p *v1alpha1.Platform) v1alpha1.PlatformGuardrails {
	var g v1alpha1.PlatformGuardrails
	if p != nil {
		g = p.Spec.Guardrails
	}
	if g.Profile == "" {
		g.Profile = v1alpha1.ProfileBaseline
	}
	return g
}

// everybody has these modes, a team's own apart.
func everybody(rules map[string]Modes, g v1alpha1.PlatformGuardrails) map[string]v1alpha1.GuardrailMode {
	base := map[string]v1alpha1.GuardrailMode{}
	for id, of := range rules {
		base[id] = of.Of(g.Profile)
	}
	for _, r := range g.Rules {
		base[r.ID] = r.Mode
	}
	return base
}

// overrides are the modes that teams have for themselves: by rule, then by team.
func overrides(g v1alpha1.PlatformGuardrails) map[string]map[string]v1alpha1.GuardrailMode {
	out := map[string]map[string]v1alpha1.GuardrailMode{}
	for _, t := range g.Teams {
		for _, r := range t.Rules {
			if out[r.ID] == nil {
				out[r.ID] = map[string]v1alpha1.GuardrailMode{}
			}
			out[r.ID][t.Team] = r.Mode
		}
	}
	return out
}

// scopeOf says for whom a rule has a mode; some is that it has it for somebody.
func scopeOf(mode, base v1alpha1.GuardrailMode, teams map[string]v1alpha1.GuardrailMode) (scope Scope, some bool) {
	for _, team := range slices.Sorted(maps.Keys(teams)) {
		switch own := teams[team]; {
		case base == mode && own != mode:
			scope.Except = append(scope.Except, team)
		case base != mode && own == mode:
			scope.Teams = append(scope.Teams, team)
		}
	}
	scope.Everybody = base == mode
	return scope, scope.Everybody || len(scope.Teams) > 0
}

// domains of each team: those of its Tenant, and its part of the Platform's.
func domains(p *v1alpha1.Platform, tenants []v1alpha1.Tenant) map[string][]string {
	out := map[string][]string{}
	for i := range tenants {
		names := slices.Clone(tenants[i].Spec.Domains)
		if own := p.TeamDomain(tenants[i].Name); own != "" {
			names = append(names, own)
		}
		if slices.Sort(names); len(names) > 0 {
			out[tenants[i].Name] = slices.Compact(names)
		}
	}
	return out
}

func summary(scopes map[string]Scope) string {
	some := 0
	for _, s := range scopes {
		if !s.Everybody {
			some++
		}
	}
	switch n := len(scopes); {
	case some == n && n > 0:
		return fmt.Sprintf("%d, for some teams alone", n)
	case some > 0:
		return fmt.Sprintf("%d, %d of them for some teams alone", n, some)
	default:
		return fmt.Sprint(n)
	}
}
