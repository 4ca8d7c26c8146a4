package deletion_test

import (
	"testing"

	"demarc.dev/demarc/internal/deletion"
)

// What a team calls an object cannot play tricks in a command that somebody else runs.
func TestKubectl(t *testing.T) {
	for name, want := range map[string]string{
		"web":                "rolebinding.rbac.authorization.k8s.io web -n team-shop",
		"demarc:claims:shop": "rolebinding.rbac.authorization.k8s.io demarc:claims:shop -n team-shop",
		"--all":              "'rolebinding.rbac.authorization.k8s.io/--all' -n team-shop",
		"x;id":               "'rolebinding.rbac.authorization.k8s.io/x;id' -n team-shop",
		"$(id)":              "'rolebinding.rbac.authorization.k8s.io/$(id)' -n team-shop",
		"it's a":             `'rolebinding.rbac.authorization.k8s.io/it'\''s a' -n team-shop`,
	} {
		o := deletion.Object{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding", Namespace: "team-shop", Name: name}
		if got := o.Kubectl(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
