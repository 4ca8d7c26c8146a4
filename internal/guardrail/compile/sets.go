package compile

import (
	"bytes"
	"fmt"

	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/render"
)

// Sets are the GuardrailSets of a platform that says nothing, as a file. Who upgrades from a
// release without guardrails applies them with the CRDs: the policies hold from their first
// moment on, and the operator that writes the sets comes after them.
func Sets() ([]byte, error) {
	b := bytes.NewBufferString("# What the guardrails read where the Platform says nothing; made by make generate. The operator takes over.\n")
	for _, set := range guardrail.Sets(nil, nil, nil) {
		text, err := yaml.Marshal(render.GuardrailSet(set).Object)
		if err != nil {
			return nil, fmt.Errorf("write GuardrailSet %s: %w", set.Name, err)
		}
		fmt.Fprintf(b, "---\n%s", text)
	}
	return b.Bytes(), nil
}
