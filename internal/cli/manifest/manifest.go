// Package manifest reads objects from files and says of each where it stands, so
// that whatever is wrong with one can be found by file, document and line.
package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Doc is one object as it was written.
type Doc struct {
	Place
	APIVersion, Kind, Name string
	// JSON is the object.
	JSON []byte
	// node is the same with lines; base is the line before its first.
	node *yaml.Node
	base int
}

// Place says where something stands.
type Place struct {
	File string
	// Document counts the documents of a file that hold something, from 1.
	Document int
	Line     int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d: document %d", p.File, p.Line, p.Document) }

// Group of the API.
func (d Doc) Group() string {
	group, _, ok := strings.Cut(d.APIVersion, "/")
	if !ok {
		return ""
	}
	return group
}

// Errorf is an error at a field, such as "spec.replicas"; an empty path is the object itself.
func (d Doc) Errorf(path, format string, args ...any) error {
	at := d.Place
	at.Line = d.line(path)
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = path + ": " + text
	}
	who := ""
	if d.Kind != "" && d.Name != "" {
		who = d.Kind + " " + d.Name + ": "
	}
	return fmt.Errorf("%s: %s%s", at, who, text)
}

// line is that of a field, or of the nearest that is there above it.
func (d Doc) line(path string) int {
	node, line := d.node, d.Line
	for _, step := range steps(path) {
		node = child(node, step)
		if node == nil {
			break
		}
		line = d.base + node.Line
	}
	return line
}

// steps cuts "spec.access[1].role" into spec, access, [1], role. A key with a dot in
// it ends the walk early, at the line of what holds it.
func steps(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(strings.ReplaceAll(path, "[", ".["), ".")
}

// child is the value of a key, or an element of a list.
func child(node *yaml.Node, step string) *yaml.Node {
	if node == nil {
		return nil
	}
	if node.Kind == yaml.SequenceNode {
		return element(node, strings.Trim(step, "[]"))
	}
	if node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == step {
			return at(node.Content[i].Line, node.Content[i+1])
		}
	}
	return nil
}

// element of a list by its number, or by its name as in env[LEVEL].
func element(list *yaml.Node, which string) *yaml.Node {
	for i, one := range list.Content {
		if strconv.Itoa(i) == which {
			return one
		}
		if name := child(one, "name"); name != nil && name.Value == which {
			return one
		}
	}
	return nil
}

// at is a value with the line of its key: a mapping begins a line below.
func at(line int, value *yaml.Node) *yaml.Node {
	moved := *value
	moved.Line = line
	return &moved
}
