package status

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/status"
)

const (
	// width is what the screen is made for where nobody reads it.
	width = 100
	// gutter is where answers begin.
	gutter = 14
	// What of each part a screen shows; -o json has all.
	shownLines, shownFindings, shownChanges, shownRows = 6, 3, 4, 3
)

// text writes the screen.
type text struct {
	factory.IO
	out   *bufio.Writer
	now   time.Time
	width int
}

// screen prints an answer: the seven answers first, then what is wrong and who acts, then
// what stands around it.
func screen(o *Options, a status.Answer) error {
	t := text{IO: o.IO, out: bufio.NewWriter(o.IO.Out), now: a.At, width: cmp.Or(o.IO.Width, width)}
	t.head(a)
	t.said("running?", a.Running)
	t.said("ready?", a.Ready)
	t.said("restarted?", a.Restarted)
	t.log(a.Log)
	t.said("image?", a.Image)
	t.said("rollout?", a.Rollout)
	t.said("throttled?", a.Throttled)
	t.findings(a)
	t.conditions(a.Conditions)
	t.budget(a)
	t.changes(a)
	t.unread(a)
	return t.out.Flush()
}

func (t text) head(a status.Answer) {
	head := a.Service
	if a.Team != "" {
		head += " of team " + a.Team
	}
	if len(a.Workloads) > 0 && a.Claim != "" {
		head += " (" + strings.Join(a.Workloads[:min(2, len(a.Workloads))], ", ")
		if more := len(a.Workloads) - 2; more > 0 {
			head += fmt.Sprintf(" and %d more", more)
		}
		head += ")"
	}
	state := a.Overall.Says
	if a.Since != nil {
		state += " since " + status.Ago(t.now.Sub(*a.Since))
	}
	head = cut(plain.Line(head), t.width)
	state = cut(plain.Line(state), t.width-utf8.RuneCountInString(head)-2)
	fmt.Fprintln(t.out, t.Paint(factory.Bold, head)+": "+t.Paint(colour[a.Overall.Level], state))
}

var colour = map[status.Level]string{status.OK: factory.Good, status.Wait: factory.Wait, status.Bad: factory.Bad, status.Unknown: factory.Wait}

// said writes a question and its answer, of at most three rows.
func (t text) said(question string, s status.Said) {
	rows := t.rows(s.Says, gutter, gutter)
	if len(rows) > shownRows {
		rows = append(rows[:shownRows-1:shownRows-1], cut(rows[shownRows-1], t.width-gutter-2)+" …")
	}
	// The colour is on what answers, the first words.
	word, rest := rows[0], ""
	if at := strings.IndexAny(rows[0], ":,;"); at > 0 {
		word, rest = rows[0][:at], rows[0][at:]
	}
	rows[0] = t.Paint(colour[s.Level], word) + rest
	fmt.Fprintf(t.out, "  %-*s%s\n", gutter-2, question, strings.Join(rows, "\n"+strings.Repeat(" ", gutter)))
}

// log writes the last lines, each cut where the screen ends.
func (t text) log(l status.Tail) {
	said := l.Said
	lines := l.Lines[max(0, len(l.Lines)-shownLines):]
	if hidden := len(l.Lines) - len(lines); hidden > 0 {
		said.Says += fmt.Sprintf("; the last %d of %d lines", len(lines), len(l.Lines))
	}
	t.said("log?", said)
	for _, line := range lines {
		fmt.Fprintln(t.out, "    | "+cut(plain.Line(line), t.width-6))
	}
}

// rows breaks a text at the width; the first words begin in column at, the rest in hang.
func (t text) rows(words string, at, hang int) []string {
	rows := strings.Split(plain.Wrap(plain.Line(words), t.width, at, hang), "\n")
	for i := range rows {
		rows[i] = strings.TrimLeft(rows[i], " ")
	}
	return rows
}

// line writes one line, cut where the screen ends.
func (t text) line(indent int, words string) {
	fmt.Fprintln(t.out, strings.Repeat(" ", indent)+cut(plain.Line(words), t.width-indent))
}

func (t text) section(title string) { fmt.Fprintln(t.out, "\n"+t.Paint(factory.Bold, title)) }

func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:max(0, n-1)]) + "…"
}
