package triage_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

var update = flag.Bool("update", false, "write what is wanted, and docs/findings, anew")

// now is when the cases are read; their objects are dated from it.
var now = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// TestSignatures reads testdata/DM….txtar, one for each signature: objects with which it is
// found, and a near miss, in which it is not.
func TestSignatures(t *testing.T) {
	for _, s := range triage.Catalogue {
		t.Run(s.ID, func(t *testing.T) {
			name := filepath.Join("testdata", s.ID+".txtar")
			archive := parse(t, name)
			found := check(t, archive, "objects")
			near := check(t, archive, "near miss")
			if !slices.Contains(ids(found), s.ID) {
				t.Errorf("%s is not found, but %v", s.ID, ids(found))
			}
			if slices.Contains(ids(near), s.ID) {
				t.Errorf("%s is found in its near miss", s.ID)
			}
			compare(t, name, archive, map[string]triage.Report{"want": found, "want of near miss": near})
		})
	}
}

// TestTogether reads the other cases: several causes at once, what follows from what, and
// what is as it should be.
func TestTogether(t *testing.T) {
	cases, err := filepath.Glob("testdata/together-*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive := parse(t, name)
			compare(t, name, archive, map[string]triage.Report{"want": check(t, archive, "objects")})
		})
	}
}

func parse(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if recorded, text := head(archive.Comment); !recorded && text == "" {
		t.Error("the header does not say how it was recorded, or why it is by hand")
	}
	return archive
}

// question is the file of that name in a case.
type question struct {
	Files  bool
	Unread []snapshot.Unread
}

func check(t *testing.T, archive *txtar.Archive, objects string) triage.Report {
	t.Helper()
	var q question
	if err := yaml.UnmarshalStrict([]byte(part(archive, "question")), &q); err != nil {
		t.Fatal(err)
	}
	list, err := snapshot.Parse([]byte(part(archive, objects)))
	if err != nil || len(list) == 0 {
		t.Fatalf("%s: %d objects, %v", objects, len(list), err)
	}
	set := &snapshot.Set{At: now}
	set.Add(list...)
	for _, u := range q.Unread {
		set.Miss(u)
	}
	report := triage.Check(set, triage.Question{Files: q.Files})
	sane(t, report)
	return report
}

// sane is what holds of every finding.
func sane(t *testing.T, report triage.Report) {
	t.Helper()
	each(report, func(f finding.Finding) {
		switch {
		case triage.Of(f.ID).ID == "":
			t.Errorf("%s is not in the catalogue", f.ID)
		case f.Owner == "" || f.Domain == "" || f.Because == "" || f.Message == "" || len(f.Evidence) == 0 || len(f.Next) == 0:
			t.Errorf("%s of %s lacks something: %+v", f.ID, f.Object, f)
		case f.Owner == "shared" && len(f.Next) < 2 && !strings.HasPrefix(f.Because, "it follows from ") && !strings.Contains(f.Because, "docs/reasons.md"):
			t.Errorf("%s of %s is shared, and does not say what each side does", f.ID, f.Object)
		}
		for _, s := range f.Next {
			if s.Says == "" || strings.ContainsAny(s.Says+s.Command, "{}") {
				t.Errorf("%s of %s: the step %q %q is not filled in", f.ID, f.Object, s.Says, s.Command)
			}
		}
	})
}

func each(report triage.Report, do func(finding.Finding)) {
	for _, f := range report.Findings {
		do(f)
		for _, g := range f.Folded {
			do(g)
		}
	}
}

func ids(report triage.Report) (list []string) {
	each(report, func(f finding.Finding) { list = append(list, f.ID) })
	return list
}

func part(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func compare(t *testing.T, file string, archive *txtar.Archive, reports map[string]triage.Report) {
	t.Helper()
	for name, report := range reports {
		got := describe(report)
		if *update {
			put(archive, name, got)
		}
		if diff := cmp.Diff(part(archive, name), got); diff != "" {
			t.Errorf("%s%s (-want +got); if that is meant: go test ./internal/triage -update\n%s", archive.Comment, name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
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

// describe is a report as text that is read in a review.
func describe(report triage.Report) string {
	var b strings.Builder
	for _, f := range report.Findings {
		fmt.Fprintf(&b, "%s %s, %s (%s): %s\n", f.ID, f.Severity, whose(f), f.Domain, f.Object)
		fmt.Fprintf(&b, "  %s\n  because %s\n", f.Message, f.Because)
		for _, e := range f.Evidence {
			fmt.Fprintf(&b, "  seen %s: %s = %s%s\n", e.Object, e.Field, e.Value, at(e.Time))
		}
		for _, s := range f.Next {
			fmt.Fprintf(&b, "  next, %s: %s\n", s.Party, s.Says)
			if s.Command != "" {
				fmt.Fprintf(&b, "    %s\n", s.Command)
			}
		}
		for _, g := range f.Folded {
			fmt.Fprintf(&b, "  folded %s %s: %s: %s\n", g.ID, g.Severity, g.Object, g.Message)
		}
	}
	for _, u := range report.Unread {
		fmt.Fprintf(&b, "unread %s\n", u)
	}
	if report.Contract != triage.Shipped {
		fmt.Fprintf(&b, "by the contract of the %s\n", report.Contract)
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}

func whose(f finding.Finding) string {
	who := string(f.Owner)
	if f.Team != "" && f.Owner != "platform" {
		who += " " + f.Team
	}
	if f.Paged != "" {
		who += " on call " + f.Paged
	}
	return who
}

func at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " at " + t.UTC().Format("15:04")
}
