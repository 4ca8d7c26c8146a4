package initclaim

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// order of the fields of a spec, as a person writes them; others come after, by name.
var order = []string{"team", "kind", "image", "job", "port", "expose", "replicas", "autoscaling", "env", "volumes"}

// layOut writes a claim in the order in which it is read, and not by the alphabet.
func layOut(u *unstructured.Unstructured) (string, error) {
	spec, _, _ := unstructured.NestedMap(u.Object, "spec")
	keys := make([]string, 0, len(spec))
	for k := range spec {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if i, j := place(a), place(b); i != j {
			return i - j
		}
		return strings.Compare(a, b)
	})
	name, err := yaml.Marshal(map[string]any{"name": u.GetName()}) // in quotes where it would be taken for something else
	if err != nil {
		return "", fmt.Errorf("write metadata.name as YAML: %w", err)
	}
	out := fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata:\n  %sspec:\n", u.GetAPIVersion(), u.GetKind(), name)
	for _, k := range keys {
		raw, err := yaml.Marshal(map[string]any{k: spec[k]})
		if err != nil {
			return "", fmt.Errorf("write spec.%s as YAML: %w", k, err)
		}
		for _, line := range strings.Split(strings.TrimRight(string(raw), "\n"), "\n") {
			out += "  " + line + "\n"
		}
	}
	return out, nil
}

func place(key string) int {
	if i := slices.Index(order, key); i >= 0 {
		return i
	}
	return len(order)
}
