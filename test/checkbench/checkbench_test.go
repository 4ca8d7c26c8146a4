package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/check"
	gather "demarc.dev/demarc/internal/check/manifests"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/manifest"
	"demarc.dev/demarc/internal/snapshot"
)

// Every rule that is compared refuses its bad example and lets its good one pass, as they
// are written into the folders: else there would be little to agree on.
func TestEveryRuleRefusesSomething(t *testing.T) {
	folders, err := lay(t.TempDir(), []int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if n := 2 * len(guardrail.Catalogue()); folders[0].objects != n || folders[1].objects != 2*n {
		t.Errorf("%d and %d objects, want %d and twice as many", folders[0].objects, folders[1].objects, n)
	}
	refused := map[pair]bool{}
	for _, f := range checked(t, folders[0].path) {
		refused[pair{f.ID, f.Object.Name}] = true
	}
	for _, r := range guardrail.Catalogue() {
		want := !slices.Contains(left, r.ID)
		if good, bad := refused[pair{r.ID, r.ID + "-good-001"}], refused[pair{r.ID, r.ID + "-bad-001"}]; good || bad != want {
			t.Errorf("%s: the good example is refused %v, the bad one %v and not %v", r.ID, good, bad, want)
		}
	}
}

// checked is what is refused of a folder.
func checked(t *testing.T, path string) []finding.Finding {
	t.Helper()
	text, err := sets()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := manifest.Parse("sets.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	q := check.Question{Team: team, At: time.Now()}
	for _, d := range docs {
		if taken, err := q.Settings.Take(d); !taken || err != nil {
			t.Fatal(d, taken, err)
		}
	}
	if q.Rules, err = check.Compile(nil); err != nil {
		t.Fatal(err)
	}
	found, err := gather.Gather(gather.Source{Paths: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	q.Manifests = found.Manifests
	answer, err := check.Check(q)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Findings
}

// What kyverno apply is given says of each policy and binding what the shipped ones say.
func TestRulesAreTheShippedOnes(t *testing.T) {
	files, err := rules()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(compared()) || len(files)+len(left) != len(guardrail.Catalogue()) {
		t.Errorf("%d files of rules, and %d are left out of %d", len(files), len(left), len(guardrail.Catalogue()))
	}
	for _, r := range compared() {
		given, shipped := parsed(t, files[r.ID+".yaml"]), parsed(t, second(r.Compiled()))
		if diff := cmp.Diff(shipped[0], given[0]); diff != "" {
			t.Errorf("%s: the policy is another one (-shipped +given)\n%s", r.ID, diff)
		}
		of, constraints := given[1]["spec"].(map[string]any), given[0]["spec"].(map[string]any)["matchConstraints"]
		if diff := cmp.Diff(constraints, of["matchResources"]); diff != "" {
			t.Errorf("%s: the binding is for other kinds than the policy\n%s", r.ID, diff)
		}
		delete(of, "matchResources")
		if diff := cmp.Diff(shipped[1], given[1]); diff != "" {
			t.Errorf("%s: the binding is another one (-shipped +given)\n%s", r.ID, diff)
		}
	}
}

func parsed(t *testing.T, text string) (list []map[string]any) {
	t.Helper()
	objects, err := snapshot.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		list = append(list, o.Object)
	}
	return list
}

func second(_, text string) string { return text }

func TestReadKyverno(t *testing.T) {
	const said = `
Applying 48 policy rule(s) to 2 resource(s)...
policy demarc-rule-image-tag -> resource team-shop/Deployment/web failed:
1 - demarc-rule-image-tag image-tag: it is - demarc-rule-image-tag - nginx
policy demarc-rule-hpa-max -> resource team-shop/HorizontalPodAutoscaler/web failed:
1 - demarc-rule-hpa-max hpa-max: 21

pass: 13, fail: 2, warn: 0, error: 0, skip: 0
`
	got, err := readKyverno([]byte(said))
	want := refusals{
		{"image-tag", "team-shop/Deployment/web"}:            "image-tag: it is - demarc-rule-image-tag - nginx",
		{"hpa-max", "team-shop/HorizontalPodAutoscaler/web"}: "hpa-max: 21",
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(pair{})); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for what, text := range map[string]string{
		"a verdict that is an error": strings.Replace(said, "error: 0", "error: 1", 1),
		"a refusal that is missing":  strings.Replace(said, "fail: 2", "fail: 3", 1),
		"no totals":                  said[:strings.Index(said, "pass:")],
	} {
		if _, err := readKyverno([]byte(text)); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

func TestReadDemarc(t *testing.T) {
	const found = `{"id":"image-tag","severity":"error","object":{"kind":"Pod","namespace":"team-shop","name":"web"},"message":"image-tag: nginx"}`
	got, err := readDemarc([]byte(`{"findings":[` + found + `]}`))
	if diff := cmp.Diff(refusals{{"image-tag", "team-shop/Pod/web"}: "image-tag: nginx"}, got, cmp.AllowUnexported(pair{})); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, text := range []string{`{"findings":[` + found + `],"elsewhere":1}`, strings.Replace(`{"findings":[`+found+`]}`, "error", "warning", 1),
		`{"unjudged":[{"why":"it is not served"}]}`, `no JSON`} {
		if _, err := readDemarc([]byte(text)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

func TestCompare(t *testing.T) {
	ours := refusals{{"a", "x"}: "same", {"a", "y"}: "one", {"b", "x"}: "ours alone"}
	theirs := refusals{{"a", "x"}: "same", {"a", "y"}: "another", {"c", "x"}: "theirs alone"}
	verdicts := 2 * len(compared())
	want := Agreement{Objects: 2, Verdicts: verdicts, Equal: verdicts - 2, Refused: 2, Words: 1,
		Differ: []string{"only demarc check refuses x by b: ours alone", "only kyverno apply refuses x by c: theirs alone"}}
	if diff := cmp.Diff(want, compare(2, ours, theirs)); diff != "" {
		t.Error(diff)
	}
}

func TestReport(t *testing.T) {
	r := Report{Options: Options{Rounds: 2}, Kyverno: "v1", Date: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)}
	add := func(program string, objects int, wall, cpu time.Duration) {
		r.Runs = append(r.Runs, Run{Program: program, Objects: objects, Wall: wall, CPU: cpu})
	}
	for _, late := range []time.Duration{0, 4 * time.Second} {
		add(nameDemarc, 100, 2*time.Second, time.Second)
		add(nameKyverno, 100, 20*time.Second+late, 10*time.Second)
		add(nameDemarc, 300, 4*time.Second, 3*time.Second)
		add(nameKyverno, 300, 60*time.Second+late, 30*time.Second)
	}
	r.Agreements = []Agreement{{Objects: 100, Verdicts: 4500, Equal: 4499, Refused: 10, Words: 9, Differ: []string{"one"}}}
	var out strings.Builder
	if err := r.Print(&out, true); err != nil {
		t.Fatal(err)
	}
	want := `2026-11-30, kyverno v1. Rounds: 2; medians, and of ratios the least and the largest of a round.

|  | ` + "`demarc check` | `kyverno apply`" + ` | ratio | CPU of the two | ratio |
| --- | --- | --- | --- | --- | --- |
| 100 objects, with the start | 2 s, 50 a second | 22 s, 4.55 a second | 11.0 (10.0 to 12.0) | 1 s, 10 s | 10.0 (10.0 to 10.0) |
| 300 objects, with the start | 4 s, 75 a second | 62 s, 4.84 a second | 15.5 (15.0 to 16.0) | 3 s, 30 s | 10.0 (10.0 to 10.0) |
| what 200 more take | 2 s, 100 a second | 40 s, 5 a second | 20.0 (20.0 to 20.0) | 2 s, 20 s | 10.0 (10.0 to 10.0) |

Of 4500 verdicts on 100 objects 4499 are equal; both refuse 10, 9 of these in the same words.
  one
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// A single round has no least and largest ratio.
func TestRatio(t *testing.T) {
	if got := ratio([]time.Duration{2 * time.Second}, []time.Duration{5 * time.Second}); got != "2.5" {
		t.Error(got)
	}
}

func TestCopies(t *testing.T) {
	for text, want := range map[string][]int{"1": {1}, "1,10": {1, 10}, "10,1": nil, "0": nil, "x": nil, "": nil, "2,2": nil} {
		var o Options
		if err := o.copies(text); (err == nil) != (want != nil) || err == nil && !slices.Equal(o.Copies, want) {
			t.Errorf("%q gives %v, %v", text, o.Copies, err)
		}
	}
}
