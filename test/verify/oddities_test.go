package verify

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/rbac"
	"demarc.dev/demarc/internal/testenv"
)

// oddities are roles and bindings as few write them.
func oddities(t *testing.T) []client.Object {
	t.Helper()
	named := metav1.ObjectMeta{Name: "odd"}
	in := metav1.ObjectMeta{Name: "odd", Namespace: "odd"}
	group := rbacv1.Subject{Kind: "Group", APIGroup: rbacv1.GroupName, Name: "odd"}
	all := []client.Object{
		&rbacv1.ClusterRole{ObjectMeta: named, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"apps"}, Resources: []string{"*"}, Verbs: []string{"patch"}},
			{APIGroups: []string{"*"}, Resources: []string{"*/scale"}, Verbs: []string{"update"}},
			{APIGroups: []string{""}, Resources: []string{"pods/*"}, Verbs: []string{"get"}},
			{APIGroups: []string{""}, Resources: []string{"configmaps", "secrets"}, ResourceNames: []string{"one", "two"}, Verbs: []string{"get", "create"}},
			{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"*"}},
			{NonResourceURLs: []string{"/odd/*", "/metrics"}, Verbs: []string{"get"}},
		}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: named, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "odd"}, Subjects: []rbacv1.Subject{group}},
		&rbacv1.Role{ObjectMeta: in, Rules: []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}}},
		// An account by its name as a user, another of a namespace as a group.
		&rbacv1.RoleBinding{ObjectMeta: in, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "odd"}, Subjects: []rbacv1.Subject{
			{Kind: "User", APIGroup: rbacv1.GroupName, Name: "system:serviceaccount:odd:bot"}}},
		&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "odd-group", Namespace: "team-shop"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "demarc:view"},
			Subjects: []rbacv1.Subject{{Kind: "Group", APIGroup: rbacv1.GroupName, Name: "system:serviceaccounts:odd"}}},
		// Of a role that is not there.
		&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "odd-none", Namespace: "team-shop"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "none"}, Subjects: []rbacv1.Subject{group}},
	}
	must(t, env.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "odd"}}))
	for _, o := range all {
		must(t, env.Client.Create(t.Context(), o.DeepCopyObject().(client.Object)))
	}
	c, err := kubernetes.NewForConfig(env.Config)
	must(t, err)
	testenv.EventuallyWithin(t, patience, func() error { // the authorizer reads from a cache
		for place, who := range map[string]rbac.Identity{"": {User: "x", Groups: []string{"odd"}}, "odd": rbac.Account("odd", "bot"), "team-shop": rbac.Account("odd", "other")} {
			r := rbac.Request{Verb: "patch", Group: "apps", Resource: "deployments"}
			if place == "team-shop" {
				r.Verb = "get"
			}
			ok, err := allows(t.Context(), c, who, place, r)
			if err == nil && !ok {
				err = errors.New("the authorizer does not know it yet")
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return all
}
