package verify_test

import (
	"os"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/verify"
)

// What Argo CD's own manifests give its accounts is a note: they hold power and are trusted.
func TestArgoCDIsTrusted(t *testing.T) {
	text, err := os.ReadFile("testdata/argocd.yaml")
	must(t, err)
	objects, err := snapshot.Parse(text)
	must(t, err)
	set := fresh(t)
	set.Add(objects...)
	report := verify.Check(set, verify.Question{})
	if said := told(report, finding.Finding.Counts); said != "" {
		t.Errorf("it finds\n%s", said)
	}
	notes := told(report, func(f finding.Finding) bool {
		return strings.Contains(f.Message, "Argo CD, with the rights of its own manifests")
	})
	if !strings.Contains(notes, "7 bindings") {
		t.Errorf("of Argo CD it notes: %s", notes)
	}
	for _, o := range objects { // the same to another account of that namespace
		if o.GetKind() == "RoleBinding" && o.GetName() == "argocd-server" {
			set.Add(bound(t, o, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: "argocd", Name: "other"}))
		}
	}
	if said := told(verify.Check(set, verify.Question{}), finding.Finding.Counts); !strings.Contains(said, "OC004 error RoleBinding/argocd-server in argocd") {
		t.Errorf("of another account it finds: %s", said)
	}
}

// bound is a binding with another subject.
func bound(t *testing.T, o snapshot.Object, s rbacv1.Subject) snapshot.Object {
	t.Helper()
	other := o.DeepCopy()
	other.Object["subjects"] = []any{map[string]any{"kind": s.Kind, "namespace": s.Namespace, "name": s.Name}}
	return other
}
