package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/sandbox/install"
)

// A permission that is taken away makes the operator say so, not crash; given
// back, it goes on by itself. Not parallel: the others need the operator.
func TestPermissionTakenAway(t *testing.T) {
	apply(t, tenant("rights", roomy), claim("rights", "rights", "image: nginx:1.27-alpine"))
	claimSays(t, "rights", "Ready", "Running")
	before := restarts(t)

	for _, c := range []struct {
		name, group, resource, verb string
		needs                       func()
		says                        func()
	}{
		{"create quotas", "", "resourcequotas", "create",
			func() { apply(t, tenant("rights-quota", roomy)) },
			func() {
				o := tenantSays(t, "rights-quota", "QuotaReady", "OperatorForbidden")
				if m := message(o.Status.Conditions, "Ready"); !strings.Contains(m, "resourcequotas") || !strings.Contains(m, "Next, platform:") {
					t.Errorf("it says %q", m)
				}
			}},
		{"create Applications", "argoproj.io", "applications", "create",
			func() { apply(t, claim("rights-app", "rights", "image: nginx:1.27-alpine")) },
			func() {
				o := claimSays(t, "rights-app", "DeliveryReady", "OperatorForbidden")
				if m := message(o.Status.Conditions, "Ready"); !strings.Contains(m, "applications") {
					t.Errorf("it says %q", m)
				}
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			restore := take(t, c.group, c.resource, c.verb)
			defer restore()
			c.needs()
			c.says()
		})
	}
	tenantSays(t, "rights-quota", "Ready", "TenantReady")
	claimSays(t, "rights-app", "Ready", "Running")
	if after := restarts(t); after != before {
		t.Errorf("the operator was restarted %d times", after-before)
	}
}

// A kind that the operator may no longer watch makes a starting operator unready
// and say which, and not end.
func TestWatchTakenAway(t *testing.T) {
	// A watch can do without a list, and a list goes on without a watch.
	restore := take(t, "", "pods", "list", "watch")
	defer restore()
	if err := box.Stop(t.Context(), install.Operator); err != nil {
		t.Fatal(err)
	}
	started := make(chan error, 1)
	go func() { started <- box.Start(context.Background(), install.Operator) }()
	eventually(t, soon, func(ctx context.Context) error {
		status, body := readyz(ctx)
		if status == http.StatusOK || !strings.Contains(body, "[-]watches failed") && !strings.Contains(body, "[-]controller-") {
			return fmt.Errorf("readyz: %d %s", status, body)
		}
		return nil
	})
	if got := restarts(t); got != 0 {
		t.Logf("restarts so far: %d", got)
	}
	restore()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	apply(t, tenant("watched", roomy), claim("watched", "watched", "image: nginx:1.27-alpine"))
	claimSays(t, "watched", "Ready", "Running")
}

func readyz(ctx context.Context) (int, string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, demarc.ProbeURL+"?verbose", nil)
	if err != nil {
		return 0, err.Error()
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body)
}

// take removes verbs on one kind from the operator's ClusterRole until restored.
func take(t *testing.T, group, resource string, verbs ...string) (restore func()) {
	t.Helper()
	role := &rbacv1.ClusterRole{}
	if err := admin.Get(t.Context(), types.NamespacedName{Name: "demarc-operator"}, role); err != nil {
		t.Fatal(err)
	}
	whole := role.DeepCopy()
	taken := false
	var rules []rbacv1.PolicyRule
	for _, r := range role.Rules {
		if len(r.ResourceNames) > 0 || !contains(r.APIGroups, group) || !contains(r.Resources, resource) || !contains(r.Verbs, verbs[0]) {
			rules = append(rules, r)
			continue
		}
		taken = true
		for _, other := range r.Resources {
			rule := *r.DeepCopy()
			rule.Resources = []string{other}
			if other == resource {
				for _, verb := range verbs {
					rule.Verbs = without(rule.Verbs, verb)
				}
			}
			rules = append(rules, rule)
		}
	}
	if !taken {
		t.Fatalf("the operator may not %s %s in the first place", verbs[0], resource)
	}
	write := func(rules []rbacv1.PolicyRule) {
		t.Helper()
		patch, err := json.Marshal(map[string]any{"rules": rules})
		if err != nil {
			t.Fatal(err)
		}
		if err := admin.Patch(context.Background(), role, client.RawPatch(types.MergePatchType, patch)); err != nil {
			t.Fatal(err)
		}
	}
	write(rules)
	return func() { write(whole.Rules) }
}

func contains(list []string, word string) bool { return len(without(list, word)) < len(list) }

func without(list []string, word string) []string {
	var out []string
	for _, s := range list {
		if s != word {
			out = append(out, s)
		}
	}
	return out
}

// restarts of the operator, as its supervisor counts them.
func restarts(t *testing.T) int {
	t.Helper()
	components, err := box.Components()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range components {
		if c.Name == install.Operator {
			return c.Restarts
		}
	}
	t.Fatal("there is no operator")
	return 0
}
