package edges

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"demarc.dev/demarc/test/cluster"
)

// Complaint 14 (capsule#14, #643): two changes at once do not overflow the budget:
// one namespace a team makes the native quota exact.
func TestComplaint14BudgetIsNotOverflowed(t *testing.T) {
	t.Parallel()
	c.Apply(t, cluster.Tenant("exact", `resources: {cpu: "8", memory: 16Gi, pods: 4}`),
		cluster.Claim("exact-a", "exact", small), cluster.Claim("exact-b", "exact", small))
	c.ClaimSays(t, soon, "exact-a", "Ready", "Running")
	c.ClaimSays(t, soon, "exact-b", "Ready", "Running")
	var both sync.WaitGroup
	for _, name := range []string{"exact-a", "exact-b"} {
		both.Go(func() {
			_, _ = c.Kubectl(t, "", "patch", "serviceclaim", name, "--type=merge", "-p", `{"spec":{"replicas":4}}`)
		})
	}
	both.Wait()
	cluster.Eventually(t, soon, func(context.Context) error {
		pods := len(strings.Fields(c.Must(t, "get pods -n team-exact -o name")))
		if pods > 4 {
			t.Fatalf("%d pods in a budget of 4", pods)
		}
		for _, name := range []string{"exact-a", "exact-b"} {
			if reason := c.Must(t, "get serviceclaim "+name+` -o jsonpath={.status.conditions[?(@.type=="Ready")].reason}`); reason != "QuotaExceeded" {
				return fmt.Errorf("%s says %s", name, reason)
			}
		}
		return nil
	})
}

// Complaint 15 (rancher#15583, #35324): a budget below what is in use is said with its
// figures and evicts nothing; no budget is no quota object, and never an empty one.
func TestComplaint15BudgetBelowUse(t *testing.T) {
	t.Parallel()
	c.Apply(t, cluster.Tenant("shrink", `resources: {cpu: "2", memory: 4Gi, pods: 5}`), cluster.Claim("shrink", "shrink", small+", replicas: 3"))
	c.ClaimSays(t, soon, "shrink", "Ready", "Running")
	pods := c.Must(t, "get pods -n team-shrink -o jsonpath={.items[*].metadata.uid}")
	c.Apply(t, cluster.Tenant("shrink", `resources: {cpu: "2", memory: 4Gi, pods: 2}`))
	tenantTells(t, "shrink", "QuotaReady", "BelowUsage", "pods 3 of 2")
	if now := c.Must(t, "get pods -n team-shrink -o jsonpath={.items[*].metadata.uid}"); now != pods {
		t.Errorf("the pods were %s and are %s", pods, now)
	}
	c.Must(t, `patch tenant shrink --type=merge -p {"spec":{"resources":null}}`)
	c.TenantSays(t, soon, "shrink", "QuotaReady", "NoBudget")
	if out := c.Must(t, "get resourcequotas,limitranges -n team-shrink -o name"); strings.TrimSpace(out) != "" {
		t.Errorf("left: %s", out)
	}
}

// Complaint 16 (kubernetes#96634, argo-cd#16720): a pod that asks for nothing gets
// defaults, since the quota would refuse it; a refusal is the claim's own words.
func TestComplaint16QuotaRefusalIsSaid(t *testing.T) {
	t.Parallel()
	delivers(t, "silent", web("silent"))
	c.ClaimSays(t, soon, "silent", "Ready", "Running")
	if got := c.Must(t, "get pods -n team-silent -o jsonpath={.items[0].spec.containers[0].resources.requests.cpu}"); got != "100m" {
		t.Errorf("the container asks for %q of CPU", got)
	}
	c.Apply(t, cluster.Tenant("narrow-room", `resources: {cpu: "1", memory: 1Gi, pods: 1}`), cluster.Claim("narrow-room", "narrow-room", small+", replicas: 2"))
	claimTells(t, "narrow-room", "Ready", "QuotaExceeded", "exceeded quota: demarc")
}
