package contract_test

import (
	"slices"
	"strings"
	"testing"

	"demarc.dev/demarc/api/v1alpha1"
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

// Who may approve what people ask for is the domain's answer and nothing else.
func TestApproveFollowsTheContract(t *testing.T) {
	for party, want := range map[v1alpha1.Party]string{
		v1alpha1.PartyPlatform: ownership.RolePlatform,
		v1alpha1.PartyTeam:     ownership.RoleEdit,
		v1alpha1.PartyShared:   ownership.RoleEdit + " " + ownership.RolePlatform,
		v1alpha1.PartyNobody:   "",
	} {
		for _, path := range []v1alpha1.ChangePath{v1alpha1.PathGit, v1alpha1.PathCluster} {
			spec := contract.Default().Spec.DeepCopy()
			for i := range spec.Domains {
				if d := &spec.Domains[i]; d.Name == "emergency-access" || d.Name == "resource-quotas" || d.Name == "security-policies" {
					d.Approves, d.ChangePath = party, path
				}
			}
			roles := contract.New(*spec).Roles()
			for _, resource := range []string{"accessgrants", "budgetrequests", "guardrailexceptions"} {
				if got := holders(roles, resource, ownership.VerbApprove); got != want {
					t.Errorf("approves: %s, changePath: %s: %s are approved by %q, want %q", party, path, resource, got, want)
				}
				if want != "" && !strings.Contains(holders(roles, resource, "patch"), ownership.RoleRequests) {
					t.Errorf("changePath: %s: who approves %s cannot write it", path, resource)
				}
				if strings.Contains(want, ownership.RolePlatform) && !strings.Contains(holders(roles, resource, "patch"), ownership.RolePlatform) {
					t.Errorf("changePath: %s: the platform approves %s and cannot write it", path, resource)
				}
			}
		}
	}
	roles := contract.Default().Roles()
	for resource, want := range map[string]string{
		"accessgrants":   "demarc:edit demarc:operate demarc:platform demarc:view",
		"budgetrequests": "demarc:edit demarc:platform",
	} {
		if got := holders(roles, resource, ownership.VerbRequest); got != want {
			t.Errorf("%s are asked for by %q, want %q", resource, got, want)
		}
	}
}

// holders are the roles that have a verb on a resource of Demarc's.
func holders(roles []contract.Role, resource, verb string) string {
	var names []string
	for _, role := range roles {
		for _, r := range role.Rules {
			if r.APIGroups[0] == "demarc.dev" && r.Resources[0] == resource && slices.Contains(r.Verbs, verb) {
				names = append(names, role.Name)
			}
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
