package incidents

import (
	"context"
	"fmt"
	"strings"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/test/cluster"
)

// incidents are the ten.
var incidents = []incident{
	{
		name: "image", claim: "image: registry.example/shop/web:1.4.2, port: 8080, replicas: 2",
		wrong: asks(`{"image":"absent.invalid/shop/web:1.4.3"}`), mend: asks(`{"image":"registry.example/shop/web:1.4.3"}`),
		id: "DM109", about: deployment("image"), owner: v1alpha1.PartyTeam, domain: "application-deployment", severity: finding.Error,
		says: "image absent.invalid/shop/web:1.4.3 of",
	},
	{
		name: "memory", claim: "image: registry.example/shop/web:1.4.2, port: 8080",
		wrong: asks(`{"image":"oomkilled.invalid/shop/web:1.5.0"}`), mend: asks(`{"image":"registry.example/shop/web:1.5.1"}`),
		id: "DM101", about: deployment("memory"), owner: v1alpha1.PartyTeam, domain: "cpu-memory-requests", severity: finding.Error,
		says: "used more memory than its limit of 256Mi and was killed",
	},
	{
		name: "probe", claim: "image: fading.invalid/shop/web:1.4.2, port: 8080, probes: {readiness: {http: {path: /ready}}}",
		wrong: waits, mend: asks(`{"image":"registry.example/shop/web:1.4.3"}`),
		id: "DM119", about: deployment("probe"), owner: v1alpha1.PartyTeam, domain: "application-health", severity: finding.Error,
		says: "deployment probe in team-probe runs and is not ready",
	},
	{
		name: "selector", files: map[string]string{"web.yaml": web("selector", ""), "service.yaml": service("selector", "selector")},
		wrong: commits(map[string]string{"service.yaml": service("selector", "selektor")}), mend: commits(map[string]string{"service.yaml": service("selector", "selector")}),
		id: "DM201", about: finding.Object{Kind: "Service", Namespace: "team-selector", Name: "selector"}, owner: v1alpha1.PartyTeam, domain: "application-deployment",
		severity: finding.Error, says: "selects app=selektor, and no pod and no workload in team-selector carries that", ready: true,
	},
	{
		name: "ingress", tenant: cluster.Roomy + ", domains: [shop.example]",
		files: map[string]string{"web.yaml": web("ingress", ""), "service.yaml": service("ingress", "ingress"), "ingress.yaml": ingress("ingress", 80)},
		wrong: commits(map[string]string{"ingress.yaml": ingress("ingress", 8080)}), mend: commits(map[string]string{"ingress.yaml": ingress("ingress", 80)}),
		id: "DM206", about: finding.Object{Group: "networking.k8s.io", Kind: "Ingress", Namespace: "team-ingress", Name: "ingress"}, owner: v1alpha1.PartyTeam,
		domain: "application-deployment", severity: finding.Error, says: "to port 8080 of service ingress, which has 80", ready: true,
	},
	{
		name: "quota", tenant: `resources: {cpu: "2", memory: 2Gi, pods: 3}`, claim: "image: registry.example/shop/web:1.4.2, replicas: 2",
		wrong: asks(`{"replicas":5}`), mend: asks(`{"replicas":2}`),
		id: "DM314", about: finding.Object{Kind: "ResourceQuota", Namespace: "team-quota", Name: "demarc"}, owner: v1alpha1.PartyTeam, domain: "cpu-memory-requests",
		severity: finding.Error, says: "is used up, and deployment quota in team-quota waits",
	},
	{
		name: "request", tenant: `resources: {cpu: "40", memory: 16Gi, pods: 20}`, claim: "image: registry.example/shop/web:1.4.2",
		wrong: asks(`{"resources":{"requests":{"cpu":"12"}}}`), mend: asks(`{"resources":{"requests":{"cpu":"200m"}}}`),
		id: "DM301", about: deployment("request"), owner: v1alpha1.PartyTeam, domain: "cpu-memory-requests", severity: finding.Error,
		says: "asks for more cpu than any node that it may run on has",
	},
	{
		name: "budget", files: map[string]string{"web.yaml": web("budget", "drained"), "budget.yaml": budget("budget", "maxUnavailable: 1")},
		wrong: wantsAll, mend: letsGo,
		id: "DM126", about: finding.Object{Group: "policy", Kind: "PodDisruptionBudget", Namespace: "team-budget", Name: "budget"}, owner: v1alpha1.PartyTeam,
		domain: "disruption-budgets", severity: finding.Error, milder: finding.Warning,
		says: "it wants all of them healthy, so nodes cannot be drained", ready: true,
	},
	{
		name: "node", files: map[string]string{"web.yaml": web("node", "failing")},
		wrong: nodeSays("node-6", "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"),
		mend:  nodeSays("node-6", ""),
		id:    "DM501", about: finding.Object{Kind: "Node", Name: "node-6"}, owner: v1alpha1.PartyPlatform, domain: "node-pools", severity: finding.Error,
		says: "is not ready: its kubelet says so", outside: "A node is not ready", ready: true,
	},
	{
		name: "render", files: map[string]string{"kustomization.yaml": "resources: [web.yaml]\n", "web.yaml": web("render", "")},
		wrong: commits(map[string]string{"kustomization.yaml": "resources: [wbe.yaml]\n"}), mend: commits(map[string]string{"kustomization.yaml": "resources: [web.yaml]\n"}),
		id: "DM401", about: finding.Object{Group: "argoproj.io", Kind: "Application", Namespace: "argocd", Name: "render.render"}, owner: v1alpha1.PartyTeam,
		domain: "application-deployment", severity: finding.Error, says: "does not render",
	},
}

