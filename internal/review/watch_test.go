package review

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What is left of RBAC is who may do what, and by what a change of it is seen.
func TestTrim(t *testing.T) {
	full := metav1.ObjectMeta{Namespace: "n", Name: "o", UID: "u", ResourceVersion: "7", Labels: map[string]string{"l": "v"}, Annotations: map[string]string{"a": "v"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}}}
	bare := metav1.ObjectMeta{Namespace: "n", Name: "o", ResourceVersion: "7"}
	rules := []rbacv1.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}}}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "edit"}
	who := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "devs"}, {Kind: rbacv1.ServiceAccountKind, Namespace: "n", Name: "bot"}}
	into := &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: map[string]string{"l": "v"}}}}
	for _, c := range []struct{ given, want any }{
		{&rbacv1.ClusterRole{ObjectMeta: full, Rules: rules, AggregationRule: into},
			&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "o", ResourceVersion: "7", Labels: full.Labels}, Rules: rules, AggregationRule: into}},
		{&rbacv1.Role{ObjectMeta: full, Rules: rules}, &rbacv1.Role{ObjectMeta: bare, Rules: rules}},
		{&rbacv1.ClusterRoleBinding{ObjectMeta: full, RoleRef: ref, Subjects: who}, &rbacv1.ClusterRoleBinding{ObjectMeta: bare, RoleRef: ref, Subjects: who}},
		{&rbacv1.RoleBinding{ObjectMeta: full, RoleRef: ref, Subjects: who}, &rbacv1.RoleBinding{ObjectMeta: bare, RoleRef: ref, Subjects: who}},
		{"what a watch says last of what is gone", "what a watch says last of what is gone"},
	} {
		got, err := Trim(c.given)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}
