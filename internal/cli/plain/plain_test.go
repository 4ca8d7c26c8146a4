package plain_test

import (
	"encoding/json"
	"testing"
	"unicode"

	"demarc.dev/demarc/internal/cli/plain"
)

func TestLine(t *testing.T) {
	cases := map[string]string{
		"ready":                 "ready",
		"two\nlines\tand a tab": "two lines and a tab",
		"\x1b[31mred\x1b[0m":    "[31mred[0m",
		"\x1b]0;title\x07":      "]0;title",
		"a\u009b2Jb":            "a2Jb",
		"ab\rcd":                "abcd",
		"user\u202egnp.exe":     "usergnp.exe",
		"zero\u200bwidth":       "zerowidth",
		"\xff\xfe":              "?",
		"Größe 3 µs, 日本":        "Größe 3 µs, 日本",
	}
	for text, want := range cases {
		if got := plain.Line(text); got != want {
			t.Errorf("Line(%q) is %q, want %q", text, got, want)
		}
	}
	if got := plain.Text("one\ntwo\x1b[0m"); got != "one\ntwo[0m" {
		t.Errorf("Text is %q", got)
	}
}

// FuzzJSON: the document stays the same and holds nothing that moves a cursor.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{"a", "\u009b2J", "\u202e", "\U000e0001", "\x7f", "\u2028"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var want, got string
		safe := plain.JSON(string(raw))
		if json.Unmarshal(raw, &want) != nil || json.Unmarshal([]byte(safe), &got) != nil || want != got {
			t.Errorf("%q became %q", want, got)
		}
		for _, r := range safe {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%q holds %U", safe, r)
			}
		}
	})
}
