package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/deletion"
	"demarc.dev/demarc/internal/snapshot"
)

// text writes a report for a person.
type text struct {
	factory.IO
	now time.Time
}

func (t text) report(r deletion.Report) {
	t.head(r)
	if len(r.Plan) > 0 {
		t.section(planned(r))
		for i, s := range r.Plan {
			t.line("  %d. %s: %s (%s)", i+1, s.Name, s.Does, s.By)
		}
	}
	t.blockers("Held by, to be mended in this order:", r.Blockers)
	t.blockers(map[bool]string{true: "After that it meets:", false: "That would be held by, to be mended in this order:"}[r.Deleting], r.Ahead)
	if len(r.Leaves) > 0 {
		t.section("Left behind:")
		for _, l := range r.Leaves {
			t.line("  - %s: %s", l.Object, l.Why)
		}
	}
	t.unread(slices.Concat(r.Unread, r.Beyond))
	t.foot(r)
}

func planned(r deletion.Report) string {
	refused := func(b deletion.Blocker) bool { return b.Reason == "Refused" }
	switch {
	case r.Deleting:
		return "What is still to be done, in order:"
	case slices.ContainsFunc(r.Ahead, refused):
		return "Were it taken, kubectl delete " + r.Object.Kubectl() + " would, in order:"
	default:
		return "kubectl delete " + r.Object.Kubectl() + " would, in order:"
	}
}

// head says what is asked about, and how it is.
func (t text) head(r deletion.Report) {
	switch {
	case r.Unseen:
		t.line("%s could not be read, so nothing is known of it.", r.Object)
		return
	case !r.Deleting:
		t.line("%s is not being deleted.", r.Object)
		return
	}
	t.line("%s is being deleted since %s.", r.Object, t.at(r.Since))
	if r.Says != "" {
		t.line("It says %s", r.Says)
	}
}

// foot says it where nothing was found.
func (t text) foot(r deletion.Report) {
	if r.Verdict() != deletion.Clean {
		return
	}
	words := "Nothing would hold it."
	if r.Deleting {
		words = "Nothing is seen to hold it; it is on its way."
	}
	if len(r.Beyond) > 0 {
		words += " That is as far as you may read, and by what the operator says of it."
	}
	fmt.Fprintln(t.Out, "\n"+t.Paint(factory.Good, words))
}

func (t text) blockers(title string, list []deletion.Blocker) {
	if len(list) == 0 {
		return
	}
	t.section(title)
	number := map[string]int{}
	for i, b := range list {
		if _, known := number[b.Object.String()]; !known {
			number[b.Object.String()] = i + 1
		}
	}
	for i, b := range list {
		t.blocker(i+1, b, number)
	}
}

func (t text) blocker(n int, b deletion.Blocker, number map[string]int) {
	fmt.Fprintf(t.Out, "  %d. %s  %s\n", n, t.Paint(factory.Bold, plain.Line(b.Object.String())), t.Paint(factory.Bad, b.Reason))
	by := b.Controller
	if b.Finalizer != "" {
		by = b.Finalizer + " of " + by
	}
	if b.Until != "" {
		by += ", until " + b.Until
	}
	t.field("held by", by)
	if b.Since != nil {
		t.field("since", t.at(b.Since))
	}
	t.field("says", b.Says)
	t.field("waits for", waits(b, number))
	t.field("next", b.Next+" (who acts: "+string(b.Party)+")")
	t.field("run", b.Command)
}

// waits names what comes first, by its number where it is in the list.
func waits(b deletion.Blocker, number map[string]int) string {
	var names []string
	for _, w := range b.WaitsFor {
		if n, listed := number[w]; listed {
			w = fmt.Sprintf("%d", n)
		}
		if !slices.Contains(names, w) {
			names = append(names, w)
		}
	}
	return strings.Join(names, ", ")
}

func (t text) unread(list []snapshot.Unread) {
	if len(list) == 0 {
		return
	}
	t.section("Not read, so not told:")
	for _, line := range deletion.Missing(list) {
		t.line("  - %s", line)
	}
}

func (t text) at(when *time.Time) string {
	if when == nil {
		return "a time that is not known"
	}
	return when.UTC().Format("2006-01-02 15:04:05 MST") + " (" + ago(t.now, *when) + ")"
}

func (t text) section(title string) {
	fmt.Fprintln(t.Out, "\n"+t.Paint(factory.Bold, plain.Line(title)))
}

func (t text) field(name, value string) {
	if value != "" {
		t.line("     %-10s %s", name, plain.Line(value))
	}
}

// line writes what may hold the cluster's text.
func (t text) line(format string, args ...any) {
	indent := format[:len(format)-len(strings.TrimLeft(format, " "))]
	fmt.Fprintln(t.Out, indent+plain.Line(fmt.Sprintf(format[len(indent):], args...)))
}
