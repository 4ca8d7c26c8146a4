package edges

import (
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"demarc.dev/demarc/test/cluster"
)

// Complaint 17 (CVE-2024-39690, CVE-2022-46167, CVE-2025-55205, CVE-2026-22872 and
// more): the ways by which a tenant's user got at another's namespace.
func TestComplaint17LeaksOfThePeers(t *testing.T) {
	t.Parallel()
	c.Apply(t, cluster.Tenant("fox", cluster.Roomy), cluster.Tenant("hen", cluster.Roomy), cluster.Tenant("fox-two", cluster.Roomy))
	for _, team := range []string{"fox", "hen", "fox-two"} {
		c.TenantSays(t, soon, team, "Ready", "TenantReady")
	}
	fox := editor("fox")
	for _, f := range []struct{ args, words string }{
		{`replace --raw /api/v1/namespaces/team-hen/finalize -f /dev/null`, "annot"},
		{`get secrets -n team-hen`, "cannot list resource"},
		{`get pods -n team-fox-two`, "cannot list resource"}, // the name begins with the other's
		{`create configmap x -n team-fox-two`, "cannot create resource"},
	} {
		refused(t, f.args+fox, f.words)
	}
	for _, f := range []struct{ namespace, patch, subresource string }{
		{"team-hen", `{"metadata":{"ownerReferences":[{"apiVersion":"demarc.dev/v1alpha1","kind":"Tenant","name":"fox","uid":"x"}]}}`, ""},
		{"team-fox", `{"metadata":{"labels":{"demarc.dev/tenant":"hen"}}}`, ""},
		{"team-fox", `{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"privileged"}}}`, ""},
		{"team-hen", `{"metadata":{"labels":{"demarc.dev/tenant":"fox"}}}`, "status"},
		{"team-fox", `{"metadata":{"annotations":{"demarc.dev/drained":"yes"}}}`, "finalize"},
	} {
		patchRefused(t, "team-fox", f.namespace, f.patch, f.subresource)
	}
	// Who may label namespaces is refused by policy all the same: the marks are the operator's.
	refused(t, "label namespace kube-public demarc.dev/tenant=fox", "is written by Demarc alone")
	refused(t, "label namespace team-hen demarc.dev/tenant=fox --overwrite", "is written by Demarc alone")
}

// patchRefused sends one PATCH of a namespace as somebody in a group; kubectl would
// read it first and get no further.
func patchRefused(t *testing.T, group, namespace, patch, subresource string) {
	t.Helper()
	config := rest.CopyConfig(c.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "somebody", Groups: []string{group, "system:authenticated"}}
	as, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	_, err = as.CoreV1().Namespaces().Patch(t.Context(), namespace, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresource)
	if !apierrors.IsForbidden(err) {
		t.Errorf("patch of namespace %s %s with %s: %v, want it forbidden", namespace, subresource, patch, err)
	}
}

// Complaint 18 (capsule#332, capsule-proxy#233): a group is taken as the
// authenticator names it, slashes and prefixes included.
func TestComplaint18GroupsVerbatim(t *testing.T) {
	t.Parallel()
	const group = "oidc:/corp/Team_Verbatim"
	c.Apply(t, cluster.Tenant("verbatim", "access: [{group: '"+group+"', role: edit}]"))
	c.TenantSays(t, soon, "verbatim", "Ready", "TenantReady")
	c.Must(t, "create configmap mine -n team-verbatim"+as(group))
	refused(t, "create configmap theirs -n team-verbatim"+as("/corp/Team_Verbatim"), "forbidden")
	refused(t, "create configmap theirs -n team-verbatim"+editor("verbatim"), "forbidden") // not the default any more
}

// Complaint 19 (capsule#1838, rancher#17724): who may only look sees the namespace,
// and who is taken out of the list loses access.
func TestComplaint19ViewersSeeAndLeaversDoNot(t *testing.T) {
	t.Parallel()
	c.Apply(t, cluster.Tenant("audit", "access: [{group: auditors, role: view}, {group: leavers, role: operate}]"))
	c.TenantSays(t, soon, "audit", "Ready", "TenantReady")
	c.Must(t, "get pods,services,deployments -n team-audit"+as("auditors"))
	c.Must(t, "get tenant audit"+as("auditors"))
	refused(t, "get secrets -n team-audit"+as("auditors"), "cannot list resource")
	c.Must(t, "get pods -n team-audit"+as("leavers"))
	c.Apply(t, cluster.Tenant("audit", "access: [{group: auditors, role: view}]"))
	c.TenantSays(t, soon, "audit", "Ready", "TenantReady")
	refused(t, "get pods -n team-audit"+as("leavers"), "cannot list resource")
	if out := c.Must(t, "get rolebindings,clusterrolebindings -A -l demarc.dev/team=audit -o jsonpath={.items[*].subjects[*].name}"); strings.Contains(out, "leavers") {
		t.Errorf("still bound: %s", out)
	}
}

// Complaint 20 (kubernetes#66353): a roleRef never changes, so a change of role is
// another binding.
func TestComplaint20RoleOfASubjectChanges(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"view", "edit", "operate"} {
		c.Apply(t, cluster.Tenant("promoted", "access: [{group: newcomers, role: "+role+"}]"))
		c.TenantSays(t, soon, "promoted", "AccessReady", "AccessReady")
		allowed := role == "edit"
		out, err := c.Kubectl(t, "", strings.Fields("create configmap x -n team-promoted --dry-run=server"+as("newcomers"))...)
		if allowed != (err == nil) {
			t.Errorf("as %s: %v: %s", role, err, out)
		}
	}
}

// Complaint 21 (capsule#1300): no team is, or reaches, a namespace of the system's.
func TestComplaint21ReservedNamespaces(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"system", "default", "platform", "demarc"} {
		out, err := c.Kubectl(t, cluster.Tenant(name, ""), "apply", "-f", "-")
		if err == nil || !strings.Contains(out, "reserved") {
			t.Errorf("Tenant %s: %v: %s", name, err, out)
		}
	}
	c.Apply(t, cluster.Tenant("lowly", ""))
	c.TenantSays(t, soon, "lowly", "Ready", "TenantReady")
	for _, ns := range []string{"kube-system", "kube-public", "default", "argocd", "demarc-system"} {
		patchRefused(t, "team-lowly", ns, `{"metadata":{"labels":{"mine":"yes"}}}`, "")
		refused(t, fmt.Sprintf("create configmap mine -n %s%s", ns, editor("lowly")), "cannot create resource")
	}
}
