package outcome

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	for note, want := range map[string]int{
		"short":                                  5,
		strings.Repeat("a", noteLimit):           noteLimit,
		strings.Repeat("a", noteLimit+1):         noteLimit,
		strings.Repeat("é", noteLimit):           noteLimit - 1, // between two bytes of one letter it is not cut
		"a" + strings.Repeat("é", noteLimit):     noteLimit,
		strings.Repeat("a", noteLimit-3) + "éüö": noteLimit,
	} {
		got := cut(note)
		if len(got) != want || !utf8.ValidString(got) {
			t.Errorf("%d bytes are cut to %d, want %d: …%q", len(note), len(got), want, got[max(0, len(got)-8):])
		}
	}
}
