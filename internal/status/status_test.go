package status_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/status"
)

var update = flag.Bool("update", false, "write what is wanted anew")

// now is when the cases are read; their objects are dated from it.
var now = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// question is the file of that name in a case.
type question struct {
	Claim, Namespace, Kind, Workload string
	Log, LogWhy                      string
	Throttle                         map[string]float64
	ThrottleWhy                      string
	Unread                           []snapshot.Unread
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
			set, q := load(t, archive)
			a, ok := status.Of(set, q)
			if !ok {
				t.Fatal("there is no such service")
			}
			got := describe(a)
			if *update {
				put(archive, "want", got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(part(archive, "want"), got); diff != "" {
				t.Errorf("%s(-want +got); if that is meant: go test ./internal/status -update\n%s", archive.Comment, diff)
			}
			if p, ok := status.ProgressOf(set, q); !ok || p != a.Progress {
				t.Errorf("progress by itself is %+v, and %+v in the answer", p, a.Progress)
			}
		})
	}
}

func load(t *testing.T, archive *txtar.Archive) (*snapshot.Set, status.Question) {
	t.Helper()
	var in question
	if err := yaml.UnmarshalStrict([]byte(part(archive, "question")), &in); err != nil {
		t.Fatal(err)
	}
	list, err := snapshot.Parse([]byte(part(archive, "objects")))
	if err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{At: now}
	set.Add(list...)
	for _, u := range in.Unread {
		set.Miss(u)
	}
	q := status.Question{Claim: in.Claim, Namespace: in.Namespace, Kind: in.Kind, Workload: in.Workload, Now: now}
	if ref, ok := status.LogOf(set, q); ok && in.Log+in.LogWhy != "" {
		q.Log = &status.Log{LogRef: ref, Text: in.Log, Why: in.LogWhy}
	}
	if in.Throttle != nil || in.ThrottleWhy != "" {
		q.Throttle = &status.Throttle{Of: in.Throttle, Why: in.ThrottleWhy}
	}
	return set, q
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

// describe is an answer as text that is read in a review.
func describe(a status.Answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, team %s in %s: %s %q %v\n", a.Service, a.Team, a.Namespace, a.Overall.Level, a.Overall.Says, a.Workloads)
	for _, s := range []struct {
		what string
		status.Said
	}{{"running", a.Running}, {"ready", a.Ready}, {"restarted", a.Restarted}, {"log", a.Log.Said}, {"image", a.Image}, {"rollout", a.Rollout}, {"throttled", a.Throttled}} {
		fmt.Fprintf(&b, "%s: %s: %s\n", s.what, s.Level, s.Says)
	}
	for _, l := range a.Log.Lines {
		fmt.Fprintf(&b, "  | %s\n", l)
	}
	fmt.Fprintf(&b, "progress: done %v, failed %v: %s\n", a.Progress.Done, a.Progress.Failed, a.Progress.Says)
	for _, f := range a.Findings {
		fmt.Fprintf(&b, "finding %s %s of %s\n", f.ID, f.Object, f.Owner)
	}
	for _, c := range a.Budget {
		fmt.Fprintf(&b, "budget %s: %s used of %s, %s left, %s\n", c.Resource, c.Used, c.Hard, c.Left, c.Level)
	}
	if a.BudgetSays != "" {
		fmt.Fprintf(&b, "budget: %s\n", a.BudgetSays)
	}
	for _, c := range a.Changes {
		when := "no time"
		if c.At != nil {
			when = c.At.Format("01-02 15:04:05")
		}
		fmt.Fprintf(&b, "change %s: %s: %s %s\n", when, c.Object, c.By, c.What)
	}
	for _, n := range a.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

// What is not there is no answer.
func TestAbsent(t *testing.T) {
	set := &snapshot.Set{At: now}
	for _, q := range []status.Question{{Claim: "web"}, {Namespace: "team-shop", Workload: "web"}} {
		if a, ok := status.Of(set, q); ok {
			t.Errorf("%+v: %+v", q, a)
		}
		if _, ok := status.LogOf(set, q); ok {
			t.Errorf("%+v has a log", q)
		}
		if _, why := status.QueryOf(set, q); why == "" {
			t.Errorf("%+v is asked about", q)
		}
	}
}

// The query names the pods as they are, and no pod's name means another.
func TestQuery(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/trouble.txtar")
	if err != nil {
		t.Fatal(err)
	}
	set, q := load(t, archive)
	query, why := status.QueryOf(set, q)
	const which = `{namespace="team-shop",pod=~"web-5d9c7b6f4-q8x2k|web-7f6b5c8d9-h4t7m|web-7f6b5c8d9-z9k4p",container!="",container!="POD"}[15m]`
	const want = "sum by (pod, container) (increase(container_cpu_cfs_throttled_periods_total" + which + ")) / sum by (pod, container) (increase(container_cpu_cfs_periods_total" + which + "))"
	if why != "" || query.URL != "http://prometheus.monitoring.svc:9090" || query.Text != want {
		t.Errorf("%q %+v", why, query)
	}
}

func TestThrottled(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/trouble.txtar")
	if err != nil {
		t.Fatal(err)
	}
	set, q := load(t, archive)
	for _, c := range []struct {
		said  *status.Throttle
		level status.Level
		says  string
	}{
		{nil, status.Unknown, "not known, because Prometheus was not asked"},
		{&status.Throttle{Why: "it is down"}, status.Unknown, "not known, because it is down"},
		{&status.Throttle{}, status.Unknown, "has counted no periods"},
		{&status.Throttle{Of: map[string]float64{"a/web": 0.25}}, status.Bad, "yes: container web of a was held back in 25%"},
		{&status.Throttle{Of: map[string]float64{"a/web": 0.24, "b/web": 0.02}}, status.OK, "a little: container web of a"},
		{&status.Throttle{Of: map[string]float64{"a/web": 0}}, status.OK, "no, in the last 15m"},
	} {
		q.Throttle = c.said
		a, _ := status.Of(set, q)
		if a.Throttled.Level != c.level || !strings.Contains(a.Throttled.Says, c.says) {
			t.Errorf("%+v: %+v, want %s %q", c.said, a.Throttled, c.level, c.says)
		}
	}
}
