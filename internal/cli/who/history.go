package who

import (
	"fmt"
	"strings"
	"time"

	"demarc.dev/demarc/internal/who"
)

// shown is how many changes a person is shown.
const shown = 6

func (t text) changed(a who.Answer) {
	if len(a.Changed) == 0 && a.Synced == nil {
		return
	}
	title := "Last changed by"
	if a.Field != "" {
		title = "Set by"
	}
	t.section(title)
	for i, c := range a.Changed {
		if i == shown {
			t.line("  and %d more (-o json)", len(a.Changed)-shown)
			break
		}
		says := t.at(c.At) + ", " + strings.ToLower(c.Operation)
		if c.Subresource != "" {
			says += " of its " + c.Subresource
		}
		if c.Is != "" {
			says += "; " + c.Is
		}
		if len(c.Holds) > 0 {
			says += "; holds " + some(c.Holds)
		}
		t.field(c.Manager, says)
	}
	if s := a.Synced; s != nil {
		says := strings.ToLower(s.Phase) + " " + t.at(s.At)
		if s.Revision != "" {
			says += ", revision " + s.Revision
		}
		if s.By != "" {
			says += ", started by " + s.By
		}
		t.field("Argo CD's sync", says+" (Application "+s.Application+")")
	}
}

// some names the first few of a list.
func some(list []string) string {
	const few = 4
	if len(list) > few {
		return strings.Join(list[:few], " ") + fmt.Sprintf(" and %d more", len(list)-few)
	}
	return strings.Join(list, " ")
}

func (t text) at(when *time.Time) string {
	if when == nil {
		return "at a time that is not known"
	}
	return when.UTC().Format("2006-01-02 15:04:05 MST") + " (" + ago(t.now.Sub(*when)) + ")"
}

func ago(d time.Duration) string {
	switch {
	case d < 0:
		return "from now on"
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
}
