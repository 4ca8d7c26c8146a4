package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/cli"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/manifest"
)

// kept are the kinds that Demarc makes of Tenants and claims.
var kept = []schema.GroupVersionKind{
	argocd.ApplicationKind, argocd.ProjectKind,
	corev1.SchemeGroupVersion.WithKind("Namespace"), corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
	corev1.SchemeGroupVersion.WithKind("ResourceQuota"), corev1.SchemeGroupVersion.WithKind("LimitRange"),
	networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"),
	rbacv1.SchemeGroupVersion.WithKind("RoleBinding"), rbacv1.SchemeGroupVersion.WithKind("ClusterRoleBinding"),
}

// What demarc render prints of the examples, offline, is what the operator makes of
// them on a cluster: these objects and no other, with these fields.
func TestRenderIsWhatTheOperatorMakes(t *testing.T) {
	const examples = "../../examples"
	platform := must(t, "get platform default -o yaml")
	want := rendered(t, platform, "render", "-f", examples, "-f", "-")
	must(t, "apply -f "+examples)
	t.Cleanup(func() {
		must(t, "delete claim payments refunds catalog --wait=false")
		must(t, "delete tenant payments catalog --wait=false")
	})
	eventually(t, 2*time.Minute, func(ctx context.Context) error {
		live, err := ours(ctx, "payments", "catalog")
		if err != nil {
			return err
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(live))); diff != "" {
			return fmt.Errorf("other objects (-rendered +live)\n%s", diff)
		}
		var differ []error
		for key := range want {
			if diff := cmp.Diff(asked(want[key]), asked(live[key])); diff != "" {
				differ = append(differ, fmt.Errorf("%s (-rendered +live)\n%s", key, diff))
			}
		}
		return errors.Join(differ...)
	})
}

// rendered runs demarc in this process and reads what it prints.
func rendered(t *testing.T, stdin string, args ...string) map[string]*unstructured.Unstructured {
	t.Helper()
	var out, errOut bytes.Buffer
	io := factory.IO{In: strings.NewReader(stdin), Out: &out, ErrOut: &errOut}
	if code := cli.Run(t.Context(), factory.New("demarc", io), args); code != 0 {
		t.Fatalf("demarc %v ends with %d: %s", args, code, errOut.String())
	}
	docs, err := manifest.Read([]string{manifest.Stdin}, &out, false)
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]*unstructured.Unstructured{}
	for _, d := range docs {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(d.JSON); err != nil {
			t.Fatal(err)
		}
		objects[key(u)] = u
	}
	return objects
}

func key(u *unstructured.Unstructured) string {
	return fmt.Sprintf("%s %s/%s", u.GetKind(), u.GetNamespace(), u.GetName())
}

// ours are the live objects of the teams that Demarc keeps.
func ours(ctx context.Context, teams ...string) (map[string]*unstructured.Unstructured, error) {
	objects := map[string]*unstructured.Unstructured{}
	for _, kind := range kept {
		found := &unstructured.UnstructuredList{}
		found.SetGroupVersionKind(kind)
		if err := admin.List(ctx, found, client.HasLabels{v1alpha1.LabelOwner}); err != nil {
			return nil, err
		}
		for _, u := range found.Items {
			if slices.Contains(teams, u.GetLabels()[v1alpha1.LabelTeam]) {
				objects[key(&u)] = &u
			}
		}
	}
	return objects, nil
}

// asked is what the operator asks for of an object: all of its content, and of
// its metadata what Demarc writes, the two marks apart that only a cluster can give.
func asked(u *unstructured.Unstructured) map[string]any {
	out := map[string]any{}
	for field, value := range u.Object {
		if field != "metadata" && field != "status" {
			out[field] = value
		}
	}
	switch u.GetKind() {
	case "Namespace":
		delete(out, "spec") // Kubernetes' own finalizer
	case "Application":
		delete(out, "operation") // Argo CD's
	}
	labels := u.GetLabels()
	delete(labels, corev1.LabelMetadataName) // Kubernetes' own, on namespaces
	annotations := map[string]string{}
	for name, value := range u.GetAnnotations() {
		if strings.HasPrefix(name, "demarc.dev/") && name != v1alpha1.AnnotationOwnerUID && name != v1alpha1.AnnotationApplied {
			annotations[name] = value
		}
	}
	out["labels"], out["annotations"], out["finalizers"] = labels, annotations, u.GetFinalizers()
	return out
}
