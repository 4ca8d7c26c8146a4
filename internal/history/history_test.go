package history_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/history"
	"demarc.dev/demarc/internal/snapshot"
)

var update = flag.Bool("update", false, "write what is wanted anew")

// question is the file of that name in a case.
type question struct {
	Claim string
	// To lists the revisions that are gone back to, each by itself.
	To     []int64
	Unread []snapshot.Unread
}

func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := tell(t, archive)
			if *update {
				put(archive, "want", got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(part(archive, "want"), got); diff != "" {
				t.Errorf("%s(-want +got); if that is meant: go test ./internal/history -update\n%s", archive.Comment, diff)
			}
		})
	}
}

func tell(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	var q question
	if err := yaml.UnmarshalStrict([]byte(part(archive, "question")), &q); err != nil {
		t.Fatal(err)
	}
	list, err := snapshot.Parse([]byte(part(archive, "objects")))
	if err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{}
	set.Add(list...)
	for _, u := range q.Unread {
		set.Miss(u)
	}
	var b strings.Builder
	a, ok := history.Of(set, q.Claim)
	if !ok {
		b.WriteString("no such claim\n")
	}
	for _, r := range a.Revisions {
		at := "no time"
		if r.At != nil {
			at = r.At.Format("01-02 15:04:05")
		}
		fmt.Fprintf(&b, "%d %s: %s, %s, by %q, current %v, %d pods, git %q, differs %v\n", r.Number, r.Object, r.Image, at, r.By, r.Current, r.Pods, r.Git, r.Differs)
	}
	for _, d := range a.Deliveries {
		fmt.Fprintf(&b, "delivery %d: %s %s by %q\n", d.ID, d.Git, d.Image, d.By)
	}
	for _, n := range a.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, to := range append([]int64{history.Previous}, q.To...) {
		plan, refusal := history.Back(set, q.Claim, to)
		if refusal != nil {
			fmt.Fprintf(&b, "back to %d: refused (unknown %v): %s\n  next: %s\n", to, refusal.Unknown, refusal.What, refusal.Next)
			continue
		}
		fmt.Fprintf(&b, "back to %d: %s, now %s\n", to, plan.To.Image, plan.Was)
		if plan.Says != "" {
			fmt.Fprintf(&b, "  says: %s\n", plan.Says)
		}
	}
	return b.String()
}

func part(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func put(archive *txtar.Archive, name, text string) {
	for i := range archive.Files {
		if archive.Files[i].Name == name {
			archive.Files[i].Data = []byte(text)
			return
		}
	}
	archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
}
