package adoption_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/adoption"
	"demarc.dev/demarc/internal/snapshot"
)

var update = flag.Bool("update", false, "write what is wanted anew")

// TestCases previews each testdata/*.txtar: a question, what was read, and the report
// that is wanted.
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
			got := preview(t, archive)
			if *update {
				archive.Files[2].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(archive.Files[2].Data), got); diff != "" {
				t.Errorf("%s(-want +got); if that is meant: go test ./internal/adoption -update\n%s", archive.Comment, diff)
			}
		})
	}
}

// preview answers the question, the objects and the wanted report of a case, which come
// in this order.
func preview(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	var q struct {
		Tenant  v1alpha1.Tenant   `json:"tenant"`
		Exists  bool              `json:"exists"`
		Refused string            `json:"refused"`
		Unread  []snapshot.Unread `json:"unread"`
	}
	if err := yaml.UnmarshalStrict(archive.Files[0].Data, &q); err != nil {
		t.Fatal(err)
	}
	objects, err := snapshot.Parse(archive.Files[1].Data)
	if err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{At: time.Date(2026, 1, 1, 0, 10, 0, 0, time.UTC)}
	set.Add(objects...)
	for _, u := range q.Unread {
		set.Miss(u)
	}
	report, err := adoption.Preview(set, adoption.Question{Tenant: &q.Tenant, Exists: q.Exists, Refused: q.Refused, Server: "v1.37"})
	var impossible *adoption.ImpossibleError
	if errors.As(err, &impossible) {
		return "# impossible: " + impossible.Why + "\n# next: " + impossible.Next + "\n"
	}
	if err != nil {
		return "# error: " + err.Error() + "\n"
	}
	text, err := yaml.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	verdict := map[adoption.Verdict]string{adoption.Clean: "clean", adoption.Found: "found", adoption.Unknown: "unknown"}
	return "# " + verdict[report.Verdict()] + "\n" + string(text)
}

func TestTeam(t *testing.T) {
	for namespace, says := range map[string]string{
		"team-shop":                       "",
		"team-":                           "a team's namespace is called team-NAME",
		"shop":                            "a team's namespace is called team-NAME, and shop is not",
		"default":                         "is Kubernetes' own",
		"kube-system":                     "is Kubernetes' own",
		"team-default":                    "the name is reserved",
		"team-Shop":                       "is no name of a namespace",
		"team-" + strings.Repeat("x", 59): "is no name of a namespace",
	} {
		team, err := adoption.Team(namespace)
		if says == "" && (err != nil || team != strings.TrimPrefix(namespace, "team-")) || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: team %q, %v, want %q", namespace, team, err, says)
		}
	}
}
