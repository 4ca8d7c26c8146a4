package takedown_test

import (
	"strings"
	"testing"

	"demarc.dev/demarc/internal/cli/takedown"
)

// A reason is one line of at most 1,024 characters, whatever their length in bytes.
func TestReason(t *testing.T) {
	for text, want := range map[string]string{
		"  the cluster\nis lost\x1b ":   "the cluster is lost",
		strings.Repeat("é", 1024):       strings.Repeat("é", 1024),
		strings.Repeat("x", 1024) + " ": strings.Repeat("x", 1024),
	} {
		if got, err := takedown.Reason(text); got != want || err != nil {
			t.Errorf("%.20q: %.40q, %v", text, got, err)
		}
	}
	for _, text := range []string{strings.Repeat("é", 1025), strings.Repeat("x", 40_000)} {
		if got, err := takedown.Reason(text); err == nil || got != "" || !strings.Contains(err.Error(), "at most 1024 are written down") {
			t.Errorf("%.20q: %.40q, %v", text, got, err)
		}
	}
}
