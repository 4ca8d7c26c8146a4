package status_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/secretshape"
	"demarc.dev/demarc/internal/status"
)

const out = "(left out: it looks like a secret)"

func TestLines(t *testing.T) {
	key := "-----BEGIN " + "RSA PRIVATE KEY-----"
	for name, c := range map[string]struct {
		text   string
		want   []string
		hidden int
	}{
		"nothing":              {"", nil, 0},
		"as it is":             {"one\ntwo\n", []string{"one", "two"}, 0},
		"colours":              {"\x1b[31;1mred\x1b[0m and \x1b]0;title\x07not\r\n", []string{"red and not"}, 0},
		"cursor":               {"a\x1b[2Jb\u009bc\u202ed", []string{"abcd"}, 0},
		"by its name":          {"DB_PASSWORD=open-sesame\nok", []string{out, "ok"}, 1},
		"by its name in JSON":  {`{"msg":"x","api_key":"open-sesame-2"}`, []string{out}, 1},
		"by its name, dotted":  {"spring.datasource.password: open-sesame", []string{out}, 1},
		"by its shape":         {"calling https://kim:open-sesame@db.example/", []string{out}, 1},
		"hidden by colours":    {"DB_PASS\x1b[0mWORD=open-sesame", []string{out}, 1},
		"hidden by marks":      {"DB_PASS\u200bWORD=open-sesame", []string{out}, 1},
		"a switch is none":     {"use_token=true token_ttl=3600", []string{"use_token=true token_ttl=3600"}, 0},
		"a key":                {"a\n" + key + "\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----\nb", []string{"a", out, out, out, out, "b"}, 4},
		"the end of a key":     {"MIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----\nb", []string{out, out, out, "b"}, 3},
		"the beginning of one": {"a\n" + key + "\nMIIEow", []string{"a", out, out}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			lines, hidden := status.Lines(c.text)
			if diff := cmp.Diff(c.want, lines); diff != "" || hidden != c.hidden {
				t.Errorf("%d hidden, want %d; (-want +got)\n%s", hidden, c.hidden, diff)
			}
		})
	}
}

// A log of any length is cut to the last 20 lines and 8 KiB, at the beginning of a line.
func TestLinesAreBounded(t *testing.T) {
	lines, _ := status.Lines(strings.Repeat("x\n", 500) + "last\n")
	if len(lines) != status.MostLines || lines[len(lines)-1] != "last" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	lines, _ = status.Lines(strings.Repeat(strings.Repeat("ä", 900)+"\n", 20))
	if n := len(strings.Join(lines, "\n")); n > 8<<10 || n == 0 {
		t.Errorf("%d bytes in %d lines", n, len(lines))
	}
	lines, _ = status.Lines(strings.Repeat("x", 100_000))
	if len(lines) != 1 || len(lines[0]) > 1100 {
		t.Errorf("%d lines, the first of %d bytes", len(lines), len(lines[0]))
	}
}

// Every example of the one list of what looks like a secret is left out of a log.
func TestSecretsAreLeftOut(t *testing.T) {
	for _, r := range secretshape.Rules {
		for _, bad := range r.Bad {
			text := bad.Value
			if r.Names != nil {
				text = bad.Name + "=" + bad.Value
				if strings.ContainsAny(bad.Value, " \t\n") {
					continue // what is behind a blank is not of the setting
				}
			}
			if lines, hidden := status.Lines("before\n" + text + "\nafter"); hidden == 0 {
				t.Errorf("%s: %q is shown: %q", r.ID, text, lines)
			}
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add("one\x1b[31m\ntwo\u202e\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, hidden := status.Lines(text)
		if len(lines) > status.MostLines || len(strings.Join(lines, "\n")) > 8<<10 || hidden > len(lines) {
			t.Fatalf("%d lines, %d hidden", len(lines), hidden)
		}
		for _, l := range lines {
			if strings.ContainsFunc(l, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
				t.Errorf("%q can move a cursor", l)
			}
			if l != out && len(secretshape.Broken(l)) > 0 {
				t.Errorf("%q is shown", l)
			}
		}
	})
}
