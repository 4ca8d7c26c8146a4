package compile

import (
	"strings"

	"demarc.dev/demarc/internal/guardrail"
)

// Chart is the file of a rule as the chart ships it: with the chart's labels, and with
// nothing that Helm would take for its own language.
func Chart(r guardrail.Rule) ([]byte, error) {
	text, err := Text(r)
	if err != nil {
		return nil, err
	}
	out := strings.ReplaceAll(string(text), "{{", `{{ "{{" }}`)
	out = strings.ReplaceAll(out, "  labels:\n    app.kubernetes.io/name: demarc\n", "  labels:\n    {{- include \"demarc.labels\" . | nindent 4 }}\n")
	return []byte(out), nil
}
