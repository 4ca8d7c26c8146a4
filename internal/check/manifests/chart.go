package manifests

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/chart"
	"demarc.dev/demarc/internal/check"
	"demarc.dev/demarc/internal/guardrail/admitted"
)

// chart takes what a chart renders with the values that were given.
func (g *gathering) chart(dir string) error {
	values, err := g.values()
	if err != nil {
		return err
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return pathError(dir, err)
	}
	objects, err := chart.Render(dir, chart.Release{Name: filepath.Base(absolute), Namespace: g.Namespace, Values: values})
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	for _, o := range objects {
		typed, err := admitted.Typed(o.Unstructured)
		if err != nil {
			return fmt.Errorf("%s: %s: %s %s cannot be read: %w", dir, o.Template, o.GetKind(), o.GetName(), err)
		}
		g.out.Manifests = append(g.out.Manifests, check.Manifest{Object: typed, From: "chart " + dir, Find: template(dir, o)})
	}
	return nil
}

// values are those of all files, the later over the earlier.
func (g *gathering) values() (map[string]any, error) {
	all := map[string]any{}
	for _, file := range g.Values {
		text, err := readFile(file)
		if err != nil {
			return nil, err
		}
		var more map[string]any
		if err := yaml.Unmarshal([]byte(text), &more); err != nil {
			return nil, fmt.Errorf("%s: these are no values: %w", file, err)
		}
		all = over(all, more)
	}
	return all, nil
}

// over lays values over others, map by map, as Helm does.
func over(base, more map[string]any) map[string]any {
	out := maps.Clone(base)
	for key, value := range more {
		have, isMap := out[key].(map[string]any)
		with, both := value.(map[string]any)
		if isMap && both {
			value = over(have, with)
		}
		out[key] = value
	}
	return out
}

// template is where a field of a rendered object is written: the template, and the line
// that comes nearest, since what stands there is not what was rendered.
func template(dir string, o chart.Object) func(string) (string, int) {
	_, inside, _ := strings.Cut(o.Template, "/")
	file := filepath.Join(dir, filepath.FromSlash(inside))
	text, err := os.ReadFile(file)
	if err != nil { // a chart in an archive
		return func(string) (string, int) { return filepath.Join(dir, "Chart.yaml"), 0 }
	}
	return func(path string) (string, int) { return file, nearest(string(text), o.GetKind(), path) }
}

// nearest is the line of a template that comes nearest to a field: that of its keys, one
// after the other, below its kind.
func nearest(text, kind, path string) int {
	lines := strings.Split(text, "\n")
	at := 0
	find := func(begins string) bool {
		for i := at; i < len(lines); i++ {
			if strings.HasPrefix(strings.TrimLeft(lines[i], " -"), begins) {
				at = i
				return true
			}
		}
		return false
	}
	find("kind: " + kind)
	for _, key := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		key, _, _ = strings.Cut(key, "[")
		if !find(key + ":") {
			break
		}
	}
	return at + 1
}
