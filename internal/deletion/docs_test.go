package deletion_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"demarc.dev/demarc/internal/finalizer"
	"demarc.dev/demarc/internal/ownership"
)

// fromConditions are the reasons of conditions that a report says too.
var fromConditions = []string{"ClaimsRemain", "ApplicationsRemain", "ApplicationDeleting", "ProjectDeleting", "NamespaceDeleting", "ObjectsRemain", "ObjectsHeld", "ArgoCDAbsent"}

// docs/deleting.md lists every blocker with who acts and the next step, and every
// finalizer that is known.
func TestDocument(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "deleting.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := section(t, string(text), "blockers", blockers())
	want = section(t, want, "finalizers", finalizers())
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("%s is not current; go test ./internal/deletion -update\n%s", path, diff)
	}
}

// Every reason that is documented is said in some case, and the other way about.
func TestReasonsAreSaid(t *testing.T) {
	said := map[string]bool{}
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range cases {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		report := explain(t, archive)
		for _, b := range slices.Concat(report.Blockers, report.Ahead) {
			said[b.Reason] = true
		}
	}
	if diff := cmp.Diff(reasons(), slices.Sorted(maps.Keys(said))); diff != "" {
		t.Errorf("reasons in the table and not in a case, or in a case and not in the table (-table +cases)\n%s", diff)
	}
}

func reasons() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(slices.Clone(fromConditions), maps.Keys(ownership.Blockers))))
}

// section puts a table between its two marks.
func section(t *testing.T, text, name, table string) string {
	t.Helper()
	before, rest, found := strings.Cut(text, "<!-- "+name+" -->")
	_, after, ended := strings.Cut(rest, "<!-- /"+name+" -->")
	if !found || !ended {
		t.Fatalf("docs/deleting.md has no place for %s", name)
	}
	return before + "<!-- " + name + " -->\n" + table + "<!-- /" + name + " -->" + after
}

func blockers() string {
	var b strings.Builder
	b.WriteString("| reason | who acts | next |\n|---|---|---|\n")
	for _, reason := range reasons() {
		row := ownership.BlockerOf(reason)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", reason, row.Party, row.Next)
	}
	return b.String()
}

func finalizers() string {
	var b strings.Builder
	b.WriteString("| finalizer | who takes it off | until | where it stays |\n|---|---|---|---|\n")
	for _, name := range finalizer.Names() {
		h := finalizer.Of(name)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, h.Controller, h.Waits, h.Next)
	}
	return b.String()
}
