package triage_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	verb "demarc.dev/demarc/internal/cli/triage"
	"demarc.dev/demarc/internal/triage"
)

var update = flag.Bool("update", false, "write the golden files anew")

// now is the time of the cases of triage.
var now = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// ask runs the verb as its command line would; whoever asks for a cluster fails.
func ask(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return askWide(t, 0, stdin, args...)
}

func askWide(t *testing.T, width int, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	f := factory.New("demarc", factory.IO{In: strings.NewReader(stdin), Out: &out, ErrOut: &errOut, Width: width})
	f.Clock = testclock.NewFakePassiveClock(now)
	f.Config, f.Client, f.Discovery = nil, nil, nil
	cmd := verb.NewCmdTriage(f, nil)
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err := cmd.Execute()
	return exit.Code(err), out.String(), errOut.String() + exit.Text(err)
}

// objects of a case of the engine's.
func objects(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("..", "..", "triage", "testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == "objects" {
			return string(f.Data)
		}
	}
	t.Fatalf("%s has no objects", name)
	return ""
}

// What a person is shown: roots by who must act, with what follows from them.
func TestTable(t *testing.T) {
	for _, name := range []string{"together-five", "together-node-down", "together-contract-shared", "together-normal"} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := ask(t, objects(t, name), "-f", "-")
			if want := name == "together-normal"; want != (code == exit.Done) || errs != "" {
				t.Errorf("it ends with %d: %s", code, errs)
			}
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, _ := os.ReadFile(golden)
			if diff := cmp.Diff(string(want), out); diff != "" {
				t.Errorf("(-want +got); if that is meant: go test ./internal/cli/triage -update\n%s", diff)
			}
			_, narrow, _ := askWide(t, 80, objects(t, name), "-f", "-")
			for _, line := range strings.Split(narrow, "\n") {
				if len([]rune(line)) > 80 && strings.HasPrefix(line, "  ") && strings.Count(strings.TrimSpace(line), " ") > 3 {
					t.Errorf("a line is too long: %s", line)
				}
			}
		})
	}
}

// The documents hold what the issue names, and agree.
func TestDocuments(t *testing.T) {
	in := objects(t, "together-node-down")
	code, out, errs := ask(t, in, "-f", "-", "-o", "json")
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exit.No || errs != "" {
		t.Fatalf("%d, %v, %s\n%s", code, err, errs, out)
	}
	list := got["findings"].([]any)
	var folded int
	for _, one := range list {
		f := one.(map[string]any)
		for _, field := range []string{"id", "owner", "domain", "severity", "subject", "message", "evidence", "next", "folded"} {
			if f[field] == nil {
				t.Errorf("%v has no %s", f["id"], field)
			}
		}
		folded += len(f["folded"].([]any))
	}
	if len(list) == 0 || folded == 0 || got["at"] != "2026-03-02T12:00:00Z" {
		t.Errorf("%s", out)
	}
	_, inYAML, _ := ask(t, in, "-f", "-", "-o", "yaml")
	var same map[string]any
	if err := yaml.Unmarshal([]byte(inYAML), &same); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, same); diff != "" {
		t.Errorf("json and yaml differ:\n%s", diff)
	}
	code, out, _ = ask(t, in, "-f", "-", "-o", "sarif")
	var sarif struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct{ RuleID, Level string }
		}
	}
	if err := json.Unmarshal([]byte(out), &sarif); err != nil || code != exit.No || sarif.Version != "2.1.0" ||
		len(sarif.Runs[0].Tool.Driver.Rules) != len(triage.Catalogue) || len(sarif.Runs[0].Results) != len(list) {
		t.Errorf("%d, %v\n%.2000s", code, err, out)
	}
	code, out, _ = ask(t, objects(t, "together-normal"), "-f", "-", "-o", "json")
	if code != exit.Done || !strings.Contains(out, `"findings": []`) {
		t.Errorf("of nothing: %d\n%s", code, out)
	}
}

