package contract_test

import (
	"slices"
	"strings"
	"testing"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/ownership"
)

// No role of Demarc's holds what would let its holder give themselves more.
func TestRolesNameEveryVerb(t *testing.T) {
	for _, role := range contract.Default().Roles() {
		for _, r := range role.Rules {
			for _, list := range [][]string{r.APIGroups, r.Resources, r.Verbs} {
				for _, word := range list {
					if slices.Contains([]string{"*", "escalate", "bind", "impersonate"}, word) || strings.Contains(word, "*") {
						t.Errorf("%s holds %q in %v", role.Name, word, r)
					}
				}
			}
			for _, never := range []string{"serviceaccounts/token", "namespaces", "resourcequotas/status"} {
				if role.Name != ownership.RolePlatform && slices.Contains(r.Resources, never) {
					t.Errorf("%s reaches %s", role.Name, never)
				}
			}
		}
	}
}

// view ⊂ operate ⊂ edit, and what the platform keeps is never written by a team's hand.
func TestRolesIncludeEachOther(t *testing.T) {
	rights := func(name string) map[string]bool {
		out := map[string]bool{}
		for _, role := range contract.Default().Roles() {
			for _, r := range role.Rules {
				for _, verb := range r.Verbs {
					if role.Name == name {
						out[r.APIGroups[0]+"/"+r.Resources[0]+" "+verb] = true
					}
				}
			}
		}
		return out
	}
	view, operate, edit := rights(ownership.RoleView), rights(ownership.RoleOperate), rights(ownership.RoleEdit)
	for _, pair := range []struct{ small, large map[string]bool }{{view, operate}, {operate, edit}} {
		for right := range pair.small {
			if !pair.large[right] {
				t.Errorf("%s is in the smaller role alone", right)
			}
		}
	}
	for _, forbidden := range []string{
		"/resourcequotas update", "/limitranges delete", "networking.k8s.io/networkpolicies create", "demarc.dev/serviceclaims force",
	} {
		if edit[forbidden] {
			t.Errorf("edit holds %s", forbidden)
		}
	}
	for right, from := range map[string]contract.Level{
		"/pods get": contract.View, "/secrets get": contract.Edit,
		"/pods delete": contract.Operate, "apps/deployments patch": contract.Operate, "apps/deployments update": contract.Edit,
		"apps/deployments/scale patch": contract.Edit, "apps/replicasets patch": contract.Edit,
		"demarc.dev/serviceclaims scale": contract.Operate, "demarc.dev/serviceclaims deploy": contract.Edit,
		"rbac.authorization.k8s.io/rolebindings create": contract.Edit, "rbac.authorization.k8s.io/roles patch": contract.Edit,
	} {
		for level, role := range map[contract.Level]map[string]bool{contract.View: view, contract.Operate: operate, contract.Edit: edit} {
			if role[right] != (level >= from) {
				t.Errorf("the role of level %d: %s is %v", level, right, role[right])
			}
		}
	}
}

// Without impersonation Git may not bring what Kubernetes' escalation check guards.
func TestDeliverable(t *testing.T) {
	kinds := func(impersonated bool) string {
		var out []string
		for _, k := range contract.Default().Deliverable(impersonated) {
			out = append(out, k.Kind)
		}
		return strings.Join(out, " ")
	}
	if got := kinds(false); strings.Contains(got, "Role") {
		t.Errorf("without impersonation: %s", got)
	}
	if got := kinds(true); !strings.Contains(got, "RoleBinding") || strings.Contains(got, "ResourceQuota") {
		t.Errorf("with impersonation: %s", got)
	}
}
