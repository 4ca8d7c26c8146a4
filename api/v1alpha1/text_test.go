package v1alpha1_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// unwanted move a cursor, hide or reorder what stands beside them, or make a document
// that no YAML parser reads.
var unwanted = []rune{0, '\a', '\t', '\n', '\r', 0x1b, 0x7f, 0x85, 0x9b, 0x61c, 0x200e, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069, 0xfeff, 0xffff}

// others are texts with a rule of their own, or none of ours: what a container is started
// with is the team's, and names of its objects are judged where these are used.
var others = map[string]bool{
	"ServiceClaim.team":      true, // a name or nothing, which has a message of its own
	"ServiceClaim.env.name":  true,
	"ServiceClaim.env.value": true,
	"ServiceClaim.command":   true, "ServiceClaim.args": true, "ServiceClaim.files.content": true, "ServiceClaim.probes.startup.exec.command": true,
	"ServiceClaim.probes.readiness.exec.command": true, "ServiceClaim.probes.liveness.exec.command": true,
	"ServiceClaim.env.valueFrom.secretKeyRef.name": true, "ServiceClaim.env.valueFrom.secretKeyRef.key": true,
	"ServiceClaim.env.valueFrom.configMapKeyRef.name": true, "ServiceClaim.env.valueFrom.configMapKeyRef.key": true,
}

// TestTextHasARule: every text that a person writes into these kinds has a rule by which
// the API server refuses what is unwanted.
func TestTextHasARule(t *testing.T) {
	found := 0
	for _, kind := range []string{"AccessGrant", "BudgetRequest", "Platform", "ServiceClaim", "Tenant"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "charts", "demarc", "crds", "demarc.dev_"+strings.ToLower(kind)+"s.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(text, &crd); err != nil {
			t.Fatal(err)
		}
		texts(kind, crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"], nil, func(path string, rules apiextensionsv1.ValidationRules) {
			found++
			for _, r := range unwanted {
				if !others[path] && !refuses(rules, "a"+string(r)+"b") {
					t.Errorf("%s takes %U: give it the rule of AccessGrant.spec.reason", path, r)
				}
			}
		})
	}
	if found < 30 {
		t.Errorf("only %d texts were looked at", found)
	}
}

// texts visits every string in a schema that takes what a person writes.
func texts(path string, s apiextensionsv1.JSONSchemaProps, above apiextensionsv1.ValidationRules, visit func(string, apiextensionsv1.ValidationRules)) {
	switch {
	case s.Type == "string" && len(s.Enum) == 0 && s.Format == "":
		if s.Pattern != "" {
			above = append(above, apiextensionsv1.ValidationRule{Rule: "self.matches(r'" + s.Pattern + "')"})
		}
		visit(path, append(above, s.XValidations...))
	case s.Type == "array":
		texts(path, *s.Items.Schema, s.XValidations, visit)
	default:
		for name, p := range s.Properties {
			texts(path+"."+name, p, nil, visit)
		}
	}
}

// matched is a rule that begins with a pattern which the whole text, or each, must match.
var matched = regexp.MustCompile(`^self(?:\.all\(\w, \w)?\.matches\(r?'((?:[^'])+)'\)`)

func refuses(rules apiextensionsv1.ValidationRules, text string) bool {
	for _, rule := range rules {
		m := matched.FindStringSubmatch(rule.Rule)
		if m == nil || strings.Contains(rule.Rule, "||") {
			continue
		}
		pattern := m[1]
		if !strings.Contains(rule.Rule, "r'") { // CEL takes the backslashes of the other kind away
			pattern = strings.ReplaceAll(pattern, `\\`, `\`)
		}
		if !regexp.MustCompile(pattern).MatchString(text) {
			return true
		}
	}
	return false
}

// TestText: the API server itself refuses it, wherever it stands in a text.
func TestText(t *testing.T) {
	for field, format := range map[string]string{
		"why":        "kind: AccessGrant\nmetadata: {name: text}\nspec: {team: t, role: view, requestedBy: ana, duration: 1h, user: ana, reason: %q}",
		"whom":       "kind: AccessGrant\nmetadata: {name: text}\nspec: {team: t, role: view, requestedBy: ana, duration: 1h, user: %q, reason: r}",
		"by":         "kind: AccessGrant\nmetadata: {name: text}\nspec: {team: t, role: view, requestedBy: %q, duration: 1h, group: g, reason: r}",
		"sale":       "kind: BudgetRequest\nmetadata: {name: text}\nspec: {team: t, requestedBy: ana, resources: {cpu: 4}, reason: %q}",
		"channel":    "kind: Tenant\nmetadata: {name: text}\nspec: {contacts: {channel: %q}}",
		"on call":    "kind: Tenant\nmetadata: {name: text}\nspec: {contacts: {onCall: %q}}",
		"escalation": "kind: Platform\nmetadata: {name: default}\nspec: {team: {contacts: {escalation: %q}}}",
		"owners":     "kind: Platform\nmetadata: {name: default}\nspec: {team: {contacts: {codeOwners: [%q]}}}",
		"groups":     "kind: Platform\nmetadata: {name: default}\nspec: {team: {groups: [%q]}}",
	} {
		for _, r := range unwanted {
			for _, text := range []string{"https://a@b" + string(r) + "c", string(r) + "https://a@b", "https://a@b" + string(r)} {
				u := object(t, strings.ReplaceAll(format, "%q", quoted(text)))
				err := api.Create(context.Background(), u)
				if err == nil {
					_ = api.Delete(context.Background(), u)
				}
				if err == nil || !strings.Contains(err.Error(), "control characters and marks") {
					t.Errorf("%s: %q: %v; want it refused", field, text, err)
				}
			}
		}
	}
}

// quoted writes a text as a YAML string in which every rune is spelled.
func quoted(text string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, `\U%08X`, r)
	}
	return `"` + b.String() + `"`
}
