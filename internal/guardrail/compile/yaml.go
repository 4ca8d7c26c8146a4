package compile

import (
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/guardrail"
)

// limitsText are a rule's limits as YAML; empty where it has none.
func limitsText(r guardrail.Rule) string {
	text, err := yaml.Marshal(r.Limits)
	if err != nil || strings.TrimSpace(string(text)) == "{}" {
		return ""
	}
	return string(text)
}

func indent(n int, text string) string {
	pad := strings.Repeat(" ", n)
	return pad + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+pad) + "\n"
}

func sorted(m map[string][]string) []string { return slices.Sorted(maps.Keys(m)) }
