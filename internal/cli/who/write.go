package who

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
)

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
	fmt.Fprintln(t.Out, "\n"+t.Paint(factory.Bold, t.wrap(title, 0, 2)))
}

// column is where the value of a field begins.
const column = 21

func (t text) field(name, value string) {
	if value != "" {
		fmt.Fprintln(t.Out, fmt.Sprintf("  %-18s ", plain.Line(name))+t.wrap(value, max(column, 3+utf8.RuneCountInString(plain.Line(name))), column))
	}
}

// line writes what may hold the cluster's text.
func (t text) line(format string, args ...any) {
	indent := format[:len(format)-len(strings.TrimLeft(format, " "))]
	words, hang := fmt.Sprintf(format[len(indent):], args...), len(indent)
	if strings.HasPrefix(words, "- ") || hang > 0 {
		hang += 2
	}
	fmt.Fprintln(t.Out, indent+t.wrap(words, len(indent), hang))
}

// wrap makes a text safe, and breaks it where the terminal ends.
func (t text) wrap(words string, at, hang int) string {
	return plain.Wrap(plain.Line(words), t.Width, at, hang)
}
