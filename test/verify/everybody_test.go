package verify

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/testenv"
)

var update = flag.Bool("update", false, "write internal/verify/everybody.yaml anew")

// everybodys are the bindings by which Kubernetes gives something to whoever is known to
// it, to any account, or to anyone at all.
var everybodys = []string{"system:basic-user", "system:cluster-trust-bundle-discovery", "system:discovery", "system:public-info-viewer",
	"system:service-account-issuer-discovery"}

// testEverybody holds the list to be all that an API server gives these groups by itself.
func testEverybody(t *testing.T) {
	var bindings rbacv1.ClusterRoleBindingList
	must(t, env.Client.List(t.Context(), &bindings))
	var found []string
	for _, b := range bindings.Items {
		for _, s := range b.Subjects {
			if s.Name == "system:authenticated" || s.Name == "system:unauthenticated" || s.Name == "system:serviceaccounts" {
				found = append(found, b.Name)
				break
			}
		}
	}
	if diff := cmp.Diff(everybodys, found); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var b bytes.Buffer
	b.WriteString("# What Kubernetes gives everybody, as an API server makes it: go test ./test/verify -update\n")
	for _, kind := range []string{"ClusterRole", "ClusterRoleBinding"} {
		for _, name := range everybodys {
			o := &unstructured.Unstructured{}
			o.SetGroupVersionKind(rbacv1.SchemeGroupVersion.WithKind(kind))
			must(t, env.Client.Get(t.Context(), client.ObjectKey{Name: name}, o))
			o.Object["metadata"] = map[string]any{"name": name}
			raw, err := yaml.Marshal(o.Object)
			must(t, err)
			b.WriteString("---\n" + string(raw))
		}
	}
	file := filepath.Join(testenv.Root(), "internal", "verify", "everybody.yaml")
	if *update {
		must(t, os.WriteFile(file, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s is not current (-want +got): go test ./test/verify -update\n%s", file, diff)
	}
}
