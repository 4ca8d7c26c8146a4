package triage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"demarc.dev/demarc/internal/triage"
)

const incidents = "../../test/findings/incidents"

// versions of what ran while a case was recorded, and how much later it is read.
var versions = regexp.MustCompile(`(?m)^recorded: Kubernetes v\d+\.\d+\.\d+, Argo CD v\d+\.\d+\.\d+, Demarc \d+\.\d+\.\d+; read \S+ and \S+ after it was done$`)

// head is the line of a case that says how it came about: "recorded: …", or "by hand: why".
func head(comment []byte) (recorded bool, text string) {
	for line := range strings.Lines(string(comment)) {
		if rest, is := strings.CutPrefix(line, "recorded: "); is {
			return true, strings.TrimSpace(rest)
		}
		if rest, is := strings.CutPrefix(line, "by hand: "); is {
			return false, strings.TrimSpace(rest)
		}
	}
	return false, ""
}

// TestRecorded holds the cases to be what an API server wrote, wherever that can be had: at
// least sixty troubles with their near misses, each from its file of test/findings/incidents.
func TestRecorded(t *testing.T) {
	n := 0
	for _, s := range triage.Catalogue {
		archive := parse(t, filepath.Join("testdata", s.ID+".txtar"))
		recorded, text := head(archive.Comment)
		_, err := os.Stat(filepath.Join(incidents, s.ID+".yaml"))
		switch {
		case recorded && !versions.Match(archive.Comment):
			t.Errorf("%s does not say of which versions it is: %s", s.ID, text)
		case recorded != (err == nil):
			t.Errorf("%s: recorded is %v, and of its incident: %v; run: make record-findings", s.ID, recorded, err)
		case recorded && !strings.Contains(string(archive.Comment), "\nNear miss: "):
			t.Errorf("%s does not say what its near miss is", s.ID)
		case recorded:
			n++
		}
	}
	if n < 60 {
		t.Errorf("%d troubles and near misses are recorded, want 60", n)
	}
}

// howMade says in docs/findings how the cases came about, and lists those that were written by
// hand, with the reason.
func howMade() string {
	var b strings.Builder
	recorded := 0
	var byHand []string
	for _, s := range sorted() {
		archive, err := txtar.ParseFile(filepath.Join("testdata", s.ID+".txtar"))
		if err != nil {
			panic(err) // TestSignatures says it
		}
		if is, text := head(archive.Comment); is {
			recorded++
		} else {
			byHand = append(byHand, fmt.Sprintf("| [%s](%s.md) | %s | %s |\n", s.ID, s.ID, s.Title, text))
		}
	}
	fmt.Fprintf(&b, "\n## How they are tried\n\nEach signature has a case with objects in which it is found, and a near miss in which it is not, in [internal/triage/testdata](../../internal/triage/testdata).\n"+
		"%d cases with their near misses are recorded: `make record-findings` brings each about on a [sandbox](../../sandbox/README.md), by its file in\n"+
		"[test/findings/incidents](../../test/findings/incidents), and keeps what the API server then holds. The head of a case says which versions that were, how long after it\n"+
		"the case is read, and what was written in whose stead, for the sandbox plays kubelets and has no cloud. Names and uids that a server makes up, addresses,\n"+
		"resource versions and counts are written in the same words each time; times are moved.\n\n"+
		"The other %d are written by hand, as are those of several troubles at once (`together-*`):\n\n| id | what | why by hand |\n|---|---|---|\n", recorded, len(byHand))
	b.WriteString(strings.Join(byHand, ""))
	return b.String()
}
