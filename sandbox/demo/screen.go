package demo

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// screen prints what the demo shows.
type screen struct {
	out    io.Writer
	colour bool
	// width of the column with the objects.
	width int
}

const (
	bold  = "1"
	green = "32"
	amber = "33"
	red   = "31"
)

var colours = map[word]string{ready: green, waiting: amber, stalled: red, gone: red}

func (s screen) step(title string) {
	fmt.Fprintf(s.out, "\n%s\n", s.paint(bold, "==> "+clean(title)))
}

// text prints lines of another program or of the cluster, indented.
func (s screen) text(text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintln(s.out, strings.TrimRight("  "+clean(line), " "))
	}
}

// line is that of one change of an object's state. Its columns stay aligned: colour is put around a word that was padded before.
func (s screen) line(after time.Duration, name string, now state) string {
	since := fmt.Sprintf("+%.1fs", after.Seconds())
	padded := s.paint(colours[now.word], fmt.Sprintf("%-7s", now.word))
	line := fmt.Sprintf("%8s  %-*s  %s  %-19s  %s", since, s.width, clean(name), padded, clean(now.reason), clean(now.brief()))
	return strings.TrimRight(line, " ")
}

func (s screen) paint(code, text string) string {
	if !s.colour || code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// clean makes one plain line of a text: whatever could move a cursor, colour, hide or reorder letters becomes a space.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}
