package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// piece is one document of a file; base is the number of lines before it.
type piece struct {
	text string
	base int
}

// Parse reads all objects of a file. Lists are taken apart. All that is wrong is in the
// error, as Faults has it, and what can be read is given all the same.
func Parse(file, text string) ([]Doc, error) {
	var docs []Doc
	var errs []error
	number := 0
	for _, p := range pieces(text) {
		root, err := tree(p.text)
		if err != nil {
			number++
			errs = append(errs, syntax(Place{file, number, p.base + 1}, p, err))
			continue
		}
		if len(root.Content) == 0 || root.Content[0].Tag == "!!null" {
			continue // nothing but comments
		}
		number++
		node := root.Content[0]
		doc := Doc{Place: Place{file, number, p.base + node.Line}, Text: p.text, node: node, base: p.base}
		found, err := doc.read(p.text)
		docs = append(docs, found...)
		errs = append(errs, err)
	}
	return docs, errors.Join(errs...)
}

// tree reads the one document of a text; nothing may follow it.
func tree(text string) (root yamlv3.Node, err error) {
	decoder := yamlv3.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&root); err != nil {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return root, err
	}
	var more yamlv3.Node
	switch err := decoder.Decode(&more); {
	case errors.Is(err, io.EOF):
		return root, nil
	case err != nil && !strings.Contains(err.Error(), "<document start>"):
		return root, err
	case err != nil:
		at, _ := numberOf(err.Error())
		return root, following(at + 1)
	default:
		return root, following(more.Line)
	}
}

func following(line int) error {
	return fmt.Errorf("line %d: something follows where the document has ended: put --- before another one", line)
}

// pieces cuts a stream of JSON objects, or YAML at its "---" lines.
func pieces(text string) []piece {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	if found, ok := jsonPieces(text); ok {
		return found
	}
	var out []piece
	var current strings.Builder
	base := 0
	for i, line := range strings.SplitAfter(text, "\n") {
		if rest, ok := separator(line); ok {
			out = append(out, piece{current.String(), base})
			current.Reset()
			base = i
			line = rest
		}
		current.WriteString(line)
	}
	return append(out, piece{current.String(), base})
}

// separator reports whether a line parts documents, and what else stands on it.
func separator(line string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(line, "---")
	if !ok || strings.TrimSpace(rest) != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", false
	}
	return "   " + rest, true
}

func jsonPieces(text string) ([]piece, bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, false
	}
	var out []piece
	decoder := json.NewDecoder(strings.NewReader(text))
	for decoder.More() {
		var raw json.RawMessage
		if decoder.Decode(&raw) != nil {
			return nil, false // YAML in braces, or wrong: the other reader says what is wrong
		}
		start := int(decoder.InputOffset()) - len(raw)
		// A tab in JSON stands between words only, and YAML does not take it there.
		out = append(out, piece{strings.ReplaceAll(string(raw), "\t", " "), strings.Count(text[:start], "\n")})
	}
	return out, true
}

// read makes one object of a document, or as many as a list holds.
func (d Doc) read(text string) ([]Doc, error) {
	if d.node.Kind != yamlv3.MappingNode {
		return nil, d.Errorf("", "it is no object: an object begins with apiVersion and kind")
	}
	if err := d.twice(d.node, ""); err != nil {
		return nil, err
	}
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, syntax(d.Place, piece{text, d.base}, err)
	}
	return d.take(raw)
}

func (d Doc) take(raw []byte) ([]Doc, error) {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" && wrong.Field != "items" {
			return nil, d.Errorf(wrong.Field, "it is %s", article(wrong.Value))
		}
	}
	d.APIVersion, d.Kind, d.Name, d.JSON = head.APIVersion, head.Kind, head.Metadata.Name, raw
	if d.APIVersion == "" || d.Kind == "" {
		return nil, d.Errorf("", "it has no apiVersion and kind; a kustomization is built first: kustomize build FOLDER | demarc render -f -")
	}
	if !strings.HasSuffix(d.Kind, "List") || child(d.node, "items") == nil {
		return []Doc{d}, nil
	}
	var docs []Doc
	var errs []error
	for i, item := range head.Items {
		one := Doc{Place: d.Place, node: child(child(d.node, "items"), fmt.Sprintf("[%d]", i)), base: d.base}
		if one.node == nil || one.node.Kind != yamlv3.MappingNode {
			errs = append(errs, d.Errorf(fmt.Sprintf("items[%d]", i), "it is no object"))
			continue
		}
		one.Line = d.base + one.node.Line
		found, err := one.take(item)
		docs = append(docs, found...)
		errs = append(errs, err)
	}
	return docs, errors.Join(errs...)
}

// twice finds a key that is set twice: only one of the two would count.
func (d Doc) twice(node *yamlv3.Node, path string) error {
	seen := map[string]bool{}
	var errs []error
	for i, c := range node.Content {
		switch {
		case node.Kind == yamlv3.SequenceNode:
			errs = append(errs, d.twice(c, fmt.Sprintf("%s[%d]", path, i)))
		case node.Kind == yamlv3.MappingNode && i%2 == 1:
			key := node.Content[i-1]
			field := strings.TrimPrefix(path+"."+key.Value, ".")
			if seen[key.Value] {
				at := d.Place
				at.Line = d.base + key.Line
				errs = append(errs, &Fault{Place: at, Path: field, Text: "it is set twice"})
			}
			seen[key.Value] = true
			errs = append(errs, d.twice(c, field))
		}
	}
	return errors.Join(errs...)
}
