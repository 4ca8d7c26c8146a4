package who_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/who"
)

func TestParseAlert(t *testing.T) {
	cases := map[string]map[string]string{
		`{alertname="X",namespace="y"}`:           {"alertname": "X", "namespace": "y"},
		` { a = "1" , b="2", } `:                  {"a": "1", "b": "2"},
		`a="1"`:                                   {"a": "1"},
		`{a="br}ace, \"quote\", \\ and \n line"}`: {"a": "br}ace, \"quote\", \\ and \n line"},
		`{"with.dot"="1"}`:                        {"with.dot": "1"},
		`{a="größe"}`:                             {"a": "größe"},
	}
	for text, want := range cases {
		got, err := who.ParseAlert(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"", "{}", "{", `{a="1"`, `{a=1}`, `{a="1" b="2"}`, `{a="1",a="2"}`, `{a="1"} 5`, `a="1"} 5 {b="2"`, `a="1"} 5 7`,
		"{a=\"1\"}\n{b=\"2\"}", `{a="1"}{b="2"}`, `{="1"}`, `up{a="1"}`, `{"up",a="1"}`, `{a="\x"}`, `{"a":"b"}`, `{a=~"1"}`, "{a=\"\xff\"}"} {
		if got, err := who.ParseAlert(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

// Whatever is given, it ends in labels or in an error, and labels written again are the
// same.
func FuzzParseAlert(f *testing.F) {
	for _, seed := range []string{`{alertname="X",namespace="y"}`, `a="1"} 5`, `{"a b"="\n"}`, `{a="}"}`, "{a=\"\r\"}", `{a="1",}`, "#", `{le="1",quantile="x"}`} {
		f.Add(seed)
	}
	quote := strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	f.Fuzz(func(t *testing.T, text string) {
		labels, err := who.ParseAlert(text)
		if err != nil {
			return
		}
		if len(labels) == 0 {
			t.Fatalf("%q gives no label and no error", text)
		}
		var pairs []string
		for name, value := range labels {
			pairs = append(pairs, `"`+quote.Replace(name)+`"="`+quote.Replace(value)+`"`)
		}
		again, err := who.ParseAlert("{" + strings.Join(pairs, ",") + "}")
		if err != nil || !maps.Equal(labels, again) {
			t.Errorf("%q gives %q, and that again %q, %v", text, labels, again, err)
		}
		who.Decide(&snapshot.Set{}, who.Question{From: who.FromNothing, Alert: labels})
	})
}

func TestParseField(t *testing.T) {
	for text, want := range map[string]string{
		"spec.replicas":                       "spec.replicas",
		".spec.replicas":                      "spec.replicas",
		"spec.containers[0].image":            "spec.containers.image",
		"spec.containers[name=web].image":     "spec.containers.image",
		"spec.containers[*].resources":        "spec.containers.resources",
		`metadata.labels["example.com/a]"]`:   "metadata.labels.example.com/a]",
		`metadata.annotations.example\.com/a`: "metadata.annotations.example.com/a",
		"a[0][1]":                             "a",
	} {
		f, err := who.ParseField(text)
		if err != nil || f.Contract() != want || f.String() != text {
			t.Errorf("%s: %q %v, want %q", text, f.Contract(), err, want)
		}
	}
	for _, text := range []string{"", ".", "..", "spec.", ".spec..x", "a[", "a[]", "a]b[", "a[0]b", `a["x]`, `a[""]`, "a.[0]", "a\x1b", "a[\x00]",
		strings.Repeat("a", 1025), strings.Repeat("a.", 70) + "a"} {
		if f, err := who.ParseField(text); err == nil && text != "a]b[" {
			t.Errorf("%q is taken for %q", text, f.Contract())
		}
	}
}

func FuzzParseField(f *testing.F) {
	for _, seed := range []string{"spec.replicas", `a["b"][0].c[d=e]`, `a\.b`, "[0]", `["`, "a[*]"} {
		f.Add(seed)
	}
	set := &snapshot.Set{}
	f.Fuzz(func(t *testing.T, text string) {
		field, err := who.ParseField(text)
		if err != nil {
			return
		}
		o, _ := who.ParseKind("deployment", set)
		who.Decide(set, who.Question{From: who.FromNothing, Object: &o, Field: field})
	})
}

func TestPaths(t *testing.T) {
	for path, want := range map[string]string{
		"payments/app.yaml":         "application-deployment payments",
		"payments/rbac/role.yaml":   "application-rbac payments",
		"tenants/payments.yaml":     "namespace-creation ",
		"nodes/pool.yaml":           "node-pools ",
		"./policies//deny/all.yaml": "security-policies ",
		"platform/x.yaml":           "unlisted ", // no team may have that name
		"README.md":                 "unlisted ",
		"Payments/x.yaml":           "unlisted ",
	} {
		clean, err := who.ParsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		a := who.Decide(&snapshot.Set{}, who.Question{From: who.FromNothing, File: &who.File{Path: clean}}).Answer
		if got := a.Domain.Name + " " + a.Team; got != want {
			t.Errorf("%s is of %q, want %q", path, got, want)
		}
	}
	for _, path := range []string{"", "/", ".", "../x", "a/../../b", "a\x00b", "a\nb"} {
		if clean, err := who.ParsePath(path); err == nil {
			t.Errorf("%q is taken for %q", path, clean)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, file, team string
		lies                bool
	}{
		{"/a/", "a/b/c", "", true},
		{"/a/", "b/a/c", "", false},
		{"/a/", "a", "", false},
		{"a/", "b/a/c", "", true},
		{"/a", "a", "", true},
		{"/a", "a/b", "", true},
		{"/a", "ab", "", false},
		{"/a/*", "a/b", "", true},
		{"/a/*", "a/b/c", "", false},
		{"/a/**", "a/b/c", "", true},
		{"/a/**/z.yaml", "a/z.yaml", "", true},
		{"/a/**/z.yaml", "a/b/c/z.yaml", "", true},
		{"*.yaml", "deep/x.yaml", "", true},
		{"/*.yaml", "deep/x.yaml", "", false},
		{"/", "any", "", true},
		{"*", "any/where", "", true},
		{"/teams/{team}/", "teams/shop/x", "shop", true},
		{"/{team}-config/", "shop-config/x", "shop", true},
		{"/{team}/{team}.yaml", "shop/shop.yaml", "shop", true},
		{"/{team}/{team}.yaml", "shop/other.yaml", "", false},
		{"/{team}/", "-shop/x", "", false},
		{"/a.b/", "axb/c", "", false},
		{"/a?/", "ab/c", "", true},
	} {
		if team, ok := who.Lies(c.file, c.pattern); ok != c.lies || team != c.team {
			t.Errorf("%s in %s: %v %q, want %v %q", c.file, c.pattern, ok, team, c.lies, c.team)
		}
	}
}
