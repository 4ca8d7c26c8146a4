// Package document prints an answer as JSON or YAML, with the cluster's text in it made
// safe: a terminal shows these too.
package document

import (
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/plain"
)

// Outputs are the forms that an answer can be had in.
var Outputs = []string{"text", "json", "yaml"}

// Write prints an answer in one of the forms but text.
func Write(out io.Writer, form string, answer any) error {
	text, err := encode(form, answer)
	if err == nil {
		_, err = out.Write(text)
	}
	if err != nil {
		return exit.Failed(fmt.Sprintf("cannot write the answer as %s: %v", form, err), "")
	}
	return nil
}

func encode(form string, answer any) ([]byte, error) {
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, err
	}
	tree = clean(tree)
	if form == "yaml" {
		return yaml.Marshal(tree)
	}
	text, err := json.MarshalIndent(tree, "", "  ")
	return append(text, '\n'), err
}

// clean makes every text of a tree one that can be shown.
func clean(tree any) any {
	switch node := tree.(type) {
	case string:
		return plain.Text(node)
	case []any:
		for i := range node {
			node[i] = clean(node[i])
		}
	case map[string]any:
		fresh := make(map[string]any, len(node))
		for key, value := range node {
			fresh[plain.Text(key)] = clean(value)
		}
		return fresh
	}
	return tree
}
