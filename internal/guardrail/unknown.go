package guardrail

import (
	"fmt"
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
)

// Known says whether there is a rule of this id.
func Known(id string) bool {
	_, ok := Find(id)
	return ok
}

// UnknownRules are those of an exception that do not exist.
func UnknownRules(ids []string) (unknown []string) {
	for _, id := range ids {
		if !Known(id) {
			unknown = append(unknown, id)
		}
	}
	return unknown
}

// Unknown is a name in the Platform's guardrails behind which there is nothing, so that
// the setting has no effect.
type Unknown struct {
	// Path of the field, such as spec.guardrails.rules[no-such-rule].
	Path string
	// Team is that a team is meant, otherwise a rule.
	Team bool
	Name string
}

func (u Unknown) String() string {
	if u.Team {
		return fmt.Sprintf("%s: there is no Tenant %s", u.Path, u.Name)
	}
	return fmt.Sprintf("%s: there is no rule %s", u.Path, u.Name)
}

// Unknowns are all of them, in the order of their paths; p may be nil.
func Unknowns(p *v1alpha1.Platform, tenants []v1alpha1.Tenant) []Unknown {
	return unknowns(catalogued(), p, tenants)
}

func unknowns(known map[string]Modes, p *v1alpha1.Platform, tenants []v1alpha1.Tenant) (out []Unknown) {
	g := settings(p)
	rules := func(path string, list []v1alpha1.GuardrailRule) {
		for _, r := range list {
			if _, ok := known[r.ID]; !ok {
				out = append(out, Unknown{Path: fmt.Sprintf("%s.rules[%s]", path, r.ID), Name: r.ID})
			}
		}
	}
	rules("spec.guardrails", g.Rules)
	for _, t := range g.Teams {
		path := fmt.Sprintf("spec.guardrails.teams[%s]", t.Team)
		if !slices.ContainsFunc(tenants, func(have v1alpha1.Tenant) bool { return have.Name == t.Team }) {
			out = append(out, Unknown{Path: path, Team: true, Name: t.Team})
		}
		rules(path, t.Rules)
	}
	return out
}
