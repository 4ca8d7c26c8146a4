package contract

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	shipped "demarc.dev/demarc/internal/contract"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	agreed = "testdata/contract.yaml"
	people = "testdata/people.yaml"
)

// run runs the verb as its command line would; whoever asks for a cluster fails.
func run(stdin string, args ...string) (stdout, stderr string, err error) {
	var out, errOut bytes.Buffer
	f := factory.New("demarc", factory.IO{In: strings.NewReader(stdin), Out: &out, ErrOut: &errOut})
	f.Config, f.Client, f.Discovery = nil, nil, nil
	cmd := NewCmdContract(f)
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err = cmd.Execute()
	return out.String(), errOut.String(), err
}

func read1(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fresh is what a cluster holds on which Demarc was installed just now.
const fresh = `apiVersion: v1
kind: List
items:
- apiVersion: demarc.dev/v1alpha1
  kind: Platform
  metadata: {name: default, uid: u}
  spec: {}
- {apiVersion: demarc.dev/v1alpha1, kind: Tenant, metadata: {name: payments}, spec: {resources: {pods: 5}}}
- {apiVersion: demarc.dev/v1alpha1, kind: Tenant, metadata: {name: shop}, spec: {}}
`

// lost are teams whose channels are there and cannot be sent to.
const lost = `apiVersion: demarc.dev/v1alpha1
kind: Tenant
metadata: {name: a}
spec:
  contacts: {channel: "https://user:pass@x.example/y"}
---
kind: Tenant
apiVersion: demarc.dev/v1alpha1
metadata: {name: b}
spec: {contacts: {channel: "https://hooks.slack.com` + `/services/T0000/B0000/XXXX"}}
---
kind: Tenant
apiVersion: demarc.dev/v1alpha1
metadata: {name: c}
spec: {contacts: {channel: "#{{.X}}"}}
---
kind: Tenant
apiVersion: demarc.dev/v1alpha1
metadata: {name: d}
spec: {contacts: {channel: "https:// x"}}
`

func TestLint(t *testing.T) {
	bad := strings.Replace(read1(t, agreed), "paged: team", "paged: everyone", 1)
	cases := map[string]struct {
		stdin, out, err string
		args            []string
		code            int
	}{
		"the shipped one": {args: []string{"../../contract/default.yaml"}, out: "0 refused, 0 warnings, 0 notes\n"},
		"the examples": {args: []string{"../../../examples/teams.yaml", "--strict"}, out: "note: Platform default: it is not among the files|0 refused, 0 warnings, 2 notes\n",
			err: "note: there is no OwnershipContract among the files: the one that comes with Demarc is checked\n"},
		"one that leaves kinds out": {args: []string{agreed}, out: agreed + ":13: warning: OwnershipContract default: spec.domains: no domain covers Secret, |" +
			"\n0 refused, 1 warning, 0 notes\n"},
		"strictly":              {args: []string{agreed, "--strict"}, code: 1, out: "0 refused, 1 warning, 0 notes\n"},
		"refused":               {args: []string{"-"}, stdin: bad, code: 1, out: `standard input:32: OwnershipContract default: spec.domains[1].paged: "everyone" is no answer|1 refused, 1 warning`},
		"people without reach":  {args: []string{people, agreed}, out: people + ":39: warning: Tenant legacy: spec.contacts.channel: the team is paged and has no channel|0 refused, 4 warnings"},
		"people alone":          {args: []string{people}, out: "0 refused, 3 warnings", err: "note: there is no OwnershipContract among the files: the one that comes with Demarc is checked\n"},
		"no such file":          {args: []string{"testdata/gone.yaml", agreed}, code: 2},
		"nothing of it":         {args: []string{"-"}, stdin: "kind: ConfigMap\napiVersion: v1\n", code: 2},
		"no YAML":               {args: []string{"-"}, stdin: "a: b: c\n", code: 1, out: "standard input:1: this is no YAML"},
		"unreadable in a file":  {args: []string{"-"}, stdin: strings.Replace(bad, "unlisted:", "unlistd:", 1), code: 1, out: "standard input:7: OwnershipContract default: spec.unlistd: there is no such field\n1 refused"},
		"text that moves about": {args: []string{"-"}, stdin: strings.Replace(bad, "everyone", `"\e[2J\u202e"`, 1), code: 1, out: "1 refused"},
		"the same file twice":   {args: []string{agreed, agreed}, code: 1, out: "it stands in " + agreed + " too, line 2: one of the two is to go"},
		"no file":               {code: 2},
		"another form":          {args: []string{agreed, "-o", "table"}, code: 2},
		"a form left empty":     {args: []string{agreed, "-o", ""}, code: 2},
		"as YAML":               {args: []string{agreed, "-o", "yaml"}, out: "severity: warning\nsound: true\ntaken: true\n"},
		"nobody named yet": {args: []string{"-"}, stdin: fresh, code: 1, err: "note: there is no OwnershipContract among the files: the one that comes with Demarc is checked\n",
			out: "standard input:7: Platform default: spec.team.groups: the contract answers platform|4 refused (0 of what is written, 4 of who is behind it), |" +
				"\nThe contract itself can be taken: what is missing is people, or a way to reach them"},
		"nobody named, and refused": {args: []string{"-"}, stdin: fresh + "---\n" + bad, code: 1, out: "5 refused (1 of what is written, 4 of who is behind it), "},
		"alerts that are lost": {args: []string{agreed, "-"}, stdin: lost, out: "standard input:5: warning: Tenant a: spec.contacts.channel: the team is paged, and its channel holds a secret, |" +
			"standard input:10: warning: Tenant b: spec.contacts.channel: the team is paged, and its channel holds a secret, |" +
			"standard input:15: warning: Tenant c: spec.contacts.channel: the team is paged, and its channel holds {{, which Alertmanager would take for a template: alerts for it are sent nowhere; name another\n|" +
			"standard input:20: warning: Tenant d: spec.contacts.channel: the team is paged, and its channel holds a blank |0 refused, "},
		"a kind that is none":     {args: []string{"-"}, stdin: strings.Replace(read1(t, agreed), "kind: OwnershipContract", "kind: OwnershipContrac", 1), code: 2},
		"a kind among others":     {args: []string{people, "-"}, stdin: strings.Replace(read1(t, agreed), "kind: OwnershipContract", "kind: OwnershipContrac", 1), code: 1, out: "standard input:3: OwnershipContrac default: kind: demarc.dev has no kind OwnershipContrac: did you mean OwnershipContract?"},
		"a group that is another": {args: []string{people, "-"}, stdin: strings.Replace(read1(t, agreed), "demarc.dev/v1alpha1", "demarc.io/v1alpha1", 1), code: 1, out: "OwnershipContract is not of demarc.dev: set demarc.dev/v1alpha1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out, errOut, err := run(c.stdin, append([]string{"lint"}, c.args...)...)
			if got := exit.Code(err); got != c.code && err != nil || err == nil && c.code != 0 {
				t.Errorf("it ends with %d (%v), want %d", got, err, c.code)
			}
			for _, want := range strings.Split(c.out, "|") {
				if !strings.Contains(out, want) {
					t.Errorf("it prints\n%s\nwant\n%s", out, want)
				}
			}
			if errOut != c.err || strings.ContainsAny(out, "\x1b\u202e") || c.code == 2 && out != "" {
				t.Errorf("it prints %q, and says %q, want %q", out, errOut, c.err)
			}
		})
	}
}

