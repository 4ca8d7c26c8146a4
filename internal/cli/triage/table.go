package triage

import (
	"fmt"
	"strings"
	"time"

	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/scope"
	"demarc.dev/demarc/internal/finding"
)

const (
	// mostSeen and mostFolded are how much of each a person is shown.
	mostSeen   = 4
	mostFolded = 6
	// indent is where the text of a line begins, behind its head.
	indent = 11
)

var colours = map[finding.Severity]string{finding.Error: factory.Bad, finding.Warning: factory.Wait, finding.Note: factory.Good}

// table writes the answer for people. Commands stand at the beginning of their lines, so that
// they can be copied whole.
type table struct {
	factory.IO
	out strings.Builder
	at  time.Time
}

func (t *table) write(a answer) error {
	t.at = a.At
	for _, g := range groups(a.Findings) {
		t.group(g)
	}
	for _, line := range a.notRead() {
		t.line("not read", line)
	}
	for _, fault := range a.Faults {
		t.line("broken", fault)
	}
	t.summary(a)
	_, err := t.Out.Write([]byte(t.out.String()))
	return err
}

func (t *table) group(g group) {
	head := fmt.Sprintf("%s must act: %s", g, tally(g.list))
	if paged := g.list[0].Paged; paged != "" {
		head += "; on call: " + paged
	}
	fmt.Fprintf(&t.out, "%s\n\n", t.Paint(factory.Bold, plain.Line(head)))
	for _, f := range g.list {
		t.finding(f)
	}
}

func (t *table) finding(f found) {
	fmt.Fprintf(&t.out, "%s %s  %s\n", t.Paint(colours[f.Severity], string(f.Severity)), f.ID, t.Paint(factory.Bold, plain.Line(f.Subject.String())))
	t.line("", f.Message)
	seen, logs := split(f.Evidence)
	for _, e := range seen[:min(len(seen), mostSeen)] {
		t.line("seen", t.clock(e.Time)+strings.TrimSpace(e.Object.String()+" "+e.Field+": "+e.Value))
	}
	t.more(len(seen) - mostSeen)
	for i, e := range logs {
		if i == 0 {
			t.line("log", e.Object.String()+", "+e.Field)
		}
		t.line("", "  "+e.Value)
	}
	t.line("whose", whose(f))
	for _, s := range f.Next {
		head := "next"
		if len(f.Next) > 1 {
			head = string(s.Party)
		}
		t.line(head, s.Says)
		if s.Command != "" {
			fmt.Fprintln(&t.out, plain.Line(s.Command))
		}
	}
	for _, g := range f.Folded[:min(len(f.Folded), mostFolded)] {
		t.line("folded", g.ID+" "+g.Subject.String()+": "+g.Message)
	}
	t.more(len(f.Folded) - mostFolded)
	t.line("more", f.Docs)
	t.out.WriteString("\n")
}

// whose says why it is that side's; the contract names the domain, where it was asked.
func whose(f found) string {
	if strings.Contains(f.Because, f.Domain) {
		return f.Because
	}
	return f.Because + " (" + f.Domain + ")"
}

// split tells the lines of logs from other evidence.
func split(list []finding.Evidence) (seen, logs []finding.Evidence) {
	for _, e := range list {
		if strings.HasPrefix(e.Field, logField) {
			logs = append(logs, e)
		} else {
			seen = append(seen, e)
		}
	}
	return seen, logs
}

func (t *table) more(n int) {
	if n > 0 {
		t.line("", fmt.Sprintf("and %d more: -o json has all", n))
	}
}

func (t *table) line(head, text string) {
	begin := fmt.Sprintf("  %-*s ", indent-3, head)
	blanks := text[:len(text)-len(strings.TrimLeft(text, " "))]
	fmt.Fprintln(&t.out, strings.TrimRight(plain.Wrap(begin+blanks+plain.Line(text), t.Width, 0, indent), " "))
}

// clock is when something came to be so: the time of the day, and the day where it is another.
func (t *table) clock(at time.Time) string {
	switch at = at.UTC(); {
	case at.IsZero():
		return ""
	case at.Format(time.DateOnly) == t.at.UTC().Format(time.DateOnly):
		return at.Format("15:04:05 ")
	}
	return at.Format("2006-01-02 15:04 ")
}

func (t *table) summary(a answer) {
	text := "Nothing is wrong"
	switch {
	case len(a.Findings) > 0:
		text = tally(a.Findings)
	case a.Looked == 0:
		text = "Nothing was looked at: no object is of a kind that triage knows"
	}
	text += fmt.Sprintf(" in %s at %s", scope.Words(a.Namespaces), a.At.UTC().Format("2006-01-02 15:04:05 MST"))
	if len(a.notRead())+len(a.Faults) > 0 {
		text += ", as far as could be read"
	}
	if a.Others > 0 {
		text += fmt.Sprintf("; %s of others: --all shows all", many(a.Others, "finding"))
	}
	text += fmt.Sprintf("; looked at %s", many(a.Looked, "object"))
	if len(a.Findings) == 0 && a.Waiting > 0 {
		text += fmt.Sprintf(". %s not ready, and not for long enough to say why: look again in two minutes", many(a.Waiting, "pod")+verb(a.Waiting))
	}
	fmt.Fprintln(&t.out, plain.Wrap(plain.Line(text)+".", t.Width, 0, 0))
}

func verb(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}

// tally counts by severity, in words, and leaves out what there is none of.
func tally(list []found) string {
	var parts []string
	for _, s := range []finding.Severity{finding.Error, finding.Warning, finding.Note} {
		n := 0
		for _, f := range list {
			if f.Severity == s {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, many(n, string(s)))
		}
	}
	return strings.Join(parts, ", ")
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
