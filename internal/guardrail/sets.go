package guardrail

import (
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
)

// withHosts is what the name of a set ends in that rules read which judge hosts. It has the
// domains of all teams, and grows with these; what the others read does not
// (docs/adr/0027).
const withHosts = "-hosts"

// setNames are those of all sets, the strictest first.
var setNames = []string{
	string(v1alpha1.GuardrailDeny), string(v1alpha1.GuardrailWarn), string(v1alpha1.GuardrailAudit),
	string(v1alpha1.GuardrailDeny) + withHosts, string(v1alpha1.GuardrailWarn) + withHosts, string(v1alpha1.GuardrailAudit) + withHosts,
}

// SetNames are the names of all GuardrailSets.
func SetNames() []string { return slices.Clone(setNames) }

// ModeOfSet is the mode of the rules in a set of this name.
func ModeOfSet(name string) v1alpha1.GuardrailMode {
	return v1alpha1.GuardrailMode(strings.TrimSuffix(name, withHosts))
}

func ofHosts(set string) bool { return strings.HasSuffix(set, withHosts) }

// Set is the name of the set that a rule reads for a mode.
func (r Rule) Set(mode v1alpha1.GuardrailMode) string {
	if r.JudgesHosts() {
		return string(mode) + withHosts
	}
	return string(mode)
}

// JudgesHosts says whether a rule looks at the domains of teams.
func (r Rule) JudgesHosts() bool {
	return strings.Contains(r.Check, "$domains") || strings.Contains(r.Check, "$foreign")
}

func judgesHosts(id string) bool {
	r, known := Find(id)
	return known && r.JudgesHosts()
}
