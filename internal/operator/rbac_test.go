package operator

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/triage"
)

// operatorRules reads the ClusterRole of the chart. Only its metadata is templated.
func operatorRules(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	text, err := os.ReadFile("../../charts/demarc/templates/rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	document, _, _ := bytes.Cut(text, []byte("\n---\n"))
	var lines []string
	for _, line := range strings.Split(string(document), "\n") {
		if !strings.Contains(line, "{{") {
			lines = append(lines, line)
		}
	}
	var role rbacv1.ClusterRole
	if err := yaml.Unmarshal([]byte(strings.Join(lines, "\n")), &role); err != nil {
		t.Fatal(err)
	}
	return role.Rules
}

func allows(rules []rbacv1.PolicyRule, group, resource, name, verb string) bool {
	return slices.ContainsFunc(rules, func(r rbacv1.PolicyRule) bool {
		return slices.Contains(r.APIGroups, group) && slices.Contains(r.Resources, resource) && slices.Contains(r.Verbs, verb) &&
			(len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, name))
	})
}

// The operator's ClusterRole names what it needs and no more.
func TestOperatorRole(t *testing.T) {
	rules := operatorRules(t)
	for _, r := range rules {
		for _, list := range [][]string{r.APIGroups, r.Resources, r.Verbs} {
			if slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "*") }) {
				t.Errorf("a '*' in %v", r)
			}
		}
		if slices.Contains(r.Resources, "secrets") || slices.Contains(r.Verbs, "impersonate") {
			t.Errorf("it holds %v", r)
		}
		if (slices.Contains(r.Verbs, "bind") || slices.Contains(r.Verbs, "escalate")) && len(r.ResourceNames) == 0 {
			t.Errorf("bind or escalate on every role: %v", r)
		}
	}
	for _, role := range contract.Default().Roles() {
		for _, verb := range []string{"bind", "create", "escalate", "patch"} {
			if !allows(rules, "rbac.authorization.k8s.io", "clusterroles", role.Name, verb) {
				t.Errorf("it may not %s %s", verb, role.Name)
			}
		}
	}
	if allows(rules, "rbac.authorization.k8s.io", "clusterroles", "cluster-admin", "bind") {
		t.Error("it may bind cluster-admin")
	}
}

// What a claim may have delivered can be read when it is deleted, Secrets and ConfigMaps apart.
func TestOperatorReadsWhatGitMayDeliver(t *testing.T) {
	rules := operatorRules(t)
	for _, k := range contract.Default().Deliverable(true) {
		if k.Resource != "secrets" && k.Resource != "configmaps" && !allows(rules, k.Group, k.Resource, "any", "get") {
			t.Errorf("it may not get %s in group %q", k.Resource, k.Group)
		}
	}
}

// What runs on an exception that ended can be looked for, whichever rule it was from.
func TestOperatorListsWhatRulesJudge(t *testing.T) {
	rules := operatorRules(t)
	for target, kinds := range guardrail.Targets {
		for _, k := range kinds {
			for _, resource := range k.Resources {
				if resource == "secrets" || resource == "configmaps" || strings.Contains(resource, "/") {
					continue
				}
				if !allows(rules, k.APIGroups[0], resource, "any", "list") {
					t.Errorf("it may not list %s, which rules about %s judge", resource, target)
				}
			}
		}
	}
}

// Triage looks at all of its kinds but one: a right to list Secrets is a right to their values.
func TestOperatorListsWhatTriageLooksAt(t *testing.T) {
	rules := operatorRules(t)
	for _, k := range triage.Kinds {
		guess, _ := meta.UnsafeGuessKindToResource(k.WithVersion("v1"))
		resource := strings.Replace(guess.Resource, "gatewaies", "gateways", 1)
		if may := allows(rules, k.Group, resource, "any", "list"); may == (resource == "secrets") {
			t.Errorf("it may list %s in group %q: %v", resource, k.Group, may)
		}
	}
}

// The operator keeps what people ask for and asks for nothing itself, nor approves.
func TestOperatorAsksForNothing(t *testing.T) {
	rules := operatorRules(t)
	for _, resource := range []string{"accessgrants", "budgetrequests", "guardrailexceptions"} {
		for _, verb := range []string{"create", "delete", "update", "request", "approve"} {
			if allows(rules, "demarc.dev", resource, "any", verb) {
				t.Errorf("it may %s %s", verb, resource)
			}
		}
		if !allows(rules, "demarc.dev", resource+"/status", "any", "patch") || !allows(rules, "demarc.dev", resource, "any", "watch") {
			t.Errorf("it may not keep %s", resource)
		}
	}
}

// Whether the API server answers as the contract says is asked, and nobody is impersonated.
func TestOperatorAsksWhatOthersMay(t *testing.T) {
	rules := operatorRules(t)
	if !allows(rules, "authorization.k8s.io", "subjectaccessreviews", "", "create") {
		t.Error("it may not ask")
	}
	for _, resource := range []string{"clusterroles", "clusterrolebindings", "roles", "rolebindings"} {
		for _, verb := range []string{"list", "watch"} {
			if !allows(rules, "rbac.authorization.k8s.io", resource, "", verb) {
				t.Errorf("it may not %s %s", verb, resource)
			}
		}
	}
}