// What is asked about is shown, and that there is more.
func TestScope(t *testing.T) {
	in := objects(t, "together-registry-shared")
	ids := func(args ...string) (subjects []string, others float64) {
		code, out, errs := ask(t, in, append([]string{"-f", "-", "-o", "json"}, args...)...)
		var got struct {
			Findings []struct {
				Subject struct{ Kind, Namespace string }
			}
			Others float64
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || code == exit.Unknown {
			t.Fatalf("%v: %d, %v, %s", args, code, err, errs)
		}
		for _, f := range got.Findings {
			subjects = append(subjects, f.Subject.Kind)
		}
		return subjects, got.Others
	}
	all, _ := ids("--all")
	for _, team := range []string{"--team=payments", "-n=team-payments"} {
		if one, others := ids(team); len(one) == 0 || len(one)+int(others) != len(all) {
			t.Errorf("%s: %v and %v of %v", team, one, others, all)
		}
	}
	for _, args := range [][]string{{"--team", "nobody"}, {"-n", "nowhere"}} {
		if code, _, errs := ask(t, in, append(args, "-f", "-")...); code != exit.Unknown || !strings.Contains(errs, "is in the files") {
			t.Errorf("%v: %d, %s", args, code, errs)
		}
	}
}

// What is broken of a dump is told; nothing found in the rest is no "all is well".
func TestBroken(t *testing.T) {
	broken := "\n---\na: [\n"
	code, out, errs := ask(t, objects(t, "together-normal")+broken, "-f", "-")
	if code != exit.Unknown || !strings.Contains(errs, "not all of the dump was read: standard input:") || !strings.Contains(out, "  broken   standard input:") || !strings.Contains(out, "as far as could be read") {
		t.Errorf("%d: %s\n%s", code, errs, out)
	}
	code, out, _ = ask(t, objects(t, "together-five")+broken, "-f", "-")
	if code != exit.No || !strings.Contains(out, "  broken   standard input:") {
		t.Errorf("%d\n%s", code, out)
	}
	for text, says := range map[string]string{"": "no object of Kubernetes is in the files", "a: b\n": "no object of Kubernetes"} {
		if code, _, errs := ask(t, text, "-f", "-"); code != exit.Unknown || !strings.Contains(errs, says) {
			t.Errorf("%q: %d, %s", text, code, errs)
		}
	}
	if code, _, errs := ask(t, "", "-f", filepath.Join(t.TempDir(), "none")); code != exit.Unknown || !strings.Contains(errs, "no such file") {
		t.Errorf("%d, %s", code, errs)
	}
}

// Wrong usage is told before anything is read.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"--team", "a", "--all"}, {"-n", "a", "--team", "b"}, {"--logs", "-f", "-"}, {"--at", "2026-03-02T12:00:00Z"}, {"-f", "-", "--at", "noon"}, {"-o", "wide"},
		{"--team", "A_b"}, {"-n", "A_b"},
	} {
		if code, out, errs := ask(t, "", args...); code != exit.Unknown || out != "" || errs == "" {
			t.Errorf("%v: %d, %s, %s", args, code, out, errs)
		}
	}
}

// The time of a dump is what it is judged by.
func TestAt(t *testing.T) {
	in := objects(t, "together-five")
	path := filepath.Join(t.TempDir(), "dump.yaml")
	if err := os.WriteFile(path, []byte(in), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	_, then, _ := ask(t, "", "-f", path, "-o", "json")
	_, same, _ := ask(t, "", "-f", path, "-o", "json", "--at", "2026-03-02T12:00:00Z")
	if then != same {
		t.Errorf("by --at it is another:\n%s", cmp.Diff(then, same))
	}
	code, out, _ := ask(t, "", "-f", path, "-o", "json", "--at", "2026-02-01T12:00:00Z")
	if code == exit.Unknown || out == then {
		t.Errorf("--at changes nothing: %d", code)
	}
}

// What looks like a secret in the cluster's words is not shown, and no control characters are.
func TestWords(t *testing.T) {
	in := strings.ReplaceAll(objects(t, "DM103"), "message: ", "message: \"postgres://app:open-sesame@db/app\\u001b[2J\" #")
	if !slices.ContainsFunc(strings.Split(in, "\n"), func(l string) bool { return strings.Contains(l, "sesame") }) {
		t.Fatal("no message was changed")
	}
	for _, output := range []string{"table", "json", "sarif"} {
		if _, out, _ := ask(t, in, "-f", "-", "-o", output); strings.Contains(out, "sesame") || strings.Contains(out, "\x1b") {
			t.Errorf("%s shows it:\n%s", output, out)
		}
	}
}

// Two containers that fail alike are two results, and SARIF tells them apart.
func TestSARIFOfTwoContainers(t *testing.T) {
	pod := `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: team-a, creationTimestamp: "2026-03-02T11:00:00Z"}
spec: {nodeName: n1, containers: [{name: app, image: x}, {name: proxy, image: x}]}
status:
  phase: Running
  containerStatuses:
` + container("app") + container("proxy")
	_, out, errs := ask(t, pod, "-f", "-", "-o", "sarif")
	var got struct {
		Runs []struct {
			Results []struct {
				RuleID              string
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v, %s", err, errs)
	}
	seen := map[string]bool{}
	for _, r := range got.Runs[0].Results {
		for _, print := range r.PartialFingerprints {
			seen[r.RuleID+": "+print] = true
		}
	}
	if !seen["DM103: DM103 Pod/web in team-a app"] || !seen["DM103: DM103 Pod/web in team-a proxy"] {
		t.Errorf("%v", seen)
	}
}

func container(name string) string {
	return `  - {name: ` + name + `, image: x, imageID: "", ready: false, restartCount: 9, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, reason: Error, finishedAt: "2026-03-02T11:58:00Z"}}}
`
}
