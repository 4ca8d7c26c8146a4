package compile

import (
	"bytes"
	"encoding/json"

	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/guardrail"
)

// Text is the file of a rule: its policy and its bindings.
func Text(r guardrail.Rule) ([]byte, error) {
	policy, err := Policy(r)
	if err != nil {
		return nil, err
	}
	out := bytes.NewBufferString("# Made from internal/guardrail/source/" + r.ID + ".yaml by make generate.\n")
	objects := []any{policy}
	for _, b := range Bindings(r) {
		objects = append(objects, b)
	}
	for i, o := range objects {
		text, err := manifest(o)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(text)
	}
	return out.Bytes(), nil
}

// manifest of an object, without what only the API server writes.
func manifest(o any) ([]byte, error) {
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	delete(fields, "status")
	delete(fields["metadata"].(map[string]any), "creationTimestamp")
	return yaml.Marshal(fields)
}
