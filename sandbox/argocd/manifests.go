package argocd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// load reads every object in a folder, CRDs first so that they are served by the time the project is applied.
func load(manifests string) ([]*unstructured.Unstructured, error) {
	var files []string
	for _, pattern := range []string{"crds/*.yaml", "*/*/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(manifests, pattern))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no manifests in %s", manifests)
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(text, &o.Object); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, o)
	}
	return objects, nil
}

func namespace() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{
			"name": Namespace,
			// A field of ours: an object without one would be written once more by the next apply.
			"labels": map[string]any{"app.kubernetes.io/part-of": "argocd"},
		},
	}}
}

// adjust puts namespaced objects into Argo CD's namespace and adds the sandbox's settings.
func adjust(o *unstructured.Unstructured) *unstructured.Unstructured {
	if !clusterScoped(o.GetKind()) {
		o.SetNamespace(Namespace)
	}
	if o.GetKind() == "RoleBinding" || o.GetKind() == "ClusterRoleBinding" {
		subjects, _, _ := unstructured.NestedSlice(o.Object, "subjects")
		for _, s := range subjects {
			s.(map[string]any)["namespace"] = Namespace
		}
		_ = unstructured.SetNestedSlice(o.Object, subjects, "subjects")
	}
	if o.GetName() == "argocd-cm" {
		// A sync acts as the ServiceAccount that its project names, never as Argo CD itself.
		_ = unstructured.SetNestedField(o.Object, "true", "data", "application.sync.impersonation.enabled")
	}
	if o.GetName() == "argocd-secret" {
		_ = unstructured.SetNestedField(o.Object, "sandbox", "stringData", "server.secretkey")
	}
	return o
}

func clusterScoped(kind string) bool {
	return strings.HasPrefix(kind, "Cluster") || kind == "CustomResourceDefinition" || kind == "Namespace"
}
