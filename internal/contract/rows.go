package contract

import (
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
)

// Level orders the three roles of a team; each includes those before it.
type Level int

const (
	// Never: no role of a team has it.
	Never Level = iota
	// View and all above it.
	View
	// Operate and Edit.
	Operate
	// Edit alone.
	Edit
)

func levelOf(role v1alpha1.TeamRole) Level {
	switch role {
	case v1alpha1.TeamView, "":
		return View
	case v1alpha1.TeamOperate:
		return Operate
	case v1alpha1.TeamEdit:
		return Edit
	default:
		return Never
	}
}

// reaches says whether a role of this level has what is given from another on.
func (l Level) reaches(from Level) bool { return from != Never && from <= l }

// Writes are the ways in which objects of a kind are changed.
type Writes struct{ Create, Modify, Delete bool }

// Any of them.
func (w Writes) Any() bool { return w.Create || w.Modify || w.Delete }

// verbs of the API for these ways, sorted.
func (w Writes) verbs() (verbs []string) {
	if w.Create {
		verbs = append(verbs, "create")
	}
	if w.Delete {
		verbs = append(verbs, "delete")
	}
	if w.Modify {
		verbs = append(verbs, "patch", "update")
	}
	return verbs
}

// Row is what the contract comes to for one kind: who may do what with it.
type Row struct {
	Served
	// Domain that covers the kind as a whole.
	Domain *v1alpha1.ContractDomain
	// Read is the role of a team from which on its people get, list and watch it.
	Read Level
	// Operations are what people do beside reading and writing, from which role on.
	Operations map[string]Level
	// Hand is what a team's people with the role edit write by hand, Git what its
	// repositories bring.
	Hand, Git Writes
	// Platform is what the platform's people write by hand.
	Platform Writes
	// Guarded kinds are delivered only where Argo CD acts as the team's ServiceAccount,
	// so that Kubernetes' own escalation check and the claim policy hold for Git.
	Guarded bool
	// Reserved is what nobody but the platform does in team namespaces, Instead what a
	// team does instead; it may be empty.
	Reserved Writes
	Instead  string
	// Shares are the entries by which some objects of the kind, or fields of them, have
	// another owner than the rest.
	Shares []Share
}

// Share is a part of a kind that has another owner than the rest of it.
type Share struct {
	Domain *v1alpha1.ContractDomain
	// Name, Label and Fields as the contract has them.
	Name, Label string
	Fields      []string
	// Reserved is what nobody but the platform does with it.
	Reserved Writes
	// Instead is what a team does instead; it may be empty.
	Instead string
}

// Delivered says that a team's Git may bring the kind.
func (r Row) Delivered() bool { return r.Git.Any() }

// Rows of all kinds, in their order, and of the addons that the contract names.
func (c *Contract) Rows() []Row {
	rows := make([]Row, 0, len(Kinds)+len(Addons))
	for _, k := range Kinds {
		rows = append(rows, c.row(k))
	}
	for _, k := range Addons {
		if _, covered := c.wide[k.GroupKind()]; covered {
			rows = append(rows, c.row(k))
		}
	}
	return rows
}

func (c *Contract) row(k Served) Row {
	row := Row{Served: k, Guarded: k.Cluster || k.Group == rbac, Operations: map[string]Level{}}
	if standsOn(deploys, k.GroupKind()) {
		row.Operations[deploys] = Never // until the answers say otherwise
	}
	e, covered := c.wide[k.GroupKind()]
	if !covered {
		row.Domain = c.Unlisted()
		row.Platform = writes(row.Domain, has(v1alpha1.PartyPlatform), v1alpha1.PathCluster)
		if !k.Asked {
			row.Reserved = writes(row.Domain, onlyPlatform, "")
		}
		return row
	}
	d := e.domain
	row.Domain, row.Read, row.Instead = d, levelOf(e.resource.Read), e.resource.Instead
	for name, from := range e.resource.Operations {
		if standsOn(name, k.GroupKind()) && name != deploys {
			row.Operations[name] = levelOf(from)
		}
	}
	if _, asked := row.Operations[asks]; asked && has(v1alpha1.PartyTeam)(d.Approves) {
		row.Operations[approves] = Edit
	}
	if !k.Asked {
		row.Hand = writes(d, has(v1alpha1.PartyTeam), v1alpha1.PathCluster)
		row.Git = writes(d, has(v1alpha1.PartyTeam), v1alpha1.PathGit)
		row.Platform = writes(d, has(v1alpha1.PartyPlatform), v1alpha1.PathCluster)
		row.Reserved = writes(d, onlyPlatform, "")
	}
	row.settle()
	for _, n := range c.narrow[k.GroupKind()] {
		row.Shares = append(row.Shares, Share{n.domain, n.resource.Name, n.resource.Label, n.resource.Fields, writes(n.domain, onlyPlatform, ""), n.resource.Instead})
	}
	return row
}

func has(party v1alpha1.Party) func(v1alpha1.Party) bool {
	return func(answer v1alpha1.Party) bool { return answer == party || answer == v1alpha1.PartyShared }
}

func onlyPlatform(answer v1alpha1.Party) bool { return answer == v1alpha1.PartyPlatform }

// writes are what an answer gives to a party on a path; an empty path is any.
func writes(d *v1alpha1.ContractDomain, theirs func(v1alpha1.Party) bool, path v1alpha1.ChangePath) Writes {
	on := d.ChangePath
	if on == "" {
		on = v1alpha1.PathGit
	}
	if path != "" && on != path && on != v1alpha1.PathBoth {
		return Writes{}
	}
	return Writes{Create: theirs(d.Creates), Modify: theirs(d.Modifies), Delete: theirs(d.Deletes)}
}

// Deliverable lists the kinds that Git may deliver for a team.
func (c *Contract) Deliverable(impersonated bool) []Row {
	return slices.DeleteFunc(c.Rows(), func(r Row) bool { return !r.Delivered() || r.Guarded && !impersonated })
}
