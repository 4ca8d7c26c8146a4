package e2e

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
)

// A janitor deletes anything and holds no force, like the garbage collector.
const janitor = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: janitor}
rules: [{apiGroups: ['*'], resources: ['*'], verbs: [delete, get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: janitor}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: janitor}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: janitor}]
`

// What an owner that is gone left behind goes by force alone: a reason written on
// it, and the verb force. Not parallel: the operator is stopped, or it would take
// the owners down in order.
func TestForce(t *testing.T) {
	apply(t, janitor, tenant("forced", roomy), claim("forced", "forced", "image: nginx:1.27-alpine"))
	claimSays(t, "forced", "Ready", "Running")
	if err := box.Stop(t.Context(), install.Operator); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := box.Start(context.Background(), install.Operator); err != nil {
			t.Error(err)
		}
	}()
	for _, o := range []string{"serviceclaim", "tenant"} {
		must(t, "delete "+o+" forced --wait=false")
		must(t, "patch "+o+` forced --type=merge -p {"metadata":{"finalizers":null}}`)
	}

	const notDrained = "If the owner is gone: annotate this with demarc.dev/force=REASON"
	const collector, namespaces = "--as=system:serviceaccount:kube-system:generic-garbage-collector", "--as=system:serviceaccount:kube-system:namespace-controller"
	const serviceAccounts = " --as-group=system:serviceaccounts --as-group=system:serviceaccounts:kube-system --as-group=system:authenticated"
	editor := as("dev", "forced")
	for _, o := range []string{"application forced.forced -n argocd", "appproject team-forced -n argocd", "namespace team-forced"} {
		try(t, []attack{
			{o + " without a reason", "", "delete --wait=false " + o, "", notDrained},
			{o + " annotated by the team", editor, "annotate " + o + " demarc.dev/force=mine", "", "cannot "},
			{o + " with an empty reason", "", "annotate " + o + " demarc.dev/force=", "", ""},
			{o + " deleted with an empty reason", "", "delete --wait=false " + o, "", notDrained},
			{o + " with a reason", "", "annotate --overwrite " + o + " demarc.dev/force=owner-lost", "", ""},
			{o + " by the team", editor, "delete --wait=false " + o, "", "cannot delete resource"},
			{o + " by who may delete", "--as=janitor", "delete --wait=false " + o, "", notDrained},
			{o + " by the garbage collector", collector + serviceAccounts, "delete --wait=false " + o, "", notDrained},
			{o + " by the namespace controller", namespaces + serviceAccounts, "delete --wait=false " + o, "", notDrained},
		})
	}
	for _, o := range []string{"application/forced.forced", "appproject/team-forced"} {
		kind, name, _ := strings.Cut(o, "/")
		must(t, "delete --wait=false -n argocd "+o)
		like := argocd.ApplicationKind
		if kind == "appproject" {
			like = argocd.ProjectKind
		}
		isGone(t, soon, kube.Named(like, "argocd", name))
	}
	forceNamespace(t)
}

// forceNamespace shows that the platform's share of a namespace is kept until the
// namespace goes, and then goes with it.
func forceNamespace(t *testing.T) {
	t.Helper()
	try(t, []attack{{"the budget of a namespace that stays", "--as=janitor", "delete resourcequota demarc -n team-forced", "", "the platform keeps this in team namespaces"}})
	must(t, "delete namespace team-forced --wait=false")
	// The access is held by the operator, which has no Tenant to let it go for.
	eventually(t, soon, func(context.Context) error {
		out, err := kubectl(t, "", "delete", "rolebindings", "-n", "team-forced", "-l", "demarc.dev/owner", "--wait=false", "--as=janitor")
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	out := must(t, "get rolebindings -n team-forced -l demarc.dev/owner -o name")
	for _, binding := range strings.Fields(out) {
		must(t, "patch "+binding+` -n team-forced --type=merge -p {"metadata":{"finalizers":null}}`)
	}
	isGone(t, soon, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-forced"}})
}