func deployment(name string) finding.Object {
	return finding.Object{Group: "apps", Kind: "Deployment", Namespace: v1alpha1.NamespaceOf(name), Name: name}
}

// wantsAll has the budget want as many pods as there are; then the platform drains a node, and
// the eviction is refused.
func wantsAll(t *testing.T, i incident) {
	t.Helper()
	i.commit(t, map[string]string{"budget.yaml": budget(i.name, "minAvailable: 2")})
	i.pushed(t)
	i.budget(t, func(b *policyv1.PodDisruptionBudget) error {
		if b.Status.ObservedGeneration != b.Generation || b.Status.DesiredHealthy != 2 || b.Status.DisruptionsAllowed != 0 {
			return fmt.Errorf("the budget is %+v", b.Status)
		}
		return nil
	})
	out, err := i.drain(t, i.nodeOf(t), "5s")
	if err == nil || !strings.Contains(out, "Cannot evict pod as it would violate the pod's disruption budget") {
		t.Fatalf("the drain ends with %v: %s", err, out)
	}
}

// letsGo mends the budget, and then the same drain comes to its end.
func letsGo(t *testing.T, i incident) {
	t.Helper()
	i.commit(t, map[string]string{"budget.yaml": budget(i.name, "maxUnavailable: 1")})
	i.pushed(t)
	i.budget(t, func(b *policyv1.PodDisruptionBudget) error {
		if b.Status.ObservedGeneration != b.Generation || b.Status.DisruptionsAllowed == 0 {
			return fmt.Errorf("the budget is %+v", b.Status)
		}
		return nil
	})
	node := i.nodeOf(t)
	for _, name := range []string{"node-4", "node-5"} {
		if out := on.Must(t, "get node "+name+" -o jsonpath={.spec.unschedulable}"); out == "true" {
			node = name
		}
	}
	if out, err := i.drain(t, node, patience.String()); err != nil {
		t.Fatalf("the drain of %s ends with %v: %s", node, err, out)
	}
	on.Must(t, "uncordon "+node)
}

// budget waits until the team's budget is as it should be.
func (i incident) budget(t *testing.T, is func(*policyv1.PodDisruptionBudget) error) {
	t.Helper()
	cluster.Eventually(t, patience, func(ctx context.Context) error {
		b := &policyv1.PodDisruptionBudget{}
		if err := on.Client.Get(ctx, types.NamespacedName{Namespace: i.namespace(), Name: i.name}, b); err != nil {
			return err
		}
		return is(b)
	})
}
