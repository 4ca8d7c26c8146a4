package who

import (
	"fmt"
	"strings"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/who"
)

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
