package report_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/report"
)

var binding = finding.Object{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding", Name: "help\x1b[2J me"}

var found = []finding.Finding{
	{ID: "X1", Severity: finding.Error, Domain: "roles", Owner: "platform", Object: binding, Message: "user mallory\nholds all",
		Cause:    &finding.Cause{Binding: binding, Subject: "user mallory", Role: finding.Object{Kind: "ClusterRole", Name: "cluster-admin"}, Rule: "* *"},
		Evidence: []finding.Evidence{{Object: binding, Field: "subjects[0]", Value: "mallory"}, {Object: binding}, {Object: binding}, {Object: binding}, {Object: binding}},
		Mend:     finding.Mend{Says: "takes it away", Command: "kubectl delete -f - <<'EOF'\n{}\nEOF"}, Docs: "docs/findings.md#x1"},
	{ID: "X2", Severity: finding.Warning, Owner: "nobody", Object: finding.Object{Kind: "ConfigMap", Namespace: "a/b", Name: "c"}, Message: "m", Mend: finding.Mend{Says: "decide"}},
	{ID: "X2", Severity: finding.Note, Object: binding, Message: "n", Mend: finding.Mend{Says: "nothing"}},
}

func TestText(t *testing.T) {
	var b strings.Builder
	if err := report.Text(&b, found, func(_, text string) string { return text }); err != nil {
		t.Fatal(err)
	}
	want := `error X1  ClusterRoleBinding/help[2J me
         user mallory holds all
  cause  ClusterRoleBinding/help[2J me binds user mallory to ClusterRole/cluster-admin: * *
  seen   ClusterRoleBinding/help[2J me subjects[0] mallory
  seen   ClusterRoleBinding/help[2J me
  seen   ClusterRoleBinding/help[2J me
  seen   ClusterRoleBinding/help[2J me
         and 1 more: -o json has all
  whose  the platform, domain roles
  mend   takes it away
kubectl delete -f - <<'EOF'
{}
EOF
  more   docs/findings.md#x1

warning X2  ConfigMap/c in a/b
         m
  whose  nobody
  mend   decide
  more

note X2  ClusterRoleBinding/help[2J me
         n

`
	if b.String() != want {
		t.Errorf("it prints\n%s\nwant\n%s", b.String(), want)
	}
	if s := report.Summary(found); s != "1 error, 1 warning, 1 note" {
		t.Error(s)
	}
}

// required are the properties that the published schema asks for, of what is written
// here, by where they stand.
var required = map[string][]string{
	"":                       {"version", "runs"},
	"runs":                   {"tool"},
	"runs.tool":              {"driver"},
	"runs.tool.driver":       {"name"},
	"runs.tool.driver.rules": {"id"},
	"runs.tool.driver.rules.shortDescription":     {"text"},
	"runs.tool.driver.rules.fullDescription":      {"text"},
	"runs.tool.driver.rules.help":                 {"text"},
	"runs.invocations":                            {"executionSuccessful"},
	"runs.invocations.toolExecutionNotifications": {"message"},
	"runs.results":                                {"message"},
	"runs.results.message":                        {"text"},
	"runs.results.locations.physicalLocation":     {"artifactLocation"},
}

// oneOf are the values that are one of a few.
var oneOf = map[string][]any{
	"version": {"2.1.0"}, "runs.results.level": {"none", "note", "warning", "error"},
	"runs.invocations.toolExecutionNotifications.level": {"none", "note", "warning", "error"},
}

func TestSARIF(t *testing.T) {
	raw, err := json.Marshal(report.SARIF(report.Run{Tool: "demarc", Version: "1", Findings: found, Unread: []string{"list secrets"},
		Rules: []report.Rule{{ID: "X1", Title: "one", Means: "means one", Docs: "docs#1"}, {ID: "X2", Title: "two", Means: "means two", Docs: "docs#2"}}}))
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	visit(t, "", tree, seen)
	for path := range required {
		if !seen[path] {
			t.Errorf("nothing stands at %q", path)
		}
	}
	run := tree["runs"].([]any)[0].(map[string]any)
	rules := run["tool"].(map[string]any)["driver"].(map[string]any)["rules"].([]any)
	for i, r := range run["results"].([]any) {
		result := r.(map[string]any)
		if rules[int(result["ruleIndex"].(float64))].(map[string]any)["id"] != result["ruleId"] {
			t.Errorf("result %d: its index is that of another rule", i)
		}
	}
	if run["invocations"].([]any)[0].(map[string]any)["executionSuccessful"] != false {
		t.Error("what was not read is no success")
	}
	if text := string(raw); !strings.Contains(text, `"uri":"cluster/a%2Fb/ConfigMap/c"`) {
		t.Error(text)
	}
	for i, r := range rules {
		rule := r.(map[string]any)
		help := rule["help"].(map[string]any)["text"].(string)
		if want := "means " + []string{"one", "two"}[i] + " What mends a finding is in its message. More is in docs#"; !strings.HasPrefix(help, want) {
			t.Errorf("the help is %q, want %q", help, want)
		}
		if _, ok := rule["helpUri"]; ok {
			t.Errorf("%v: nobody knows where the pages are served", rule)
		}
	}
	empty, err := json.Marshal(report.SARIF(report.Run{Tool: "demarc"}))
	if err != nil || !strings.Contains(string(empty), `"results":[]`) || !strings.Contains(string(empty), `"executionSuccessful":true`) {
		t.Errorf("%v: %s", err, empty)
	}
}

func visit(t *testing.T, path string, node any, seen map[string]bool) {
	t.Helper()
	switch x := node.(type) {
	case []any:
		for _, item := range x {
			visit(t, path, item, seen)
		}
	case map[string]any:
		seen[path] = true
		for _, key := range required[path] {
			if _, ok := x[key]; !ok {
				t.Errorf("%q lacks %s", path, key)
			}
		}
		for key, value := range x {
			visit(t, strings.TrimPrefix(path+"."+key, "."), value, seen)
		}
	default:
		if values, ok := oneOf[path]; ok && !slices.Contains(values, node) {
			t.Errorf("%s is %v", path, node)
		}
	}
}

// What is in a file is said to be there, by its line; what is in none of its objects too.
func TestSARIFOfFiles(t *testing.T) {
	for want, f := range map[string]finding.Finding{
		`"message":{"text":"Tenant/a: m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"teams/a%20b.yaml"},"region":{"startLine":7}},"logicalLocations":[{"name":"a",`: {Object: finding.Object{Kind: "Tenant", Name: "a"},
			Places: []finding.Place{{File: "teams/a b.yaml", Line: 7}}},
		`"message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"./c:d.yaml"},"region":{"startLine":1}}}],`: {Places: []finding.Place{{File: "c:d.yaml"}}},
	} {
		f.ID, f.Severity, f.Message = "X1", finding.Error, "m"
		raw, err := json.Marshal(report.SARIF(report.Run{Tool: "demarc", Rules: []report.Rule{{ID: "X1"}}, Findings: []finding.Finding{f}}))
		if err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("%v: %s\nwant %s", err, raw, want)
		}
	}
}

// What reads SARIF takes two results with one fingerprint for one: of an object each part has its
// own, the same at each run, and what is still the same is counted.
func TestSARIFTellsApart(t *testing.T) {
	of := func(parts ...string) (prints []string) {
		t.Helper()
		run := report.Run{Tool: "demarc", Rules: []report.Rule{{ID: "X1"}}}
		for _, p := range parts {
			run.Findings = append(run.Findings, finding.Finding{ID: "X1", Severity: finding.Error, Object: finding.Object{Kind: "Pod", Namespace: "a", Name: "b"}, Part: p, Message: "m"})
		}
		raw, err := json.Marshal(report.SARIF(run))
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Runs []struct {
				Results []struct {
					PartialFingerprints map[string]string
				}
			}
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		for _, r := range got.Runs[0].Results {
			prints = append(prints, r.PartialFingerprints["demarc/v1"])
		}
		return prints
	}
	two, one, none := of("app", "proxy"), of("proxy"), of("", "")
	if two[0] == two[1] || one[0] != two[1] || none[0] == none[1] || none[0] != "X1 Pod/b in a" {
		t.Errorf("%q, of one of them %q, without parts %q", two, one, none)
	}
}
