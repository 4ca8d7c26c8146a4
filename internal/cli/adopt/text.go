package adopt

import (
	"fmt"
	"io"
	"strings"

	"demarc.dev/demarc/internal/adoption"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/table"
)

// text writes a report for a person.
type text struct{ factory.IO }

func (t text) report(r adoption.Report) {
	tenant := "which would be made"
	if r.TenantExists {
		tenant = "which is there"
	}
	t.line("Namespace %s would become that of Tenant %s, %s.", r.Namespace, r.Team, tenant)
	if r.Refused != "" {
		t.line("The API server would not take it: %s", r.Refused)
	}
	t.list("Others who lay claim to the namespace:", r.Owners)
	t.marks(r)
	t.objects(r)
	t.access(r)
	t.budget(r)
	t.refusals(r)
	t.list("Incoming traffic:", r.Traffic)
	t.list("Worth knowing:", r.Notes)
	var unread []string
	for _, u := range r.Unread {
		unread = append(unread, u.String())
	}
	t.list("Not read, so not told:", unread)
	t.foot(r)
}

func (t text) marks(r adoption.Report) {
	var lines []string
	for _, m := range append(r.Labels, r.Annotations...) {
		line := m.Key + "=" + m.New
		if m.Old != nil {
			line += fmt.Sprintf(" in the place of %q", *m.Old)
		}
		lines = append(lines, line)
	}
	t.list("Labels and annotations:", lines)
}

func (t text) objects(r adoption.Report) {
	var lines []string
	for _, o := range r.Objects {
		switch {
		case o.Conflict != "":
			lines = append(lines, fmt.Sprintf("%s: in the way, it belongs to %s; nothing is written to it, and the adoption is incomplete until it goes", o.Name, o.Conflict))
		case o.There:
			lines = append(lines, o.Name+": ours already")
		case o.Unread:
			lines = append(lines, o.Name+": not known whether one is there")
		default:
			lines = append(lines, o.Name)
		}
	}
	t.list("Objects that are made:", lines)
}

func (t text) access(r adoption.Report) {
	var lines []string
	for _, g := range r.Access {
		lines = append(lines, g.Subject+" gets "+g.Role)
	}
	for _, b := range r.Stays {
		line := fmt.Sprintf("RoleBinding %s stays: %s for %s", b.Name, b.Role, strings.Join(b.Subjects, ", "))
		if b.Outside {
			line += "; the Tenant does not speak of it"
		}
		lines = append(lines, line)
	}
	t.list("Access:", lines)
}

func (t text) budget(r adoption.Report) {
	if len(r.Budget) == 0 {
		return
	}
	t.section("Budget:")
	tab := table.Table{Head: []string{"KEY", "BUDGET", "IN USE", "MADE AGAIN", "OVER BY"}, Paint: func(_, column int, cell string) string {
		if column == 4 {
			return t.Paint(factory.Bad, cell)
		}
		return cell
	}}
	for _, u := range r.Budget {
		used, renewed := u.Used, u.Renewed
		if used == "" {
			used, renewed = "not known", "not known"
		}
		tab.Rows = append(tab.Rows, []string{u.Key, u.Hard, used, renewed, u.Over})
	}
	_ = tab.Write(indented{t.Out}) // what cannot be written is seen at the next line
}

func (t text) refusals(r adoption.Report) {
	var lines []string
	for _, f := range r.Refusals {
		lines = append(lines, fmt.Sprintf("%s (%d pods run): %s: %s", f.Object, f.Pods, f.By, f.Why))
	}
	t.list("Refused if they were made again; what runs goes on running:", lines)
}

// foot says it where nothing was found.
func (t text) foot(r adoption.Report) {
	if r.Verdict() == adoption.Clean {
		fmt.Fprintln(t.Out, "\n"+t.Paint(factory.Good, "Nothing would be refused."))
	}
}

func (t text) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	t.section(title)
	for _, l := range lines {
		fmt.Fprintln(t.Out, "  - "+plain.Line(l))
	}
}

func (t text) section(title string) { fmt.Fprintln(t.Out, "\n"+t.Paint(factory.Bold, title)) }

func (t text) line(format string, args ...any) {
	fmt.Fprintln(t.Out, plain.Line(fmt.Sprintf(format, args...)))
}

// indented sets each write, a line of a table, a little to the right.
type indented struct{ to io.Writer }

func (i indented) Write(line []byte) (int, error) {
	if _, err := io.WriteString(i.to, "  "); err != nil {
		return 0, err
	}
	return i.to.Write(line)
}
