package plain_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"demarc.dev/demarc/internal/cli/plain"
)

func TestWrap(t *testing.T) {
	const text = "one two three four five six seven eight nine ten"
	for _, c := range []struct {
		text            string
		width, at, hang int
		want            string
	}{
		{text, 0, 0, 0, text},
		{text, 80, 0, 2, text},
		{text, 32, 12, 8, "one two three four\n        five six seven eight\n        nine ten"},
		{text, 5, 0, 0, "one two three four five\nsix seven eight nine ten"}, // no narrower than can be read
		{"see https://a.example/" + strings.Repeat("x", 40) + " there", 30, 0, 2, "see\n  https://a.example/" + strings.Repeat("x", 40) + "\n  there"},
		{"äöü äöü äöü äöü äöü äöü ß", 25, 0, 0, "äöü äöü äöü äöü äöü äöü ß"},
		{"", 80, 3, 3, ""},
	} {
		if got := plain.Wrap(c.text, c.width, c.at, c.hang); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("a b  c", 30, 3, 5)
	f.Fuzz(func(t *testing.T, text string, width, at, hang int) {
		line := plain.Line(text)
		width, at, hang = 24+abs(width)%200, abs(at)%20, abs(hang)%20
		got := plain.Wrap(line, width, at, hang)
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(line), " ") {
			t.Fatalf("words are lost: %q becomes %q", line, got)
		}
		for i, l := range strings.Split(strings.Repeat(" ", at)+got, "\n") {
			if n := utf8.RuneCountInString(l); n > max(width, hang+24) && strings.Contains(strings.TrimSpace(l), " ") {
				t.Errorf("line %d has %d columns of %d: %q", i, n, width, l)
			}
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}
