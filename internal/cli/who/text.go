package who

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/snapshot"
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

// head says what is asked about, and which domain it is in by which contract.
func (t text) head(a who.Answer) {
	fmt.Fprintln(t.Out, t.Paint(factory.Bold, plain.Line(a.About)))
	if a.Exists != nil && !*a.Exists {
		t.line("There is no %s now; this is the answer for its kind.", a.Object)
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
	if len(a.Contract.Faults) > 0 {
		t.line("The operator does not take that contract, and what it made of the one before still holds: %s", strings.Join(a.Contract.Faults, "; "))
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
	t.field("not known", p.Missing)
}

var pathWords = map[string]string{"git": "in Git, and not in the cluster", "cluster": "in the cluster", "both": "in Git, or in the cluster"}

func (t text) change(a who.Answer) {
	t.section("How it is changed: " + pathWords[string(a.Change.Path)])
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

func (t text) you(a who.Answer) {
	if a.You == nil {
		return
	}
	title := "You"
	if a.You.User != "" {
		title += " (" + a.You.User + ")"
	}
	if len(a.You.Of) > 0 {
		title += ", of " + strings.Join(a.You.Of, " and ")
	}
	t.section(title)
	if len(a.You.Asked) == 0 {
		return
	}
	t.line("  may %s", orNothing(a.You.May))
	for _, m := range a.You.MayNot {
		t.line("  may not %s: %s", m.What, m.Why)
	}
}

func orNothing(list []string) string {
	switch n := len(list); n {
	case 0:
		return "do nothing with it"
	case 1:
		return list[0]
	default:
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
}

func (t text) also(a who.Answer) {
	var lines []string
	for _, b := range a.Also {
		what := "all of it"
		switch {
		case len(b.Fields) > 0:
			what = "its " + strings.Join(b.Fields, ", ")
		case b.Label != "":
			what = "what carries the label " + b.Label
		case b.Name != "":
			what = "the one named " + b.Name
		case b.Path != "":
			what = "the same place in Git, " + b.Path
		}
		lines = append(lines, fmt.Sprintf("%s (changed by: %s): %s", b.Domain, b.Modifies, what))
	}
	t.list("Other domains that meet here:", lines)
}

func (t text) unread(list []snapshot.Unread) {
	var lines []string
	for _, u := range list {
		line := u.String()
		if u.Why == "" {
			line += " (you may not)"
		}
		lines = append(lines, line)
	}
	t.list("Not read, so not told:", lines)
}

func (t text) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	t.section(title)
	for _, l := range lines {
		t.line("  - %s", l)
	}
}

func (t text) section(title string) {
	fmt.Fprintln(t.Out, "\n"+t.Paint(factory.Bold, plain.Line(title)))
}

func (t text) field(name, value string) {
	if value != "" {
		t.line("  %-18s %s", name, value)
	}
}

// line writes what may hold the cluster's text.
func (t text) line(format string, args ...any) {
	indent := format[:len(format)-len(strings.TrimLeft(format, " "))]
	fmt.Fprintln(t.Out, indent+plain.Line(fmt.Sprintf(format[len(indent):], args...)))
}
