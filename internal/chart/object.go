package chart

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Object is one object that a chart becomes.
type Object struct {
	*unstructured.Unstructured
	// Template that it came from, with the chart's name: service/templates/service.yaml.
	Template string
	// Text of its document, as it was rendered.
	Text string
	// Line of what the template became at which the text begins, from 1.
	Line int
}

// objects reads what templates became, in the order of their names.
func objects(rendered map[string]string) ([]Object, error) {
	var all []Object
	for _, template := range slices.Sorted(maps.Keys(rendered)) {
		if !manifest(template) {
			continue
		}
		for _, d := range documents(rendered[template]) {
			d.Template = template
			found, err := d.read()
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// manifest reports whether a file holds objects: notes and what is included do not.
func manifest(name string) bool {
	switch path.Ext(name) {
	case ".yaml", ".yml", ".json":
		return !strings.HasPrefix(path.Base(name), "_")
	default:
		return false
	}
}

// documents splits at the lines that begin a document.
func documents(text string) []Object {
	var all []Object
	var lines []string
	begins := 1
	end := func(next int) {
		all = append(all, Object{Text: strings.Join(lines, "\n"), Line: begins})
		lines, begins = nil, next
	}
	for i, line := range strings.Split(text, "\n") {
		if mark := strings.TrimSpace(line); line != "" && line[0] == '-' && (mark == "---" || strings.HasPrefix(mark, "--- ")) {
			end(i + 2)
			continue
		}
		lines = append(lines, line)
	}
	end(0)
	return all
}

// read decodes a document: nothing, an object, or a list of them.
func (o Object) read() ([]Object, error) {
	raw, err := yaml.YAMLToJSON([]byte(o.Text))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s:%d: what it renders is no YAML: %w", o.Template, o.Line, err)
	case string(raw) == "null":
		return nil, nil
	}
	o.Unstructured = &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(raw); err != nil || o.GetAPIVersion() == "" {
		return nil, fmt.Errorf("%s:%d: what it renders is no object: it has no apiVersion and kind", o.Template, o.Line)
	}
	if !o.IsList() {
		return []Object{o}, nil
	}
	var items []Object
	err = o.EachListItem(func(item runtime.Object) error {
		one := o
		one.Unstructured = item.(*unstructured.Unstructured)
		items = append(items, one)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", o.Template, o.Line, err)
	}
	return items, nil
}
