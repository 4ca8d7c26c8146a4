// Package matrix shows the contract to people: who owns what, as a table in Markdown
// and as a picture.
package matrix

import (
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/contract"
)

// head are the six answers as columns.
var head = []string{"creates", "changes", "approves", "watches", "is paged", "deletes"}

// row is one domain.
type row struct {
	Title   string
	Answers []string
	Path    string
	// Boundary says what each side does, and how they decide.
	Boundary string
	Kinds    []string
}

// rows of all domains, in the contract's order; what no domain covers comes last.
func rows(c *contract.Contract) []row {
	var out []row
	for i := range c.Spec.Domains {
		out = append(out, rowOf(c, &c.Spec.Domains[i]))
	}
	rest := rowOf(c, c.Unlisted())
	for _, k := range c.Uncovered() {
		rest.Kinds = append(rest.Kinds, k.Kind)
	}
	return append(out, rest)
}

func rowOf(c *contract.Contract, d *v1alpha1.ContractDomain) row {
	r := row{
		Title: plain.Line(d.Title),
		Path:  plain.Line(string(d.ChangePath)), Boundary: plain.Line(d.Boundary),
	}
	for _, a := range []v1alpha1.Party{d.Creates, d.Modifies, d.Approves, d.Monitors, d.Paged, d.Deletes} {
		r.Answers = append(r.Answers, plain.Line(string(a)))
	}
	if r.Title == "" {
		r.Title = plain.Line(d.Name)
	}
	if r.Path == "" {
		r.Path = string(v1alpha1.PathGit)
	}
	for _, how := range c.Spec.Decisions {
		if how.Name == d.Decision && d.Decision != "" {
			r.Boundary = strings.TrimSpace(r.Boundary + " Decided by " + plain.Line(how.Name) + ".")
		}
	}
	for j := range d.Resources {
		r.Kinds = append(r.Kinds, kinds(&d.Resources[j])...)
	}
	return r
}

// kinds of one entry, with what narrows them.
func kinds(r *v1alpha1.ContractResource) (names []string) {
	part := ""
	for _, p := range []struct{ what, is string }{{"name ", r.Name}, {"label ", r.Label}, {"", strings.Join(r.Fields, ", ")}} {
		if p.is != "" {
			part += ", " + p.what + p.is
		}
	}
	if part != "" {
		part = " (" + part[2:] + ")"
	}
	for _, kind := range r.Kinds {
		names = append(names, plain.Line(kind+part))
	}
	return names
}

// contact is how one party is reached.
type contact struct{ Party, Channel, OnCall, Escalation string }

func contacts(parties contract.Parties) (out []contact) {
	of := func(party string, c v1alpha1.Contacts) {
		c, _ = contract.Shown(c) // the table is kept in Git
		out = append(out, contact{plain.Line(party), plain.Line(c.Channel), plain.Line(c.OnCall), plain.Line(c.Escalation)})
	}
	if parties.Platform != nil {
		of("platform", parties.Platform.Spec.Team.Contacts)
	}
	for _, t := range parties.Tenants {
		of("team "+t.Name, t.Spec.Contacts)
	}
	return out
}
