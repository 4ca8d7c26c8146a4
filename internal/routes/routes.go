// Package routes compiles the contract to Alertmanager's route tree: an alert goes to
// who is paged for its domain. It also says by itself which receivers an alert gets; a
// test asks Alertmanager's own code for the same.
package routes

import (
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// Labels by which an alert is routed.
const (
	LabelTeam   = "demarc_team"
	LabelDomain = "demarc_domain"
)

// Receivers that are there in any case.
const (
	ReceiverPlatform = "platform"
	ReceiverNobody   = "nobody"
)

// ReceiverOf a team.
func ReceiverOf(team string) string { return "team-" + team }

// Table says who is paged: the contract, and the teams that are known.
type Table struct {
	contract *contract.Contract
	parties  contract.Parties
}

// New makes the table.
func New(c *contract.Contract, parties contract.Parties) Table { return Table{c, parties} }

// Receivers are those that an alert with these labels gets, in order.
func (t Table) Receivers(labels map[string]string) []string {
	d := t.contract.Domain(labels[LabelDomain])
	if d == nil {
		d = t.contract.Unlisted()
	}
	team := labels[LabelTeam]
	known := t.parties.Team(team) != nil
	switch {
	case d.Paged == v1alpha1.PartyNobody:
		return []string{ReceiverNobody}
	case d.Paged == v1alpha1.PartyTeam && known:
		return []string{ReceiverOf(team)}
	case d.Paged == v1alpha1.PartyShared && known:
		return []string{ReceiverPlatform, ReceiverOf(team)}
	default: // of a team that nobody knows, the platform's people find out whose it is
		return []string{ReceiverPlatform}
	}
}

// teams that are known, each once.
func (t Table) teams() (names []string) {
	for _, tenant := range t.parties.Tenants {
		names = append(names, tenant.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
