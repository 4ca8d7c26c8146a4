package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Parse reads the objects of a file, YAML or JSON, several of them divided by "---".
func Parse(text []byte) ([]Object, error) {
	var out []Object
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", len(out)+1, err)
		}
		if text := string(bytes.TrimSpace(raw)); text == "" || text == "null" {
			continue // comments alone
		}
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON(raw); err != nil {
			return nil, fmt.Errorf("object %d: %w", len(out)+1, err)
		}
		if o.GetAPIVersion() == "" {
			return nil, fmt.Errorf("object %d has no apiVersion", len(out)+1)
		}
		out = append(out, o)
	}
}
