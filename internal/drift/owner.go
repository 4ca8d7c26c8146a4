package drift

import (
	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/snapshot"
)

// whose is the domain of the contract that an object, or a field of it, is of, who changes that, and for
// which team.
func (w *world) whose(o snapshot.Object, field string) (domain string, party v1alpha1.Party, team string) {
	d := w.contract.Of(contract.Object{GroupKind: keyOf(o).GroupKind, Name: o.GetName(), Labels: o.GetLabels(), Field: field})
	if d == nil {
		d = w.contract.Unlisted()
	}
	space := o.GetNamespace()
	if of := claimSpace(o); of != "" {
		space = of
	}
	team = w.teamOf(space)
	if team == "" && w.marked(o) { // anybody may label what is in no team's namespace
		team = o.GetLabels()[v1alpha1.LabelTeam]
	}
	party = d.Modifies
	if team == "" && party == v1alpha1.PartyTeam {
		party = v1alpha1.PartyPlatform // what is no team's is the platform's
	}
	return d.Name, party, team
}
