package isolation

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/test/cluster"
)

var writing sync.Mutex

const refresh = "is not current; run: go test ./test/isolation -update"

// section compares what was found with its part of a document, or writes it there.
func section(t *testing.T, document, name, found string) {
	t.Helper()
	writing.Lock()
	defer writing.Unlock()
	path := filepath.Join(cluster.Root(), "docs", document)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- made: "+name+" -->\n", "<!-- end: "+name+" -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	have, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("docs/%s has no part between %q and %q", document, begin, end)
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+found+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(have, found); diff != "" {
		t.Errorf("docs/%s, part %s, %s\n%s", document, name, refresh, diff)
	}
}
