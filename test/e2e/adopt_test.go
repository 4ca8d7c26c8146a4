package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/adoption"
)

// legacy is a namespace that was there before its team: a service that fits, one that
// reaches into its node, and access that somebody gave.
const legacy = `
apiVersion: v1
kind: Namespace
metadata: {name: team-legacy, labels: {pod-security.kubernetes.io/enforce: privileged, kept: "yes"}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: old-hands, namespace: team-legacy}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: User, name: veteran, apiGroup: rbac.authorization.k8s.io}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: team-legacy}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers: [{name: c, image: "nginx:1.27-alpine", resources: {requests: {cpu: 300m, memory: 100Mi}, limits: {memory: 200Mi}}}]
      initContainers: [{name: i, image: "nginx:1.27-alpine", resources: {requests: {cpu: 700m}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: node, namespace: team-legacy}
spec:
  selector: {matchLabels: {app: node}}
  template:
    metadata: {labels: {app: node}}
    spec: {hostNetwork: true, containers: [{name: c, image: "nginx:1.27-alpine"}]}
`

// running waits until so many pods of the namespace run.
func running(t *testing.T, namespace string, n int) {
	t.Helper()
	eventually(t, 4*time.Minute, func(ctx context.Context) error {
		var pods corev1.PodList
		if err := admin.List(ctx, &pods); err != nil {
			return err
		}
		seen := 0
		for _, p := range pods.Items {
			if p.Namespace == namespace && p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil {
				seen++
			}
		}
		if seen != n {
			return fmt.Errorf("%d pods run in %s, want %d", seen, namespace, n)
		}
		return nil
	})
}

// A preview says what adoption then does: the labels, the figures that the quota
// controller counts, the pods that are refused. What was there stays when the Tenant goes.
func TestAdopt(t *testing.T) {
	t.Parallel()
	apply(t, legacy)
	running(t, "team-legacy", 3)
	budget := []string{"--cpu", "1", "--memory", "2Gi", "--pods", "10"}
	code, out, errs := demarcCLI(t, append([]string{"adopt", "team-legacy", "--dry-run", "-o", "json"}, budget...)...)
	var preview adoption.Report
	if err := json.Unmarshal([]byte(out), &preview); err != nil || code != 1 {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	if len(preview.Refusals) != 1 || preview.Refusals[0].Object != "deployment/node" || preview.Refusals[0].By != "PodSecurity" || preview.Refusals[0].Pods != 1 {
		t.Errorf("refusals: %+v", preview.Refusals)
	}
	if len(preview.Stays) != 1 || preview.Stays[0].Name != "old-hands" || !preview.Stays[0].Outside {
		t.Errorf("bindings that stay: %+v", preview.Stays)
	}
	if out, err := kubectl(t, "", "get", "tenant", "legacy"); err == nil {
		t.Errorf("the preview made a Tenant: %s", out)
	}

	if code, out, errs := demarcCLI(t, append([]string{"adopt", "team-legacy", "--yes", "--timeout", "4m"}, budget...)...); code != 0 {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	tenantSays(t, "legacy", "QuotaReady", "BelowUsage")
	running(t, "team-legacy", 3)
	counted(t, preview)
	ns := &corev1.Namespace{}
	if err := admin.Get(t.Context(), types.NamespacedName{Name: "team-legacy"}, ns); err != nil {
		t.Fatal(err)
	}
	for _, m := range preview.Labels {
		if ns.Labels[m.Key] != m.New {
			t.Errorf("label %s is %q, and %q was foretold", m.Key, ns.Labels[m.Key], m.New)
		}
	}
	refusedAgain(t)

	must(t, "delete tenant legacy --timeout=180s")
	isGone(t, time.Minute, &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "legacy"}})
	if err := admin.Get(t.Context(), types.NamespacedName{Name: "team-legacy"}, ns); err != nil {
		t.Fatal(err)
	}
	if ns.Labels["pod-security.kubernetes.io/enforce"] != "privileged" || ns.Labels["kept"] != "yes" || ns.Labels[v1alpha1.LabelTenant] != "" {
		t.Errorf("the labels afterwards: %v", ns.Labels)
	}
	running(t, "team-legacy", 3)
	must(t, "get rolebinding old-hands -n team-legacy")
	must(t, "delete namespace team-legacy --wait=false")
}

// counted compares what was foretold to be in use with what the quota controller counts.
func counted(t *testing.T, preview adoption.Report) {
	t.Helper()
	eventually(t, 4*time.Minute, func(ctx context.Context) error {
		quota := &corev1.ResourceQuota{}
		if err := admin.Get(ctx, types.NamespacedName{Namespace: "team-legacy", Name: "demarc"}, quota); err != nil {
			return err
		}
		for _, u := range preview.Budget {
			used, hard := quota.Status.Used[corev1.ResourceName(u.Key)], quota.Status.Hard[corev1.ResourceName(u.Key)]
			if used.String() != u.Used || hard.String() != u.Hard {
				return fmt.Errorf("%s: %s of %s in use, and %s of %s was foretold", u.Key, used.String(), hard.String(), u.Used, u.Hard)
			}
		}
		return nil
	})
}

// refusedAgain sees that a pod that was foretold to be refused is, and in these words.
func refusedAgain(t *testing.T) {
	t.Helper()
	out, err := kubectl(t, "", "run", "again", "-n", "team-legacy", "--image=nginx:1.27-alpine", "--dry-run=server", "--restart=Never", `--overrides={"spec":{"hostNetwork":true}}`)
	if err == nil || !strings.Contains(out, "host namespaces (hostNetwork=true)") {
		t.Errorf("%v: %s", err, out)
	}
}

// An object of our name that is somebody else's is foretold, and nothing is written to it.
func TestAdoptConflict(t *testing.T) {
	t.Parallel()
	apply(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: team-clash}",
		"apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: demarc, namespace: team-clash, labels: {app.kubernetes.io/managed-by: terraform}}\nspec: {hard: {pods: '9'}}")
	code, out, _ := demarcCLI(t, "adopt", "team-clash", "--dry-run", "--pods", "5")
	if code != 1 || !strings.Contains(out, "resourcequota/demarc in team-clash: in the way, it belongs to terraform") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if code, out, errs := demarcCLI(t, "adopt", "team-clash", "--pods", "5", "--yes", "--timeout", "4m"); code != 0 {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	tenantSays(t, "clash", "QuotaReady", "ObjectTaken")
	if out := must(t, "get resourcequota demarc -n team-clash -o jsonpath={.spec.hard.pods}"); out != "9" {
		t.Errorf("it was written to: %s", out)
	}
	must(t, "delete resourcequota demarc -n team-clash")
	tenantSays(t, "clash", "QuotaReady", "QuotaReady")
	must(t, "delete tenant clash --timeout=180s")
	must(t, "delete namespace team-clash --wait=false")
}