func TestLintJSON(t *testing.T) {
	out, _, err := run(strings.Replace(read1(t, agreed), "paged: team", "paged: everyone", 1), "lint", "-", "-o", "json")
	var got struct {
		Sound    bool
		Problems []shipped.Problem
	}
	if exit.Code(err) != exit.No || json.Unmarshal([]byte(out), &got) != nil || got.Sound || len(got.Problems) != 2 ||
		got.Problems[1].Line != 32 || got.Problems[1].Path != "spec.domains[1].paged" || got.Problems[1].Severity != shipped.Refused {
		t.Errorf("it ends with %v and prints\n%s", err, out)
	}
	if out, _, err := run("", "lint", "../../contract/default.yaml", "-o", "json"); err != nil || !strings.Contains(out, `"problems": []`) {
		t.Errorf("it ends with %v and prints\n%s", err, out)
	}
}

// Every problem is a result with the line where it stands.
func TestLintSARIF(t *testing.T) {
	out, _, err := run(fresh, "lint", agreed, "-", "-o", "sarif")
	if exit.Code(err) != exit.No {
		t.Errorf("it ends with %v", err)
	}
	var got struct {
		Runs []struct {
			Results []struct {
				RuleID, Level string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Runs) != 1 {
		t.Fatal(err, out)
	}
	seen := map[string]int{}
	for _, r := range got.Runs[0].Results {
		at := r.Locations[0].PhysicalLocation
		seen[strings.Join([]string{r.RuleID, r.Level, at.ArtifactLocation.URI}, " ")] = at.Region.StartLine
	}
	for key, line := range map[string]int{"CL003 warning testdata/contract.yaml": 13, "CL002 error standard%20input": 9} {
		if seen[key] != line {
			t.Errorf("%s stands in line %d, want %d", key, seen[key], line)
		}
	}
}

// Files in which nothing of it stands make no other contract, and nothing is written.
func TestRenderNothing(t *testing.T) {
	contract := read1(t, agreed)
	for name, c := range map[string]struct{ stdin, says string }{
		"an empty file":    {"", "there is no OwnershipContract, no Platform and no Tenant in what was read"},
		"an empty list":    {"apiVersion: v1\nkind: List\nitems: []\n", "there is no OwnershipContract"},
		"another kind":     {"kind: ConfigMap\napiVersion: v1\n", "passed over, since neither contract, Platform nor Tenant: 1 ConfigMap"},
		"a slip in a kind": {strings.Replace(contract, "kind: OwnershipContract", "kind: OwnershipContrac", 1), "standard input:3: OwnershipContrac default: kind: demarc.dev has no kind OwnershipContrac: did you mean OwnershipContract?"},
		"no group":         {strings.Replace(contract, "demarc.dev/v1alpha1", "v1alpha1", 1), "OwnershipContract is not of demarc.dev: set demarc.dev/v1alpha1"},
	} {
		dir := t.TempDir()
		for _, args := range [][]string{{"render", "-f", "-", "--out", dir}, {"render", "-f", "-"}, {"lint", "-"}} {
			out, _, err := run(c.stdin, args...)
			if exit.Code(err) != exit.Unknown || out != "" || !strings.Contains(exit.Text(err), c.says) || len(tree(t, dir)) > 0 {
				t.Errorf("%s: %q prints %q and ends with %v, want %s", name, args, out, err, c.says)
			}
		}
	}
	if out, _, err := run(strings.Replace(contract, "OwnershipContract", "OwnershipContrac", 1), "render", "-f", people, "-f", "-"); exit.Code(err) != exit.No || out != "" {
		t.Errorf("with people beside it: %q, %v", out, err)
	}
}

// What a fresh cluster holds can be rendered, and what comes to nothing is said.
func TestRenderFresh(t *testing.T) {
	dir := t.TempDir()
	_, errs, err := run(fresh, "render", "-f", "-", "--out", dir)
	if err != nil || len(tree(t, dir)) != 8 {
		t.Errorf("it ends with %v and writes %v", err, tree(t, dir))
	}
	for _, want := range []string{"note: there is no OwnershipContract among the files: the one that comes with Demarc is rendered\n",
		"standard input:7: warning: Platform default: spec.team.groups: ", "standard input:8: warning: Tenant payments: spec.contacts: the contract answers team"} {
		if !strings.Contains(errs, want) {
			t.Errorf("it says\n%s\nwithout %q", errs, want)
		}
	}
	_, errs, err = run(lost, "render", "-f", agreed, "-f", "-", "--only", "alertmanager")
	if err != nil || strings.Count(errs, "alerts for it are sent nowhere") != 4 || !strings.Contains(errs, "receiver platform of alertmanager.yaml sends nothing") {
		t.Errorf("it ends with %v and says\n%s", err, errs)
	}
	_, errs, err = run("", "render", "-f", agreed, "--only", "alertmanager")
	if err != nil || !strings.Contains(errs, "no receiver of alertmanager.yaml sends anything") {
		t.Errorf("it ends with %v and says\n%s", err, errs)
	}
}

// All that is compiled from a small contract with its people, file by file.
func TestRenderGolden(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := run("", "render", "-f", agreed, "-f", people, "--out", dir); err != nil {
		t.Fatal(err)
	}
	got := tree(t, dir)
	const golden = "testdata/golden"
	if *update {
		if err := os.RemoveAll(golden); err != nil {
			t.Fatal(err)
		}
		for path, text := range got {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(golden, path)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(golden, path), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(tree(t, golden), got); diff != "" {
		t.Errorf("(-want +got); if that is meant: go test ./internal/cli/contract -update\n%s", diff)
	}
	if got["contract.yaml"] != read1(t, agreed) {
		t.Error("contract.yaml is not what was written: its comments are lost")
	}
}

// tree is every file below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = read1(t, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The order of the files makes no difference, nor does a second run.
func TestRenderIsTheSame(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	first, _, err := run("", "render", "-f", agreed, "-f", people, "--out", one)
	if err != nil || strings.Count(first, "wrote ") != len(tree(t, one)) {
		t.Fatal(first, err)
	}
	again, _, err := run("", "render", "-f", filepath.Join(one, "contract.yaml"), "-f", people, "--out", one)
	if err != nil || strings.Contains(again, "wrote ") {
		t.Errorf("a second run: %v\n%s", err, again)
	}
	if _, _, err := run("", "render", "-f", people, "-f", agreed, "--out", two); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree(t, one), tree(t, two)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What is printed is what would be written.
func TestRenderOnly(t *testing.T) {
	for only, file := range map[string]string{
		"contract": "contract.yaml", "roles": "clusterroles.yaml", "projects": "appproject-kinds.yaml", "alertmanager": "alertmanager.yaml", "matrix": "matrix.md",
	} {
		out, _, err := run("", "render", "-f", agreed, "-f", people, "--only", only)
		if diff := cmp.Diff(read1(t, "testdata/golden/"+file), out); diff != "" || err != nil {
			t.Errorf("--only %s: %v (-want +got)\n%s", only, err, diff)
		}
	}
	out, _, err := run("", "render", "-f", agreed, "-f", people, "--only", "codeowners")
	if want := read1(t, "testdata/golden/codeowners/platform/CODEOWNERS") + read1(t, "testdata/golden/codeowners/application/CODEOWNERS"); out != want || err != nil {
		t.Errorf("%v\n%s", err, cmp.Diff(want, out))
	}
	if out, _, err := run("", "render"); err != nil || strings.TrimSpace(out) != strings.TrimSpace(string(shipped.Shipped())) {
		t.Errorf("without anything: %v\n%s", err, cmp.Diff(string(shipped.Shipped()), out))
	}
	if _, _, err := run("", "render", "--only", "everything"); exit.Code(err) != exit.Unknown {
		t.Errorf("an unknown kind: %v", err)
	}
}

// A contract as a cluster gives it becomes one that can be kept in Git.
func TestRenderLive(t *testing.T) {
	live := `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"demarc.dev/v1alpha1","kind":"OwnershipContract",
	"metadata":{"name":"default","uid":"u","resourceVersion":"7"},"status":{"conditions":[]},"spec":{"unlisted":"team","domains":[
	{"name":"a","creates":"team","modifies":"team","approves":"team","monitors":"team","paged":"team","deletes":"team","changePath":"git"}]}}]}`
	out, _, err := run(live, "render", "-f", "-")
	want := "apiVersion: demarc.dev/v1alpha1\nkind: OwnershipContract\nmetadata:\n  name: default\nspec:\n  domains:\n  - approves: team\n    changePath: git\n" +
		"    creates: team\n    deletes: team\n    modifies: team\n    monitors: team\n    name: a\n    paged: team\n  unlisted: team\n"
	if diff := cmp.Diff(want, out); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

// Whoever else is to answer for one domain, every file that is compiled shows it.
func TestOneDomainChangesAll(t *testing.T) {
	head, tail, _ := strings.Cut(read1(t, agreed), "    - name: workloads")
	changed := head + "    - name: workloads" + strings.ReplaceAll(strings.Replace(tail, "changePath: both", "changePath: both\n      decision: meeting", 1), ": team", ": shared")
	before, after := t.TempDir(), t.TempDir()
	if _, _, err := run("", "render", "-f", agreed, "-f", people, "--out", before); err != nil {
		t.Fatal(err)
	}
	if _, _, err := run(changed, "render", "-f", "-", "-f", people, "--out", after); err != nil {
		t.Fatal(err)
	}
	is := tree(t, after)
	for path, was := range tree(t, before) {
		if same := is[path] == was; same != (path == "codeowners/platform/CODEOWNERS") {
			t.Errorf("%s is the same: %v", path, same)
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	dir := t.TempDir()
	out, _, err := run(strings.Replace(read1(t, agreed), "paged: team", "paged: everyone", 1), "render", "-f", "-", "--out", dir)
	if exit.Code(err) != exit.No || out != "" || !strings.Contains(exit.Text(err), `standard input:32: OwnershipContract default: spec.domains[1].paged: "everyone"`) {
		t.Errorf("it prints %q and ends with %v", out, err)
	}
	if left := tree(t, dir); len(left) > 0 {
		t.Errorf("it writes %v all the same", left)
	}
}

// A file that somebody else wrote is left alone, and then nothing is written at all.
func TestRenderOverwritesItsOwnAlone(t *testing.T) {
	for name, foreign := range map[string]struct{ path, says string }{
		"a file of that name":  {"codeowners/platform/CODEOWNERS", "was not made by this command"},
		"a contract in work":   {"contract.yaml", "is another contract than the one that is rendered: name it with -f"},
		"a file begun by hand": {"matrix.svg", "was not made by this command"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, filepath.FromSlash(foreign.path))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			const mine = "mine\n# Made by demarc contract render\n"
			if err := os.WriteFile(path, []byte(mine), 0o644); err != nil {
				t.Fatal(err)
			}
			out, _, err := run("", "render", "-f", agreed, "--out", dir)
			if exit.Code(err) != exit.No || out != "" || !strings.Contains(exit.Text(err), path+" "+foreign.says) {
				t.Errorf("it prints %q and ends with %v", out, err)
			}
			if diff := cmp.Diff(map[string]string{foreign.path: mine}, tree(t, dir)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if _, _, err := run("", "render", "-f", agreed, "--out", dir, "--force"); err != nil {
				t.Error(err)
			}
			if got := tree(t, dir); len(got) != 8 || got[foreign.path] == mine {
				t.Errorf("by force it leaves %d files", len(got))
			}
		})
	}
}

// What was made before is made anew, and others' files stay.
func TestRenderAgain(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.md"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := run("", "render", "-f", agreed, "--out", dir, "--only", "matrix"); err != nil {
		t.Fatal(err)
	}
	out, _, err := run(strings.Replace(read1(t, agreed), "paged: team", "paged: shared\n      decision: meeting", 1), "render", "-f", "-", "--out", dir, "--only", "matrix")
	if err != nil || strings.Count(out, "wrote ") != 2 {
		t.Errorf("%v\n%s", err, out)
	}
	if got := tree(t, dir); len(got) != 3 || got["notes.md"] != "mine" || !strings.Contains(got["matrix.md"], "| team | shared | team |") {
		t.Errorf("it leaves\n%v", got)
	}
	info, err := os.Stat(filepath.Join(dir, "matrix.md"))
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// A folder in the place of a file is nobody's to remove.
func TestRenderNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "alertmanager.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, err := run("", "render", "--out", dir, "--force"); exit.Code(err) != exit.No || !strings.Contains(exit.Text(err), "alertmanager.yaml is no file") {
		t.Errorf("it ends with %v", err)
	}
	if left := tree(t, dir); len(left) > 0 {
		t.Errorf("it writes %v all the same", left)
	}
}
