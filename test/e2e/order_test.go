package e2e

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
)

// O2: one Tenant and three claims in each of their 24 orders end Ready.
func TestO2EveryOrderOfArrival(t *testing.T) {
	t.Parallel()
	for n, order := range permutations([]int{0, 1, 2, 3}) {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			t.Parallel()
			team := fmt.Sprintf("perm-%d", n)
			manifests := []string{
				tenant(team, roomy),
				claim(team+"-a", team, "image: nginx:1.27-alpine"),
				claim(team+"-b", team, "image: nginx:1.27-alpine"),
				claim(team+"-c", team, "image: nginx:1.27-alpine"),
			}
			for _, i := range order {
				apply(t, manifests[i])
			}
			for _, c := range []string{"a", "b", "c"} {
				claimSays(t, team+"-"+c, "Ready", "Running")
			}
			// Room for the next: they are gone before the sandbox is full.
			if out, err := kubectl(t, "", "delete", "serviceclaim", team+"-a", team+"-b", team+"-c", "--wait=false"); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		})
	}
}

func permutations(items []int) [][]int {
	if len(items) <= 1 {
		return [][]int{append([]int{}, items...)}
	}
	var out [][]int
	for i := range items {
		rest := append(append([]int{}, items[:i]...), items[i+1:]...)
		for _, tail := range permutations(rest) {
			out = append(out, append([]int{items[i]}, tail...))
		}
	}
	return out
}

// O3: a claim that is deleted leaves no Deployment, and the next of its name starts anew.
func TestO3ClaimDeleted(t *testing.T) {
	t.Parallel()
	apply(t, tenant("undo", roomy), claim("undo", "undo", "image: nginx:1.27-alpine, port: 80"))
	claimSays(t, "undo", "Ready", "Running")
	if out, err := kubectl(t, "", "delete", "serviceclaim", "undo", "--timeout=180s"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	isAbsent(t, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-undo", Name: "undo"}})
	isAbsent(t, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "team-undo", Name: "undo"}})
	isAbsent(t, kube.Named(argocd.ApplicationKind, "argocd", "undo.undo"))
	tenantSays(t, "undo", "Ready", "TenantReady")
	apply(t, claim("undo", "undo", "image: nginx:1.27-alpine"))
	claimSays(t, "undo", "Ready", "Running")
}

// O3: a Tenant that is deleted with claims left waits and names them, in each
// cascade mode; then it goes, and its namespace with it.
func TestO3TenantDeletedWithClaimsLeft(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"background", "foreground", "orphan"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			team := "leave-" + mode
			apply(t, tenant(team, roomy), claim(team+"-a", team, "image: nginx:1.27-alpine"), claim(team+"-b", team, "image: nginx:1.27-alpine"))
			claimSays(t, team+"-a", "Ready", "Running")
			claimSays(t, team+"-b", "Ready", "Running")
			if out, err := kubectl(t, "", "delete", "tenant", team, "--wait=false", "--cascade="+mode); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			waiting := tenantSays(t, team, "ClaimsDrained", "ClaimsRemain")
			if m := message(waiting.Status.Conditions, "Ready"); !strings.Contains(m, team+"-a, "+team+"-b") {
				t.Errorf("it says %q", m)
			}
			// Nothing of the team's is gone, and its services run.
			deployment(t, team, team+"-a")
			for _, claim := range []string{"-a", "-b"} {
				if out, err := kubectl(t, "", "delete", "serviceclaim", team+claim, "--timeout=180s"); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			isGone(t, soon, &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: team}})
			isAbsent(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-" + team}})
			isAbsent(t, kube.Named(argocd.ProjectKind, "argocd", "team-"+team))
			if out, _ := kubectl(t, "", "get", "clusterrolebindings", "-l", "demarc.dev/team="+team, "-o", "name"); strings.TrimSpace(out) != "" {
				t.Errorf("left over: %s", out)
			}
		})
	}
}

// A claim that comes while its Tenant goes neither holds it nor makes anything anew.
func TestClaimForATerminatingTenant(t *testing.T) {
	t.Parallel()
	apply(t, tenant("going", roomy), claim("going-a", "going", "image: nginx:1.27-alpine"))
	claimSays(t, "going-a", "Ready", "Running")
	if out, err := kubectl(t, "", "delete", "tenant", "going", "--wait=false"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tenantSays(t, "going", "ClaimsDrained", "ClaimsRemain")
	apply(t, claim("going-late", "going", "image: nginx:1.27-alpine"))
	claimSays(t, "going-late", "TenantReady", "TenantTerminating")
	if out, err := kubectl(t, "", "delete", "serviceclaim", "going-a", "--timeout=180s"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	isGone(t, soon, &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "going"}})
	claimSays(t, "going-late", "TenantReady", "TenantNotFound")
	// It is delivered by the next Tenant of the name.
	apply(t, tenant("going", roomy))
	claimSays(t, "going-late", "Ready", "Running")
}

// What is Demarc's in a cluster cannot be deleted past it.
func TestProtected(t *testing.T) {
	t.Parallel()
	apply(t, tenant("safe", roomy), claim("safe", "safe", "image: nginx:1.27-alpine"))
	claimSays(t, "safe", "Ready", "Running")
	for _, c := range []struct{ args, says string }{
		{"delete namespace team-safe", "is not drained: delete the owner instead"},
		{"delete application safe.safe -n argocd", "is not drained: delete the owner instead"},
		{"delete appproject team-safe -n argocd", "is not drained: delete the owner instead"},
		{"delete crd tenants.demarc.dev", "demarc.dev/allow-deletion=REASON"},
		{"delete serviceclaim safe --cascade=orphan", "cannot be deleted with --cascade=orphan"},
		{"annotate namespace team-safe demarc.dev/drained=yes", "is written by Demarc alone"},
		{"label namespace team-safe demarc.dev/tenant-", "is written by Demarc alone"},
		{"label application safe.safe -n argocd demarc.dev/owner-", "is written by Demarc alone"},
	} {
		out, err := kubectl(t, "", strings.Fields(c.args)...)
		if err == nil || !strings.Contains(out, c.says) {
			t.Errorf("kubectl %s: %v\n%s\nwant it refused with %q", c.args, err, out, c.says)
		}
	}
	claimSays(t, "safe", "Ready", "Running")
}
