// Package kwok holds the stages by which kwok plays the kubelet of every node, and an ingress controller. The host in an
// image's name decides how its container fares; see the package's YAML files and sandbox/README.md.
package kwok

import (
	"embed"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Config is kwok's configuration file.
func Config() string {
	var parts []string
	for _, name := range []string{"options.yaml", "node.yaml", "pod.yaml", "ingress.yaml"} {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err) // compiled in
		}
		parts = append(parts, string(text))
	}
	return strings.Join(parts, "---\n")
}
