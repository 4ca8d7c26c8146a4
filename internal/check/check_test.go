package check_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"demarc.dev/demarc/internal/check"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/manifest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Each file of testdata is one question: the manifests, what was before, the settings, rules
// of users' own, and what is said. The team stands in the file team.
func TestCheck(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { golden(t, file) })
	}
}

func golden(t *testing.T, file string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	q := check.Question{At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	var own []manifest.Doc
	want := -1
	for i, f := range archive.Files {
		text := string(f.Data)
		switch f.Name {
		case "team":
			q.Team = strings.TrimSpace(text)
		case "want":
			want = i
		case "rules.yaml":
			own = read(t, f.Name, text)
		case "old.yaml":
			q.Old = manifests(t, f.Name, text)
		case "settings.yaml":
			take(t, &q.Settings, f.Name, text)
		default:
			q.Manifests = append(q.Manifests, manifests(t, f.Name, text)...)
			for _, d := range read(t, f.Name, text) {
				if d.Kind == "CustomResourceDefinition" {
					take(t, &q.Settings, f.Name, text)
				}
			}
		}
	}
	q.Rules = compile(t, own)
	answer, err := check.Check(q)
	if err != nil {
		t.Fatal(err)
	}
	got := said(answer)
	if *update {
		data := txtar.File{Name: "want", Data: []byte(got)}
		if want < 0 {
			archive.Files = append(archive.Files, data)
		} else {
			archive.Files[want] = data
		}
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want < 0 {
		t.Fatalf("no want: go test ./internal/check -update")
	}
	if diff := cmp.Diff(string(archive.Files[want].Data), got); diff != "" {
		t.Errorf("(-want +got); go test ./internal/check -update writes it anew\n%s", diff)
	}
}

// shipped are the rules that come with Demarc, compiled once.
var shipped = sync.OnceValues(func() (*check.Rules, error) { return check.Compile(nil) })

// compile compiles rules of users' own beside the shipped ones.
func compile(t *testing.T, own []manifest.Doc) *check.Rules {
	t.Helper()
	rules, err := shipped()
	if len(own) > 0 {
		rules, err = check.Compile(own)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func read(t *testing.T, name, text string) []manifest.Doc {
	t.Helper()
	docs, err := manifest.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func manifests(t *testing.T, name, text string) (list []check.Manifest) {
	t.Helper()
	for _, d := range read(t, name, text) {
		o, err := admitted.Decode(d.JSON)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, check.Manifest{Object: o, Find: func(path string) (string, int) { return d.File, d.LineOf(path) }})
	}
	return list
}

func take(t *testing.T, s *check.Settings, name, text string) {
	t.Helper()
	for _, d := range read(t, name, text) {
		if _, err := s.Take(d); err != nil {
			t.Fatal(err)
		}
	}
}

// said is an answer as text.
func said(a check.Answer) string {
	var b strings.Builder
	for _, f := range a.Findings {
		for i, p := range f.Places {
			fmt.Fprintf(&b, "%s: %s %s: %s: %s\n", p, f.Severity, f.ID, f.Object, check.Said(f, i))
		}
		if f.Mend.Command != "" {
			fmt.Fprintf(&b, "  mend: %s\n", f.Mend.Command)
		}
	}
	for _, u := range a.Unjudged {
		fmt.Fprintf(&b, "%s: not judged: %s: %s\n", u.Place, u.Object, u.Why)
	}
	fmt.Fprintf(&b, "refused %v, judged %d, of teams %v, of anybody %v, elsewhere %d\n", a.Refused(), a.Judged, a.Teams, a.Anybody, a.Elsewhere)
	return b.String()
}

// A message of a rule is taken apart whatever stands in its values.
func TestSaid(t *testing.T) {
	f := finding.Finding{ID: "x", Message: "x: a is b, c; d, e is , and 1 more; all is well. To ask for an exception: demarc exception request shop --rule x",
		Places: []finding.Place{{Field: "a", Value: "b, c; d"}, {Field: "e", Value: ","}}}
	if got := check.Said(f, 1); got != f.Message { // it is not what the rule would say
		t.Errorf("it says %q", got)
	}
	f.Message = strings.Replace(f.Message, " and 1 more", "", 1)
	if got := check.Said(f, 1); got != "e is ,; all is well" {
		t.Errorf("it says %q", got)
	}
	if got := check.Exception(f); got != "demarc exception request shop --rule x" {
		t.Errorf("it asks by %q", got)
	}
	if got := check.Said(finding.Finding{Message: "anything", Places: []finding.Place{{}}}, 0); got != "anything" {
		t.Errorf("it says %q", got)
	}
}

// What is wrong with rules of users' own is said, each with its place.
func TestCompileNames(t *testing.T) {
	docs := read(t, "own.yaml", `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: own}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  variables: [{name: v, expression: "1 +"}]
  validations: [{expression: "objekt.x"}, {expression: "'text'"}, {expression: "true", messageExpression: "1"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: lost}
spec: {policyName: nowhere, validationActions: [Deny]}
`)
	_, err := check.Compile(docs)
	if err == nil {
		t.Fatal("it compiles")
	}
	for _, part := range []string{"own: spec.variables[0].expression", "undeclared reference to 'objekt'", "must evaluate to bool", "messageExpression", "lost: there is no policy nowhere"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("it does not say %q: %v", part, err)
		}
	}
	_, err = check.Compile(read(t, "own.yaml", "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: own}\nspec:\n  validatons: []\n"))
	if err == nil || !strings.Contains(err.Error(), "own.yaml:5: document 1: ValidatingAdmissionPolicy own: spec.validatons: there is no such field") {
		t.Errorf("of a field that there is not it says %v", err)
	}
}
