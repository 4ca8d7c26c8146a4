package testenv

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/snapshot"
)

// Chart is what the install makes in a namespace, its Deployment apart: the policies and
// the operator's rights. It knows as much of Helm's language as the chart uses, so that
// no program is needed; a test holds it against Helm itself.
func Chart(namespace, argoCD string) ([]*unstructured.Unstructured, error) {
	dir := filepath.Join(Root(), "charts", "demarc", "templates")
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml")) // policies, and the rules of the guardrails
	if err != nil {
		return nil, err
	}
	files = append([]string{filepath.Join(dir, "rbac.yaml")}, files...)
	top := template.New("chart")
	top.Funcs(template.FuncMap{
		"quote":   func(v any) string { return strconv.Quote(fmt.Sprint(v)) },
		"list":    func(v ...any) []any { return v },
		"nindent": func(n int, s string) string { return "\n" + indent(n, s) },
		"include": func(name string, data any) (string, error) {
			var b bytes.Buffer
			err := top.ExecuteTemplate(&b, name, data)
			return b.String(), err
		},
	})
	data := map[string]any{
		"Release": map[string]any{"Namespace": namespace, "Name": "demarc"}, "Chart": map[string]any{"AppVersion": "0"},
		"Values": map[string]any{"argocd": map[string]any{"namespace": argoCD}},
	}
	for _, file := range append([]string{filepath.Join(dir, "_names.tpl")}, files...) {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if _, err := top.New(file).Parse(string(text)); err != nil {
			return nil, err
		}
	}
	var all []*unstructured.Unstructured
	for _, file := range files {
		var b bytes.Buffer
		if err := top.ExecuteTemplate(&b, file, data); err != nil {
			return nil, err
		}
		objects, err := snapshot.Parse(b.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, objects...)
	}
	return slices.Clip(all), nil
}

func indent(n int, s string) string {
	return strings.Repeat(" ", n) + strings.ReplaceAll(s, "\n", "\n"+strings.Repeat(" ", n))
}
