package deletion_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/deletion"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
)

var update = flag.Bool("update", false, "write what is wanted anew")

// TestCases explains each testdata/*.txtar: a question, the objects that were read and
// what could not be, and the report that is wanted.
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases in testdata: %v", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			report := explain(t, archive)
			sane(t, report)
			got := describe(t, report)
			if *update {
				put(archive, "want", got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(part(archive, "want"), got); diff != "" {
				t.Errorf("%s(-want +got); if that is meant: go test ./internal/deletion -update\n%s", archive.Comment, diff)
			}
		})
	}
}

// question is the file of that name in a case.
type question struct {
	Of       deletion.Object   `json:"of"`
	Refused  string            `json:"refused"`
	Force    string            `json:"force"`
	Unread   []snapshot.Unread `json:"unread"`
	Unserved []struct {
		Group, Kind string
	} `json:"unserved"`
}

var at = time.Date(2026, 1, 1, 0, 10, 0, 0, time.UTC)

func explain(t *testing.T, archive *txtar.Archive) deletion.Report {
	t.Helper()
	var q question
	if err := yaml.UnmarshalStrict([]byte(part(archive, "question")), &q); err != nil {
		t.Fatal(err)
	}
	objects, err := snapshot.Parse([]byte(part(archive, "objects")))
	if err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{At: at}
	set.Add(objects...)
	for _, u := range q.Unread {
		set.Miss(u)
	}
	for _, u := range q.Unserved {
		set.AddUnserved(schema.GroupKind{Group: u.Group, Kind: u.Kind})
	}
	return deletion.Explain(set, deletion.Question{Object: q.Of, Refused: q.Refused, Force: q.Force})
}

// sane holds for every report: each blocker says who can act and what to do, a reason
// that is documented, and none comes before one that it waits for.
func sane(t *testing.T, r deletion.Report) {
	t.Helper()
	for _, list := range [][]deletion.Blocker{r.Blockers, r.Ahead} {
		place := map[string]int{}
		for i, b := range list {
			if b.Next == "" || b.Party == "" || b.Controller == "" || ownership.BlockerOf(b.Reason).Next == "" {
				t.Errorf("%s (%s) does not say who acts, what next, or has no row in a table of internal/ownership: %+v", b.Object, b.Reason, b)
			}
			place[b.Object.String()] = i
		}
		for i, b := range list {
			for _, w := range b.WaitsFor {
				if j, listed := place[w]; listed && j > i {
					t.Errorf("%s waits for %s and comes before it", b.Object, w)
				}
			}
		}
	}
}

func describe(t *testing.T, r deletion.Report) string {
	t.Helper()
	verdict := map[deletion.Verdict]string{deletion.Clean: "clean", deletion.Blocked: "blocked", deletion.Unknown: "unknown"}
	text, err := yaml.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return "# " + verdict[r.Verdict()] + "\n" + string(text)
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
