package verify

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// filled is a part with the defaults of the API server in it.
func filled(kind string, part any) any {
	node, ok := part.(map[string]any)
	if !ok {
		return part
	}
	node = runtime.DeepCopyJSON(integers(node).(map[string]any))
	switch kind {
	case "ValidatingAdmissionPolicy", "MutatingAdmissionPolicy":
		fill(node, "failurePolicy", "Fail")
		if match, ok := node["matchConstraints"].(map[string]any); ok {
			fillMatch(match)
		}
	case "ResourceQuota":
		if hard, ok := node["hard"].(map[string]any); ok {
			canonical(hard)
		}
	case "LimitRange":
		items, _ := node["limits"].([]any)
		for _, item := range items {
			limits, _ := item.(map[string]any)
			for _, part := range limits {
				if list, ok := part.(map[string]any); ok {
					canonical(list)
				}
			}
		}
	}
	return node
}

// integers makes of numbers what a deep copy takes.
func integers(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for key, value := range x {
			out[key] = integers(value)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = integers(x[i])
		}
		return out
	case int:
		return int64(x)
	case float64:
		if x == float64(int64(x)) {
			return int64(x)
		}
	}
	return v
}

func fill(node map[string]any, key string, value any) {
	if _, ok := node[key]; !ok {
		node[key] = value
	}
}

func fillMatch(match map[string]any) {
	fill(match, "matchPolicy", "Equivalent")
	fill(match, "namespaceSelector", map[string]any{})
	fill(match, "objectSelector", map[string]any{})
	for _, list := range []string{"resourceRules", "excludeResourceRules"} {
		rules, _ := match[list].([]any)
		for _, r := range rules {
			if rule, ok := r.(map[string]any); ok {
				fill(rule, "scope", "*")
			}
		}
	}
}

func canonical(list map[string]any) {
	for name, amount := range list {
		if q, err := resource.ParseQuantity(fmt.Sprint(amount)); err == nil {
			list[name] = q.String()
		}
	}
}
