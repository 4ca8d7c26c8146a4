package manifests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// folders are the fields of a kustomization that name files and folders which may be
// kustomizations themselves.
var folders = []string{"resources", "bases", "components", "generators", "transformers", "validators"}

// texts are the fields whose values are no paths.
var texts = []string{"commonAnnotations", "commonLabels", "labels", "metadata", "literals", "patch", "options", "vars", "images", "namePrefix", "nameSuffix"}

// local refuses a kustomization that would fetch something: everything that it names must
// be on this disk.
func local(dir string, seen map[string]bool) error {
	file := kustomizationIn(dir)
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	if file == "" || seen[dir] {
		return nil
	}
	seen[dir] = true
	text, err := os.ReadFile(file)
	if err != nil {
		return pathError(file, err)
	}
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil || len(root.Content) == 0 {
		return nil // kustomize says what is wrong with it
	}
	if err := noAddress(file, root.Content[0]); err != nil {
		return err
	}
	for _, field := range folders {
		for _, entry := range list(root.Content[0], field) {
			path := filepath.Join(dir, entry.Value)
			info, err := os.Stat(path)
			if err != nil && !strings.Contains(entry.Value, "\n") { // an inline one has lines
				return fmt.Errorf("%s:%d: %s is not on this disk: what a kustomization fetches is not checked; copy it here, or give what kustomize build prints: kustomize build %s | demarc check -",
					file, entry.Line, entry.Value, filepath.Dir(file))
			}
			if err == nil && info.IsDir() {
				if err := local(path, seen); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// noAddress refuses an address on the network where a path should be.
func noAddress(file string, node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && (strings.HasPrefix(node.Value, "http://") || strings.HasPrefix(node.Value, "https://")) {
		return fmt.Errorf("%s:%d: %s is fetched: what a kustomization fetches is not checked; copy it here", file, node.Line, node.Value)
	}
	for i, c := range node.Content {
		if node.Kind == yaml.MappingNode && (i%2 == 0 || slices.Contains(texts, node.Content[i-1].Value)) {
			continue
		}
		if err := noAddress(file, c); err != nil {
			return err
		}
	}
	return nil
}

// list is a list of a mapping.
func list(node *yaml.Node, field string) []*yaml.Node {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == field {
			return node.Content[i+1].Content
		}
	}
	return nil
}
