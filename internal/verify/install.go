package verify

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// chart is what the install brings, made from the chart by make generate, with these in
// the place of the two namespaces.
//
//go:embed chart.yaml
var chart []byte

// The namespaces in chart.yaml.
const (
	OperatorNamespace = "OPERATOR-NAMESPACE"
	ArgoCDNamespace   = "ARGOCD-NAMESPACE"
)

// everybodys are what Kubernetes gives everybody; a test asks a real API server.
//
//go:embed everybody.yaml
var everybodys []byte

var installedTemplate, everybodysObjects = parsed("chart.yaml", chart), parsed("everybody.yaml", everybodys)

func parsed(name string, text []byte) []*unstructured.Unstructured {
	objects, err := snapshot.Parse(text)
	if err != nil {
		panic(fmt.Sprintf("verify: %s: %v", name, err)) // it is compiled in, and a test reads it
	}
	return objects
}

// installed are the policies and the operator's rights as the chart makes them.
func installed(operator, argoCD string) (list []render.Object) {
	put := strings.NewReplacer(OperatorNamespace, operator, ArgoCDNamespace, argoCD)
	for _, o := range installedTemplate {
		list = append(list, &unstructured.Unstructured{Object: replaced(o.Object, put).(map[string]any)})
	}
	return list
}

func replaced(node any, put *strings.Replacer) any {
	switch x := node.(type) {
	case string:
		return put.Replace(x)
	case map[string]any:
		out := make(map[string]any, len(x))
		for key, value := range x {
			out[key] = replaced(value, put)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = replaced(x[i], put)
		}
		return out
	}
	return node
}

func everybody() []render.Object { return slices.Clone(everybodysObjects) }

func keysOf(m map[string]string) []string {
	var list []string
	for key := range m {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}
