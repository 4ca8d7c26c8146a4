// Package manifest reads objects from the text of files and says of each where it
// stands, so that whatever is wrong with one can be found by file, document and line.
package manifest

import (
	"errors"
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
	// Text is the document as it was written, comments included; empty for an object in a list.
	Text string
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

// Fault is something wrong with an object, and where it stands.
type Fault struct {
	Place
	// Object is kind and name, as far as they are known; Path is the field.
	Object, Path, Text string
}

func (f *Fault) Error() string {
	text := f.Text
	for _, part := range []string{f.Path, f.Object} {
		if part != "" {
			text = part + ": " + text
		}
	}
	return fmt.Sprint(f.Place, ": ", text)
}

// Errorf is a Fault at a field, such as "spec.replicas"; an empty path is the object itself.
func (d Doc) Errorf(path, format string, args ...any) error {
	f := &Fault{Place: d.Place, Path: path, Text: fmt.Sprintf(format, args...)}
	f.Line = d.LineOf(path)
	if d.Kind != "" && d.Name != "" {
		f.Object = d.Kind + " " + d.Name
	}
	return f
}

// Faults takes an error of this package apart. What is none of ours is one without a
// place.
func Faults(err error) []*Fault {
	var fault *Fault
	var many interface{ Unwrap() []error }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &many):
		var all []*Fault
		for _, one := range many.Unwrap() {
			all = append(all, Faults(one)...)
		}
		return all
	case errors.As(err, &fault):
		return []*Fault{fault}
	default:
		return []*Fault{{Text: err.Error()}}
	}
}

// LineOf a field, or of the nearest that is there above it.
func (d Doc) LineOf(path string) int {
	node, line := d.node, d.Line
	for _, step := range Steps(path) {
		node = child(node, step)
		if node == nil {
			break
		}
		line = d.base + node.Line
	}
	return line
}

// Reach follows a path as far as it goes: the last node that is there, the number of lines
// before its document, and the steps that are not there.
func (d Doc) Reach(path string) (node *yaml.Node, base int, left []string) {
	node, left = d.node, Steps(path)
	for len(left) > 0 {
		next := value(node, left[0])
		if next == nil {
			break
		}
		node, left = next, left[1:]
	}
	return node, d.base, left
}

// Steps cuts "spec.access[1].role" into spec, access, [1], role. What stands in brackets
// may have dots: metadata.labels[example.com/a].
func Steps(path string) (list []string) {
	for path != "" {
		end := strings.IndexAny(path, ".[")
		if path[0] == '[' {
			if end = strings.Index(path, "]") + 1; end == 0 {
				end = len(path)
			}
		}
		if end < 0 {
			end = len(path)
		}
		if end > 0 {
			list = append(list, path[:end])
		}
		path = strings.TrimPrefix(path[end:], ".")
	}
	return list
}

// child is the value of a key, with the line of the key, or an element of a list.
func child(node *yaml.Node, step string) *yaml.Node {
	if node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	found := value(node, step)
	if found != nil && node.Kind == yaml.MappingNode {
		return at(key(node, step).Line, found)
	}
	return found
}

// value is that of a key, or an element of a list.
func value(node *yaml.Node, step string) *yaml.Node {
	switch {
	case node == nil:
		return nil
	case node.Kind == yaml.SequenceNode:
		return element(node, inner(step))
	case node.Kind != yaml.MappingNode:
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if named(node.Content[i], step) {
			return node.Content[i+1]
		}
	}
	return nil
}

// key of a mapping that a step names.
func key(node *yaml.Node, step string) *yaml.Node {
	for i := 0; i < len(node.Content); i += 2 {
		if named(node.Content[i], step) {
			return node.Content[i]
		}
	}
	return nil
}

func named(key *yaml.Node, step string) bool { return key.Value == step || key.Value == inner(step) }

func inner(step string) string { return strings.TrimSuffix(strings.TrimPrefix(step, "["), "]") }

// names are the fields by which an element of a list is told, in a path.
var names = [][]string{{"name"}, {"metadata", "name"}, {"containerPort"}, {"port"}, {"host"}, {"key"}}

// element of a list by its number, or by its name as in env[LEVEL].
func element(list *yaml.Node, which string) *yaml.Node {
	for i, one := range list.Content {
		if strconv.Itoa(i) == which {
			return one
		}
		for _, field := range names {
			name := one
			for _, step := range field {
				name = child(name, step)
			}
			if name != nil && name.Value == which {
				return one
			}
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
