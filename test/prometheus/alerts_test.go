package prometheus

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// scene is what an alert fires on, or leaves alone.
type scene struct {
	Says   string   `json:"says"`
	At     string   `json:"at"`
	Series []string `json:"series"`
	Fires  int      `json:"fires"`
}

// TestAlerts has Prometheus' own loader and engine read the rules and replay series: each
// alert fires where it should, as often as it should, and nowhere else. What whoever is paged
// is told is in a golden file.
func TestAlerts(t *testing.T) {
	scenes, a := replayAll(t)
	for _, p := range a.Problems {
		t.Error(p)
	}
	var golden strings.Builder
	fired, quiet := map[string]bool{}, map[string]bool{}
	i := 0
	for _, name := range slices.Sorted(maps.Keys(scenes)) {
		for _, s := range scenes[name] {
			c := a.Cases[i]
			i++
			of := named(c.Fires, name)
			if len(of) != s.Fires {
				t.Errorf("%s fires %d times, want %d: %s: %v", name, len(of), s.Fires, s.Says, of)
			}
			if s.Fires == 0 && slices.Contains(c.Ever, name) {
				t.Errorf("%s fired in between: %s", name, s.Says)
			}
			quiet[name] = quiet[name] || s.Fires == 0
			for _, f := range of {
				told(&golden, f)
				for _, r := range a.Rules {
					if r.Alert == name && within(r.Labels, f.Labels) {
						fired[key(r)] = true
					}
				}
			}
		}
	}
	for _, r := range a.Rules {
		if !fired[key(r)] || !quiet[r.Alert] {
			t.Errorf("%s %v: testdata/alerts.yaml has no series on which it fires, or none that it leaves alone", r.Alert, r.Labels)
		}
	}
	if len(a.Rules) < 20 {
		t.Errorf("%d rules", len(a.Rules))
	}
	compare(t, "testdata/alerts.golden", golden.String())
}

// TestQuiet has all rules look at a cluster in order.
func TestQuiet(t *testing.T) {
	var cluster replay
	readYAML(t, "testdata/cluster.yaml", &cluster)
	for _, name := range ask(t, question{Files: ruleFiles(t), Cases: []replay{cluster}}).Cases[0].Ever {
		t.Errorf("%s fires on a cluster in order", name)
	}
}

// replayAll asks of all scenes, in the order of the alerts' names.
func replayAll(t *testing.T) (map[string][]scene, answer) {
	t.Helper()
	scenes := map[string][]scene{}
	readYAML(t, "testdata/alerts.yaml", &scenes)
	q := question{Files: ruleFiles(t)}
	for _, name := range slices.Sorted(maps.Keys(scenes)) {
		for _, s := range scenes[name] {
			q.Cases = append(q.Cases, replay{s.At, s.Series})
		}
	}
	a := ask(t, q)
	if len(a.Cases) != len(q.Cases) {
		t.Fatalf("%d answers to %d cases: %v", len(a.Cases), len(q.Cases), a.Problems)
	}
	return scenes, a
}

// named are the alerts of one name, in order.
func named(all []alert, name string) (of []alert) {
	for _, a := range all {
		if a.Labels["alertname"] == name {
			of = append(of, a)
		}
	}
	slices.SortFunc(of, func(a, b alert) int { return cmp.Compare(line(a.Labels), line(b.Labels)) })
	return of
}

func key(r rule) string { return r.Alert + line(r.Labels) }

func within(a, b map[string]string) bool {
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// told writes an alert as people get it.
func told(b *strings.Builder, a alert) {
	labels := maps.Clone(a.Labels)
	delete(labels, "alertname")
	fmt.Fprintf(b, "%s {%s}\n", a.Labels["alertname"], line(labels))
	for _, k := range []string{"summary", "description", "finding", "runbook_url"} {
		if a.Annotations[k] != "" {
			fmt.Fprintf(b, "  %s\n", a.Annotations[k])
		}
	}
}

func line(labels map[string]string) string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, fmt.Sprintf("%s=%q", k, labels[k]))
	}
	return strings.Join(all, ",")
}

func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := gocmp.Diff(text(t, golden), got); diff != "" {
		t.Errorf("%s differs (-want +got); if that is meant: go test ./test/prometheus -update\n%s", golden, diff)
	}
}
