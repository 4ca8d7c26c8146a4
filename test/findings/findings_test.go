package findings

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/triage"
	"demarc.dev/demarc/test/cluster"
	"demarc.dev/demarc/test/findings/incident"
	"demarc.dev/demarc/test/findings/stage"
)

// TestIncidents are of signatures that there are.
func TestIncidents(t *testing.T) {
	list, err := Incidents()
	if err != nil || len(list) < 60 {
		t.Fatalf("%d incidents, %v", len(list), err)
	}
	for _, one := range list {
		if triage.Of(one.ID).ID == "" {
			t.Errorf("%s is no signature", one.ID)
		}
	}
}

// some are recorded in each run of the tests: one of each kind of deed.
var some = []string{"DM101", "DM201", "DM301", "DM314", "DM401"}

// TestRecords records some cases anew, and finds in them what is found in those that are kept.
func TestRecords(t *testing.T) {
	on, down, err := cluster.Up(t.Context(), "findings", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(down)
	st, err := stage.New(on)
	if err != nil {
		t.Fatal(err)
	}
	versions, err := Versions(cluster.Root(), st.Kubernetes)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Incidents()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		if !slices.Contains(some, one.ID) {
			continue
		}
		t.Run(one.ID, func(t *testing.T) {
			now, err := Record(t.Context(), st, one, versions)
			if err != nil {
				t.Fatal(err)
			}
			kept, err := txtar.ParseFile(filepath.Join(cluster.Root(), "internal", "triage", "testdata", one.ID+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{"objects", "near miss"} {
				if diff := cmp.Diff(foundIn(t, kept, part), foundIn(t, now, part)); diff != "" {
					t.Errorf("%s (-kept +now); if that is meant: make record-findings ONLY=%s\n%s", part, one.ID, diff)
				}
			}
		})
	}
}

func foundIn(t *testing.T, a *txtar.Archive, part string) []string {
	t.Helper()
	var question struct{ Unread []incident.Unread }
	objects := ""
	for _, f := range a.Files {
		switch f.Name {
		case "question":
			if err := yaml.Unmarshal(f.Data, &question); err != nil {
				t.Fatal(err)
			}
		case part:
			objects = string(f.Data)
		}
	}
	ids, err := Found(objects, question.Unread)
	if err != nil || objects == "" {
		t.Fatalf("%s: %v", part, err)
	}
	return ids
}
