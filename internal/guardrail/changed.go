package guardrail

import (
	"maps"
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
)

// Tightened is a rule that refuses from a change on, and for whom it did not before.
type Tightened struct {
	Rule string
	// For is who is refused now: never somebody who was refused before.
	For Scope
}

// Changed compares two states of the sets: which rules became deny, and for whom, in the
// order of their ids. What they measure with is not compared.
func Changed(before, after []v1alpha1.GuardrailSet) (out []Tightened) {
	was, is := refusing(before), refusing(after)
	for _, id := range slices.Sorted(maps.Keys(is)) {
		if scope, some := without(is[id], was[id]); some {
			out = append(out, Tightened{Rule: id, For: scope})
		}
	}
	return out
}

func refusing(sets []v1alpha1.GuardrailSet) map[string]Scope {
	all := map[string]Scope{}
	for i := range sets {
		if ModeOfSet(sets[i].Name) == v1alpha1.GuardrailDeny {
			maps.Copy(all, Read(sets[i].Spec).Rules)
		}
	}
	return all
}

// without is who is in a and not in b; some is that there is somebody. A scope is all
// teams but some, or some teams.
func without(a, b Scope) (scope Scope, some bool) {
	if a.Everybody && !b.Everybody {
		out := slices.Sorted(slices.Values(slices.Concat(a.Except, b.Teams)))
		return Scope{Everybody: true, Except: slices.Compact(out)}, true
	}
	candidates := a.Teams
	if a.Everybody { // and so is b: who was left out and is not any more
		candidates = b.Except
	}
	for _, team := range slices.Sorted(slices.Values(candidates)) {
		if Covers(a, team) && !Covers(b, team) {
			scope.Teams = append(scope.Teams, team)
		}
	}
	return scope, len(scope.Teams) > 0
}

// Covers says whether a team is in a scope, as the policies read it.
func Covers(s Scope, team string) bool {
	return s.Everybody && !slices.Contains(s.Except, team) || slices.Contains(s.Teams, team)
}

// ModeOf is the mode that a rule has for a team, by the sets; off where none lists it.
func ModeOf(sets []v1alpha1.GuardrailSet, rule, team string) v1alpha1.GuardrailMode {
	for i := range sets {
		if scope, ok := Read(sets[i].Spec).Rules[rule]; ok && Covers(scope, team) {
			return ModeOfSet(sets[i].Name)
		}
	}
	return v1alpha1.GuardrailOff
}
