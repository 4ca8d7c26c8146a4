package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/resource"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/status"
)

// findings writes the roots: what is wrong, whose it is, and what they do next.
func (t text) findings(a status.Answer) {
	if len(a.Findings) == 0 {
		return
	}
	t.section("What is wrong, and who acts")
	for i, f := range a.Findings {
		if i == shownFindings {
			t.line(2, fmt.Sprintf("and %d more: -o json", len(a.Findings)-shownFindings))
			break
		}
		head := fmt.Sprintf("%s, %s: ", f.ID, whose(f))
		rows := t.rows(head+f.Message, 2, 4)
		if len(rows) > 2 {
			rows = []string{rows[0], cut(rows[1], t.width-6) + " …"}
		}
		rows[0] = t.Paint(severity[f.Severity], f.ID) + strings.TrimPrefix(rows[0], f.ID)
		fmt.Fprintln(t.out, "  "+strings.Join(rows, "\n    "))
		for _, s := range f.Next {
			fmt.Fprintln(t.out, "    "+strings.Join(t.rows("next, "+string(s.Party)+": "+s.Says, 4, 6), "\n      "))
			if s.Command != "" {
				fmt.Fprintln(t.out, "      "+plain.Line(s.Command)) // whole, so that it can be copied
			}
		}
		if n := len(f.Folded); n > 0 {
			t.line(4, fmt.Sprintf("%d more follow from it: %s", n, folded(f)))
		}
	}
}

var severity = map[finding.Severity]string{finding.Error: factory.Bad, finding.Warning: factory.Wait, finding.Note: factory.Bold}

// whose says who acts, and who of them is on call.
func whose(f finding.Finding) string {
	who := "the platform's"
	switch f.Owner {
	case v1alpha1.PartyTeam:
		who = "team " + cmp.Or(f.Team, "of the namespace") + "'s"
	case v1alpha1.PartyShared:
		who = "shared"
	case v1alpha1.PartyPlatform, v1alpha1.PartyNobody:
	}
	if f.Paged != "" {
		who += " (on call " + f.Paged + ")"
	}
	return who
}

func folded(f finding.Finding) string {
	var ids []string
	for _, g := range f.Folded {
		if !slices.Contains(ids, g.ID) {
			ids = append(ids, g.ID)
		}
	}
	return strings.Join(ids, ", ")
}

func (t text) conditions(list []status.Condition) {
	if len(list) == 0 {
		return
	}
	t.section("The claim's conditions")
	said := map[string]string{}
	for _, c := range list {
		since := ""
		if c.Since != nil {
			since = status.Ago(t.now.Sub(*c.Since))
		}
		head := fmt.Sprintf("%-14s %-7s %5s  ", plain.Line(c.Type), plain.Line(c.Status), since)
		says := plain.Line(c.Reason)
		good := c.Status == "True" && c.Type != readiness.Diagnosed
		switch before := said[c.Message]; {
		case good:
		case before != "":
			says += ", as " + plain.Line(before) + " says"
		default:
			says, said[c.Message] = says+": "+plain.Line(c.Message), c.Type
		}
		if c.Stale {
			says = "before the last change: " + says
		}
		paint := factory.Good
		if !good {
			paint = factory.Bad
		}
		row := cut(head+says, t.width-2)
		fmt.Fprintln(t.out, "  "+strings.Replace(row, c.Status, t.Paint(paint, c.Status), 1))
	}
}

func (t text) budget(a status.Answer) {
	whose := "the namespace"
	if a.Team != "" {
		whose = "team " + a.Team
	}
	t.section("Left of the budget of " + plain.Line(whose))
	if a.BudgetSays != "" {
		t.line(2, a.BudgetSays)
		return
	}
	row, used := "", 0
	for i, b := range a.Budget {
		left, of := size(b.Left), " of "+plain.Line(b.Hard+" "+b.Resource)
		n := utf8.RuneCountInString(left+of) + 2
		switch {
		case i > 0 && used+n > t.width-2:
			row, used = row+",\n  ", 0
		case i > 0:
			row += ", "
		}
		row, used = row+t.Paint(colour[b.Level], left)+of, used+n
	}
	fmt.Fprintln(t.out, "  "+row)
}

// size is an amount of bytes that is no round one in whole Mi; -o json has it exactly.
func size(left string) string {
	q, err := resource.ParseQuantity(left)
	if n := q.Value(); err == nil && (n >= 1<<20 || n <= -1<<20) && strings.Trim(left, "-0123456789") == "" {
		return fmt.Sprintf("%dMi", n>>20)
	}
	return plain.Line(left)
}

func (t text) changes(a status.Answer) {
	if len(a.Changes)+len(a.Notes) == 0 {
		return
	}
	t.section("Changed lately")
	for i, c := range a.Changes {
		if i == shownChanges {
			t.line(2, fmt.Sprintf("and %d more: -o json", len(a.Changes)-shownChanges))
			break
		}
		when := "no time"
		if c.At != nil {
			when = status.Ago(t.now.Sub(*c.At)) + " ago"
		}
		by := c.By
		if name, is, ok := strings.Cut(by, " ("); ok && !strings.HasPrefix(is, "automated") {
			by = name
		}
		t.line(2, fmt.Sprintf("%-8s %s: %s, by %s", when, c.Object, strings.ReplaceAll(c.What, "spec.template.spec.", ""), by))
	}
	for _, n := range a.Notes {
		fmt.Fprintln(t.out, "  "+strings.Join(t.rows(n, 2, 4), "\n    "))
	}
}

// unread names what could not be read that no answer has named.
func (t text) unread(a status.Answer) {
	var list []string
	for _, u := range a.Unread {
		list = append(list, u.String())
	}
	if len(list) > 0 {
		fmt.Fprintln(t.out)
		t.line(0, fmt.Sprintf("Not read (%d): %s", len(list), strings.Join(list, "; ")))
	}
}
