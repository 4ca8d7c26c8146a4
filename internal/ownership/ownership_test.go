package ownership_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/ownership"
)

var update = flag.Bool("update", false, "write docs/reasons.md anew")

// No role of Demarc's holds what would let its holder give themselves more.
func TestRolesNameEveryVerb(t *testing.T) {
	for _, role := range ownership.Roles() {
		for _, r := range role.Rules {
			for _, list := range [][]string{r.APIGroups, r.Resources, r.Verbs} {
				for _, word := range list {
					if slices.Contains([]string{"*", "escalate", "bind", "impersonate"}, word) || strings.Contains(word, "*") {
						t.Errorf("%s holds %q in %v", role.Name, word, r)
					}
				}
			}
			for _, never := range []string{"serviceaccounts/token", "namespaces", "resourcequotas/status"} {
				if slices.Contains(r.Resources, never) {
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
		for _, role := range ownership.Roles() {
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
	for right, from := range map[string]ownership.Level{
		"/pods get": ownership.View, "/secrets get": ownership.Edit,
		"/pods delete": ownership.Operate, "apps/deployments patch": ownership.Operate, "apps/deployments update": ownership.Edit,
		"apps/deployments/scale patch": ownership.Edit, "apps/replicasets patch": ownership.Edit,
		"demarc.dev/serviceclaims scale": ownership.Operate, "demarc.dev/serviceclaims deploy": ownership.Edit,
		"rbac.authorization.k8s.io/rolebindings create": ownership.Edit, "rbac.authorization.k8s.io/roles patch": ownership.Edit,
	} {
		for level, role := range map[ownership.Level]map[string]bool{ownership.View: view, ownership.Operate: operate, ownership.Edit: edit} {
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
		for _, k := range ownership.Deliverable(impersonated) {
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

// docs/reasons.md lists every reason; it is made from the table.
func TestReasonsDocument(t *testing.T) {
	const path = "../../docs/reasons.md"
	var out bytes.Buffer
	fmt.Fprint(&out, "# Reasons\n\nEvery reason with which a condition of Demarc's is not True, who can act on it, and how. The names are API: alerts may\n"+
		"match on them. A stalled reason does not go away by waiting. Made from `internal/ownership/reasons.go` by\n"+
		"`go test ./internal/ownership -update`.\n\n| reason | who acts | stalled | next |\n|---|---|---|---|\n")
	names := make([]string, 0, len(ownership.Reasons))
	for name := range ownership.Reasons {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		r, stalled := ownership.Reasons[name], ""
		if r.Stalled {
			stalled = "yes"
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", name, r.Party, stalled, r.Next)
	}
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), out.String()); diff != "" {
		t.Errorf("%s is not current; run: go test ./internal/ownership -update\n%s", path, diff)
	}
}

func TestAct(t *testing.T) {
	if got := ownership.Act("TenantNotFound", "it is not there"); got != "it is not there. Next, platform: create the Tenant; the claim goes on by itself." {
		t.Errorf("got %q", got)
	}
	for name, r := range ownership.Reasons {
		if r.Party == "" || r.Next == "" {
			t.Errorf("%s does not say who acts and how", name)
		}
	}
}
