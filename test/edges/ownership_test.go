package edges

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/test/cluster"
)

// taken is an object of the name that a team's has, and somebody else's.
type taken struct {
	name, manifest, object, condition, reason string
}

// Complaint 1 (kro#957): what has the right name and is not ours is never written
// to; the condition names whose it is, and goes by itself when the object goes.
func TestComplaint01ForeignObjectIsNotWrittenTo(t *testing.T) {
	t.Parallel()
	const label = "labels: {app.kubernetes.io/managed-by: elsewhere}"
	inNamespace := "apiVersion: v1\nkind: Namespace\nmetadata: {name: team-%[1]s}\n---\n"
	for _, f := range []taken{
		{"held-ns", "apiVersion: v1\nkind: Namespace\nmetadata: {name: team-%[1]s, " + label + "}", "namespace team-%[1]s", "NamespaceReady", "NamespaceTaken"},
		{"held-quota", inNamespace + "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: demarc, namespace: team-%[1]s, " + label + "}", "resourcequota demarc -n team-%[1]s", "QuotaReady", "ObjectTaken"},
		{"held-binding", inNamespace + "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: demarc-edit, namespace: team-%[1]s, " + label + "}\n" +
			"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}", "rolebinding demarc-edit -n team-%[1]s", "AccessReady", "ObjectTaken"},
		{"held-project", "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: team-%[1]s, namespace: argocd, " + label + "}\nspec: {}", "appproject team-%[1]s -n argocd", "ProjectReady", "ProjectTaken"},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			c.Apply(t, fmt.Sprintf(f.manifest, f.name))
			object := fmt.Sprintf(f.object, f.name)
			before := version(t, object)
			c.Apply(t, cluster.Tenant(f.name, "adopt: "+fmt.Sprint(f.condition != "NamespaceReady")+", "+cluster.Roomy))
			tenantTells(t, f.name, f.condition, f.reason, "belongs to elsewhere")
			if after := version(t, object); after != before {
				t.Errorf("%s was written to: %s, then %s", object, before, after)
			}
			c.Must(t, "delete "+object)
			c.TenantSays(t, soon, f.name, "Ready", "TenantReady")
		})
	}
}

func version(t *testing.T, object string) string {
	t.Helper()
	return c.Must(t, "get "+object+" -o jsonpath={.metadata.uid}/{.metadata.resourceVersion}")
}

const strangersApplication = `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: orphan.orphan, namespace: argocd}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: nowhere}
  source: {repoURL: file:///nowhere.git, path: .}
`

// Complaint 2 (kubevela#4320): an Application that was there before is not taken
// over, and so is not deleted with the claim.
func TestComplaint02OrphanIsNotTakenOver(t *testing.T) {
	t.Parallel()
	c.Apply(t, strangersApplication, cluster.Tenant("orphan", cluster.Roomy), cluster.Claim("orphan", "orphan", small))
	claimTells(t, "orphan", "DeliveryReady", "ApplicationTaken", "application/orphan.orphan")
	c.Must(t, "delete serviceclaim orphan --timeout=180s")
	c.Must(t, "get application orphan.orphan -n argocd")
	c.Must(t, "delete application orphan.orphan -n argocd")
}

// Complaint 3 (crossplane#5122, theatre PR#522): a binding of the right name in an
// adopted namespace is not made the team's.
func TestComplaint03SameNameIsNotOwnership(t *testing.T) {
	t.Parallel()
	c.Apply(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: team-name}",
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: demarc-edit, namespace: team-name}\n"+
			"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\nsubjects: [{kind: ServiceAccount, name: default, namespace: team-name}]",
		cluster.Tenant("name", "adopt: true, "+cluster.Roomy))
	tenantTells(t, "name", "AccessReady", "ObjectTaken", "rolebinding/demarc-edit in team-name")
	if out := c.Must(t, "get rolebinding demarc-edit -n team-name -o jsonpath={.subjects[*].name}/{.roleRef.name}"); out != "default/view" {
		t.Errorf("the binding is %s", out)
	}
}

// Complaint 4 (capsule#329, #813): a namespace that exists is adopted in the open,
// without a UID to paste, and stays when the Tenant goes.
func TestComplaint04AdoptionIsAsked(t *testing.T) {
	t.Parallel()
	c.Apply(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: team-older, labels: {cost: '42'}}",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: theirs, namespace: team-older}", cluster.Tenant("older", cluster.Roomy))
	tenantTells(t, "older", "NamespaceReady", "NamespaceTaken", "spec.adopt: true")
	c.Must(t, `patch tenant older --type=merge -p {"spec":{"adopt":true}}`)
	c.TenantSays(t, soon, "older", "Ready", "TenantReady")
	c.Apply(t, cluster.Claim("older", "older", small))
	c.ClaimSays(t, soon, "older", "Ready", "Running")
	c.Must(t, "delete serviceclaim older --timeout=180s")
	c.Must(t, "delete tenant older --timeout=180s")
	if labels := c.Must(t, "get namespace team-older -o jsonpath={.metadata.labels}"); strings.Contains(labels, "demarc") || !strings.Contains(labels, `"cost":"42"`) {
		t.Errorf("left with %s", labels)
	}
	c.Must(t, "get configmap theirs -n team-older")
	if out := c.Must(t, "get resourcequotas,limitranges,networkpolicies,rolebindings -n team-older -o name"); strings.TrimSpace(out) != "" {
		t.Errorf("left over: %s", out)
	}
}

