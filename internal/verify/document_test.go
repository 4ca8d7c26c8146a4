package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"demarc.dev/demarc/internal/verify"
)

// TestFindingsDocument holds docs/findings.md to tell of every check.
func TestFindingsDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("<!-- Made by make generate from internal/verify/checks.go. -->\n# Findings\n\n" +
		"What [`demarc contract verify`](contract.md#prove-it) finds, by id. An id never gets another meaning. Errors and warnings are to be mended, notes are not;\n" +
		"each finding names what causes it and the smallest change that mends it.\n")
	for i, c := range verify.Checks {
		if want := fmt.Sprintf("OC%03d", i+1); c.ID != want {
			t.Errorf("check %d has the id %s, want %s", i, c.ID, want)
		}
		if c.Title == "" || c.Means == "" {
			t.Errorf("%s says nothing of itself", c.ID)
		}
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** %s\n", c.ID, c.Title, c.Means)
	}
	golden(t, "../../docs/findings.md", b.String(), "make generate")
}
