package status

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/status"
)

var update = flag.Bool("update", false, "write what is wanted anew")

// TestScreens draws the cases of the engine: at most 45 lines, none wider than the screen but
// commands, which are whole so that they can be copied.
func TestScreens(t *testing.T) {
	cases, err := filepath.Glob("../../status/testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range cases {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			got := draw(t, answer(t, file), factory.IO{})
			for i, line := range strings.Split(got, "\n") {
				if utf8.RuneCountInString(line) > width && !strings.HasPrefix(line, "      kubectl") {
					t.Errorf("line %d is wider than %d: %s", i+1, width, line)
				}
			}
			if n := strings.Count(got, "\n"); n > 45 {
				t.Errorf("it has %d lines", n)
			}
			golden := filepath.Join("testdata", name+".screen")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got); if that is meant: go test ./internal/cli/status -update\n%s", diff)
			}
		})
	}
}

// What the docs show is what the program prints.
func TestDocument(t *testing.T) {
	page, err := os.ReadFile("../../../docs/status.md")
	if err != nil {
		t.Fatal(err)
	}
	got := draw(t, answer(t, "../../status/testdata/trouble.txtar"), factory.IO{})
	if !strings.Contains(string(page), "$ demarc status web\n"+got+"```") {
		t.Errorf("docs/status.md does not show what is printed now:\n%s", got)
	}
}

// Colours are for terminals that show them, and change no word.
func TestColours(t *testing.T) {
	a := answer(t, "../../status/testdata/trouble.txtar")
	plain := draw(t, a, factory.IO{})
	painted := draw(t, a, factory.IO{OutTerminal: true, Colour: true, Width: width})
	if strings.Contains(plain, "\x1b") || !strings.Contains(painted, "\x1b[31m") {
		t.Error("a file gets colours, or a terminal none")
	}
	for _, code := range []string{factory.Good, factory.Wait, factory.Bad, factory.Bold, "0"} {
		painted = strings.ReplaceAll(painted, "\x1b["+code+"m", "")
	}
	if diff := cmp.Diff(plain, painted); diff != "" {
		t.Errorf("colours change the words:\n%s", diff)
	}
}

// What a cluster holds is data: nothing of it moves a cursor, however narrow the screen.
func TestHostileText(t *testing.T) {
	bad := "\x1b[2J\u202e\nx\u009b31m"
	a := status.Answer{Service: "claim/" + bad, Team: bad, Workloads: []string{bad}, At: time.Unix(0, 0),
		Overall: status.Said{Says: bad}, Running: status.Said{Says: bad}, Ready: status.Said{Says: ""}, Log: status.Tail{Lines: []string{bad}},
		Conditions: []status.Condition{{Type: bad, Status: bad, Reason: bad, Message: bad}},
		Budget:     []status.Budget{{Resource: bad, Hard: bad, Left: bad}},
		Changes:    []status.Change{{Object: bad, By: bad, What: bad}}, Notes: []string{bad}, Unread: []snapshot.Unread{{Verb: bad, Resource: bad}}}
	for _, w := range []int{0, 1, 30, 100} {
		if got := draw(t, a, factory.IO{Width: w}); strings.ContainsAny(got, "\x1b\u202e\u009b") {
			t.Errorf("width %d: %q", w, got)
		}
	}
}

func draw(t *testing.T, a status.Answer, io factory.IO) string {
	t.Helper()
	var out bytes.Buffer
	io.Out = &out
	if err := screen(&Options{IO: io}, a); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func answer(t *testing.T, file string) status.Answer {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var in struct {
		status.Question `json:",inline"`
		Log             string
		Throttle        map[string]float64
		Unread          []snapshot.Unread
	}
	set := &snapshot.Set{At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	for _, f := range archive.Files {
		switch f.Name {
		case "question":
			if err := yaml.Unmarshal(f.Data, &in); err != nil {
				t.Fatal(err)
			}
		case "objects":
			list, err := snapshot.Parse(f.Data)
			if err != nil {
				t.Fatal(err)
			}
			set.Add(list...)
		}
	}
	for _, u := range in.Unread {
		set.Miss(u)
	}
	q := status.Question{Claim: in.Claim, Namespace: in.Namespace, Workload: in.Workload}
	if ref, ok := status.LogOf(set, q); ok && in.Log != "" {
		q.Log = &status.Log{LogRef: ref, Text: in.Log}
	}
	if in.Throttle != nil {
		q.Throttle = &status.Throttle{Of: in.Throttle}
	}
	a, ok := status.Of(set, q)
	if !ok {
		t.Fatal("there is no such service")
	}
	return a
}

func TestArguments(t *testing.T) {
	for args, want := range map[string]struct {
		q    status.Question
		says string
	}{
		"web":                       {status.Question{Claim: "web"}, ""},
		"claim/web":                 {status.Question{Claim: "web"}, ""},
		"api -n shop":               {status.Question{Namespace: "shop", Workload: "api"}, ""},
		"deploy/api -n shop":        {status.Question{Namespace: "shop", Workload: "api", Kind: "Deployment"}, ""},
		"StatefulSets/db -n shop":   {status.Question{Namespace: "shop", Workload: "db", Kind: "StatefulSet"}, ""},
		"web --watch --timeout 5m":  {status.Question{Claim: "web"}, ""},
		"deployment/api":            {says: "lives in a namespace"},
		"tenant/shop":               {says: "a tenant is no service"},
		"service/api -n shop":       {says: "no kind that a service runs as"},
		"a/b/c -n shop":             {says: "is no name of an object"},
		"../x":                      {says: "no kind of this command"},
		".. -n shop":                {says: "is no name of an object"},
		"web -n Shop":               {says: "no name of a namespace"},
		"web -o sarif":              {says: `there is no output "sarif"`},
		"web --watch -o json":       {says: "leave -o out"},
		"web --timeout 5m":          {says: "belongs to --watch"},
		"web --watch --timeout=-5m": {says: "less than no time"},
	} {
		var got status.Question
		cmd := NewCmdStatus(factory.New("demarc", factory.IO{}), func(_ context.Context, o *Options) error { got = o.Question; return nil })
		cmd.SetArgs(strings.Fields(args))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		err := cmd.Execute()
		switch {
		case want.says == "" && (err != nil || got != want.q):
			t.Errorf("%s: %+v, %v", args, got, err)
		case want.says != "" && (err == nil || !strings.Contains(err.Error(), want.says) || exit.Code(err) != exit.Unknown):
			t.Errorf("%s: %v, want %q", args, err, want.says)
		}
	}
}