// Complaint 5 (accurate#168, multi-tenancy#797): a conflict heals when the other
// goes, and what is in conflict deletes nothing that it does not own.
func TestComplaint05ConflictDeletesNothing(t *testing.T) {
	t.Parallel()
	c.Apply(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: team-clash}", cluster.Tenant("clash", cluster.Roomy), cluster.Claim("clash", "clash", small))
	c.TenantSays(t, soon, "clash", "NamespaceReady", "NamespaceTaken")
	c.ClaimSays(t, soon, "clash", "TenantReady", "TenantNotReady")
	before := version(t, "namespace team-clash")
	c.Must(t, "delete tenant clash --timeout=180s")
	if after := version(t, "namespace team-clash"); after != before {
		t.Errorf("the namespace was written to: %s, then %s", before, after)
	}
	c.Apply(t, cluster.Tenant("clash", cluster.Roomy))
	c.TenantSays(t, soon, "clash", "NamespaceReady", "NamespaceTaken")
	c.Must(t, "delete namespace team-clash")
	c.TenantSays(t, soon, "clash", "Ready", "TenantReady")
	c.ClaimSays(t, soon, "clash", "Ready", "Running")
}

// Complaint 6 (capsule#1181, #563): owners that come back with new UIDs, after their
// CRDs were deleted by force or from a backup, find what is theirs again; nothing is
// collected and services run on. Not parallel: every Tenant and claim is concerned.
func TestComplaint06NewUIDsCollectNothing(t *testing.T) {
	running(t, "reborn")
	pod := c.Must(t, "get pods -n team-reborn -o jsonpath={.items[*].metadata.uid}")
	refused(t, "delete crd tenants.demarc.dev --wait=false", "demarc.dev/allow-deletion=REASON")
	saved := c.Must(t, "get tenants,serviceclaims -o yaml")

	for _, crd := range []string{"tenants.demarc.dev", "serviceclaims.demarc.dev"} {
		c.Must(t, "annotate crd "+crd+" demarc.dev/allow-deletion=rebuild")
		c.Must(t, "delete crd "+crd+" --timeout=180s")
	}
	c.Must(t, "apply --server-side -f "+cluster.Root()+"/charts/demarc/crds")
	c.Must(t, "wait --for=condition=Established crd/tenants.demarc.dev crd/serviceclaims.demarc.dev --timeout=180s")
	restore(t, saved)
	same(t, "reborn", pod)
	if got := ownerUID(t, "namespace team-reborn"); got != uid(t, "tenant reborn") {
		t.Errorf("the namespace names the owner %s", got)
	}

	// A backup of the owners alone: they were lost past the operator.
	stop := halted(t, install.Operator)
	c.Must(t, `patch serviceclaim reborn --type=merge -p {"metadata":{"finalizers":null}}`)
	c.Must(t, `patch tenant reborn --type=merge -p {"metadata":{"finalizers":null}}`)
	c.Must(t, "delete serviceclaim reborn")
	c.Must(t, "delete tenant reborn")
	stop()
	c.Apply(t, cluster.Tenant("reborn", cluster.Roomy), cluster.Claim("reborn", "reborn", small))
	same(t, "reborn", pod)
	if got := ownerUID(t, "application reborn.reborn -n argocd"); got != uid(t, "serviceclaim reborn") {
		t.Errorf("the Application names the owner %s", got)
	}
	c.Must(t, "delete serviceclaim reborn --timeout=180s")
	c.IsGone(t, soon, kube.Named(argocd.ApplicationKind, "argocd", "reborn.reborn"))
	c.Must(t, "delete tenant reborn --timeout=180s")
	c.IsGone(t, soon, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-reborn"}})
}

// restore applies what a backup holds: no UIDs that the cluster knows, and once the
// API server serves the kinds again.
func restore(t *testing.T, saved string) {
	t.Helper()
	var kept []string
	for _, line := range strings.Split(saved, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "uid:") || strings.HasPrefix(trimmed, "resourceVersion:") || strings.HasPrefix(trimmed, "creationTimestamp:") {
			continue
		}
		kept = append(kept, line)
	}
	cluster.Eventually(t, soon, func(context.Context) error {
		out, err := c.Kubectl(t, strings.Join(kept, "\n"), "apply", "-f", "-")
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

// same waits until a service is Ready and fails where its pods are not those it had.
func same(t *testing.T, name, pod string) {
	t.Helper()
	c.TenantSays(t, soon, name, "Ready", "TenantReady")
	c.ClaimSays(t, soon, name, "Ready", "Running")
	if now := c.Must(t, "get pods -n team-"+name+" -o jsonpath={.items[*].metadata.uid}"); now != pod {
		t.Errorf("the pods were %s and are %s", pod, now)
	}
}

func uid(t *testing.T, object string) string {
	t.Helper()
	return c.Must(t, "get "+object+" -o jsonpath={.metadata.uid}")
}

func ownerUID(t *testing.T, object string) string {
	t.Helper()
	return c.Must(t, "get "+object+` -o jsonpath={.metadata.annotations.demarc\.dev/owner-uid}`)
}
