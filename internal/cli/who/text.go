package who

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/who"
)

// text writes an answer for a person.
type text struct {
	factory.IO
	now time.Time
}

func (t text) answer(a who.Answer) {
	t.head(a)
	t.duties(a)
	for _, p := range a.Parties {
		t.party(p)
	}
	if len(a.Receivers) > 0 {
		t.section("Where its routes send it: " + strings.Join(a.Receivers, ", "))
	}
	t.change(a)
	t.changed(a)
	t.you(a)
	t.also(a)
	t.list("Worth knowing:", a.Notes)
	t.unread(a.Unread)
}

// head says what is asked about, and which domain it is in by which contract. That this
// contract is not in force comes before all else.
func (t text) head(a who.Answer) {
	if len(a.Contract.Faults) > 0 {
		t.line("Not in force: the operator does not take the contract that answers here (%s). What holds is what roles and admission were last compiled from, which stands nowhere to be read.",
			strings.Join(a.Contract.Faults, "; "))
		fmt.Fprintln(t.Out)
	}
	fmt.Fprintln(t.Out, t.Paint(factory.Bold, t.wrap(a.About, 0, 2)))
	switch {
	case a.Exists != nil && !*a.Exists:
		t.line("There is no %s now; this is the answer for its kind.", a.Object)
	case a.Exists == nil && a.Object != nil && a.Object.Name != "":
		t.line("Whether there is such an object is not known; this is the answer for its kind.")
	}
	if a.NoTenant {
		t.line("There is no Tenant %s: nobody is behind what its team answers for.", a.Team)
	}
	title := a.Domain.Title
	if title == "" {
		title = a.Domain.Name
	}
	t.line("%s (domain %s). %s", title, a.Domain.Name, a.Domain.Boundary)
	switch a.Contract.Source {
	case "shipped":
		t.line("By the contract that comes with Demarc: %s.", a.Contract.Why)
	case "files":
		t.line("By OwnershipContract default of the files.")
	default:
		t.line("By OwnershipContract default of this cluster.")
	}
	if a.Contract.Pending {
		t.line("The operator has not said yet whether it takes this version of it: the one before may still hold.")
	}
}

var dutyWords = map[string]string{"creates": "creates it", "modifies": "changes it", "approves": "approves changes", "monitors": "watches it",
	"paged": "is paged", "deletes": "deletes it"}

func (t text) duties(a who.Answer) {
	t.section("Who")
	for _, d := range a.Answers {
		says := d.Who
		if d.Means != "" {
			says += ": " + d.Means
		}
		t.field(dutyWords[d.Duty], says)
	}
	if a.Domain.DecisionHow != "" && slices.ContainsFunc(a.Answers, func(d who.Duty) bool { return d.Answer == "shared" }) {
		t.field(a.Domain.Decision, a.Domain.DecisionHow)
	}
}

func (t text) party(p who.Behind) {
	t.section(strings.ToUpper(p.Name[:1]) + p.Name[1:])
	var people []string
	for _, person := range p.People {
		if person.Role != "" {
			person.Subject += " (" + person.Role + ")"
		}
		people = append(people, person.Subject)
	}
	t.field("people", strings.Join(people, ", "))
	t.field("channel", p.Channel)
	t.field("on call", p.OnCall)
	t.field("escalation", p.Escalation)
	t.field("code owners", strings.Join(p.CodeOwners, ", "))
	if len(p.Withheld) > 0 {
		t.field("not shown", strings.Join(p.Withheld, ", ")+": what looks like a secret is not for everybody to read")
	}
	t.field("not known", p.Missing)
}

var pathWords = map[string]string{"git": "in Git, and not in the cluster", "cluster": "in the cluster", "both": "in Git, or in the cluster"}

func (t text) change(a who.Answer) {
	t.section("How it is changed: " + pathWords[string(a.Change.Path)])
	if len(a.Change.Steps)+len(a.Change.Places) == 0 {
		t.line("  %s", nowhere(a))
	}
	at := "it"
	for _, s := range a.Change.Steps {
		t.line("  %s", strings.Replace(s.Object+" "+s.How, " it", " "+at, 1))
		at, _, _ = strings.Cut(s.Object, " in ")
	}
	for _, p := range a.Change.Places {
		where := p.Path
		switch {
		case p.Repository != "" && p.URL != "":
			where += " in repository " + p.Repository + " (" + p.URL + ")"
		case p.URL != "":
			where += " in " + p.URL
		case p.Repository != "":
			where += " in repository " + p.Repository
		}
		if p.Revision != "" {
			where += " at " + p.Revision
		}
		t.line("  - %s, by %s", where, p.From)
	}
}

// nowhere says why no place is named.
func nowhere(a who.Answer) string {
	says := "the contract names no place in Git for this domain"
	switch {
	case a.Object == nil || a.Object.Name == "" || a.Exists != nil && !*a.Exists:
	case a.Exists == nil:
		says += ", and the object, which may lead to one, could not be read"
	default:
		says += ", and nothing on the object leads to one"
	}
	return says
}
