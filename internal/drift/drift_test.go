package drift_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/drift"
	"demarc.dev/demarc/internal/snapshot"
)

var update = flag.Bool("update", false, "write what is wanted anew")

// now is when the cases are read.
var now = time.Date(2026, 12, 3, 12, 0, 0, 0, time.UTC)

// TestCases reads testdata/*.txtar: objects, what claims are rendered to, an audit log, and
// what is found.
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	found := map[string]bool{}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			report := check(t, archive)
			sane(t, report)
			for _, d := range report.Findings {
				found[d.ID] = true
			}
			got := describe(report)
			if *update {
				put(archive, "want", got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(part(archive, "want"), got); diff != "" {
				t.Errorf("%s(-want +got); if that is meant: go test ./internal/drift -update\n%s", archive.Comment, diff)
			}
		})
	}
	for _, c := range drift.Checks {
		if !found[c.ID] {
			t.Errorf("no case finds %s", c.ID)
		}
	}
}

type question struct {
	Namespaces []string
	Files      bool
	NoArgoCD   bool
	Unread     []snapshot.Unread
}

func check(t *testing.T, archive *txtar.Archive) drift.Report {
	t.Helper()
	asked := question{Namespaces: []string{"team-shop"}}
	if err := yaml.UnmarshalStrict([]byte(part(archive, "question")), &asked); err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{At: now}
	set.Add(objects(t, archive, "objects")...)
	for _, u := range asked.Unread {
		set.Miss(u)
	}
	if asked.NoArgoCD {
		set.AddUnserved(drift.ApplicationKind)
	}
	q := drift.Question{Namespaces: asked.Namespaces, Files: asked.Files}
	q.Rendered = drift.Applications(drift.Claims(set, asked.Namespaces), drift.Settings(set))
	for _, o := range objects(t, archive, "rendered") {
		q.Rendered = append(q.Rendered, drift.Rendered{Claim: "web", Object: o})
	}
	var err error
	if q.Writes, err = drift.ReadAudit(strings.NewReader(part(archive, "audit")), asked.Namespaces); err != nil {
		t.Fatal(err)
	}
	return drift.Check(set, q)
}

func objects(t *testing.T, archive *txtar.Archive, name string) []snapshot.Object {
	t.Helper()
	list, err := snapshot.Parse([]byte(part(archive, name)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return list
}

// sane is what holds of every finding.
func sane(t *testing.T, report drift.Report) {
	t.Helper()
	for _, d := range report.Findings {
		if d.Message == "" || d.Domain == "" || d.Owner == "" || d.Then.Says == "" || d.Mend.Says == "" || len(d.Evidence) == 0 || d.Severity == "" {
			t.Errorf("%s of %s lacks something: %+v", d.ID, d.Object, d)
		}
	}
	for _, text := range []string{"first-value", "second-value", "Zmlyc3Q", "c2Vjb25k"} {
		if strings.Contains(fmt.Sprintf("%+v", report), text) {
			t.Errorf("what a Secret holds is told: %s", text)
		}
	}
}

func describe(r drift.Report) string {
	var b strings.Builder
	for _, d := range r.Findings {
		fmt.Fprintf(&b, "%s %s, %s (%s): %s\n  %s\n", d.ID, d.Severity, strings.TrimSpace(string(d.Owner)+" "+d.Team), d.Domain, d.Object, d.Message)
		if by := d.Change.By(); by != "" {
			fmt.Fprintf(&b, "  by %s\n", by)
		}
		if d.Change != nil {
			fmt.Fprintf(&b, "  when %s\n", d.Change.When())
		}
		fmt.Fprintf(&b, "  then %s: %s\n  mend %s\n", d.Then.What, d.Then.Says, d.Mend.Says)
	}
	for _, why := range slices.Sorted(maps.Keys(r.Apart)) {
		fmt.Fprintf(&b, "apart %d %s\n", r.Apart[why], why)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note %s\n", n)
	}
	for _, u := range r.Unread {
		fmt.Fprintf(&b, "unread %s\n", u)
	}
	fmt.Fprintf(&b, "compared %d\n", r.Compared)
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

// BenchmarkCheck compares a thousand services, each of which was scaled by hand, and one that is gone.
func BenchmarkCheck(b *testing.B) {
	archive, err := txtar.ParseFile("testdata/week-git.txtar")
	if err != nil {
		b.Fatal(err)
	}
	list, err := snapshot.Parse([]byte(part(archive, "objects")))
	if err != nil {
		b.Fatal(err)
	}
	set := &snapshot.Set{At: now}
	for i := range 1000 {
		for _, o := range list {
			if o = o.DeepCopy(); o.GetKind() == "Deployment" || o.GetKind() == "Event" {
				o.SetName(fmt.Sprintf("%s-%d", o.GetName(), i))
				if o.GetKind() == "Deployment" {
					o.SetUID(types.UID(o.GetName()))
				} else if err := unstructured.SetNestedField(o.Object, fmt.Sprintf("web-%d", i), "involvedObject", "uid"); err != nil {
					b.Fatal(err)
				}
				if id := o.GetAnnotations()["argocd.argoproj.io/tracking-id"]; id != "" {
					o.SetAnnotations(map[string]string{"argocd.argoproj.io/tracking-id": fmt.Sprintf("%s-%d", id, i)})
				}
			}
			set.Add(o)
		}
	}
	for b.Loop() {
		if r := drift.Check(set, drift.Question{Namespaces: []string{"team-shop"}}); r.Compared != 1000 || len(r.Findings) != 1001 {
			b.Fatalf("%d compared, %d findings", r.Compared, len(r.Findings))
		}
	}
}
