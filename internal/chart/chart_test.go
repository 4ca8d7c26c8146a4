package chart_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"demarc.dev/demarc/charts"
	"demarc.dev/demarc/internal/chart"
)

// files are a chart of two templates; more is laid over it.
func files(more map[string]string) fstest.MapFS {
	all := map[string]string{
		"Chart.yaml":             "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"values.yaml":            "replicas: 1\nnested: {a: 1, b: 2}\n",
		"templates/_labels.tpl":  `{{ define "labels" }}app: {{ .Release.Name }}{{ end }}`,
		"templates/NOTES.txt":    "Thank you for {{ .Release.Name }}",
		"templates/service.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n  namespace: {{ .Release.Namespace }}\n  labels: { {{ include \"labels\" . }} }\n",
	}
	maps.Copy(all, more)
	fsys := fstest.MapFS{}
	for name, text := range all {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

const two = `# first
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data: {a: {{ .Values.nested.a | quote }}, b: {{ .Values.nested.b | quote }}}
---
{{- if .Values.off }}
apiVersion: v1
kind: Secret
{{- end }}
--- # a list
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {terminationGracePeriodSeconds: {{ .Values.replicas }}}}
  - {apiVersion: v1, kind: Pod, metadata: {name: q}}
`

func TestRender(t *testing.T) {
	values := map[string]any{"nested": map[string]any{"b": "3"}}
	got, err := chart.RenderFS(files(map[string]string{
		"templates/two.yaml": two,
		"crds/crd.yaml":      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: crd}\n",
	}), chart.Release{Name: "shop", Namespace: "team-shop", Values: values})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, o := range got {
		said = append(said, o.GetKind()+"/"+o.GetName()+" "+o.Template)
	}
	want := "CustomResourceDefinition/crd web/crds/crd.yaml, Service/shop web/templates/service.yaml, ConfigMap/one web/templates/two.yaml, " +
		"Pod/p web/templates/two.yaml, Pod/q web/templates/two.yaml"
	if s := strings.Join(said, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if len(values) != 1 || len(values["nested"].(map[string]any)) != 1 {
		t.Errorf("the values were changed: %v", values)
	}
	one := got[2]
	if data := one.Object["data"].(map[string]any); data["a"] != "1" || data["b"] != "3" {
		t.Errorf("values of the chart and those given: %v", data)
	}
	if one.Line != 1 || !strings.HasPrefix(one.Text, "# first\napiVersion: v1\n") || strings.Contains(one.Text, "---") {
		t.Errorf("line %d, text %q", one.Line, one.Text)
	}
	pod := got[3]
	if grace := pod.Object["spec"].(map[string]any)["terminationGracePeriodSeconds"]; grace != int64(1) {
		t.Errorf("a whole number is %T", grace)
	}
	if pod.Line != 8 {
		t.Errorf("the list begins at line %d of what was rendered, want 8", pod.Line)
	}
	if svc := got[1]; svc.GetNamespace() != "team-shop" || svc.GetLabels()["app"] != "shop" {
		t.Errorf("release: %v", svc.Object)
	}
}

// A folder is rendered as the same chart in the program is.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, f := range files(nil) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := chart.Render(dir, chart.Release{Name: "shop", Namespace: "team-shop"})
	if err != nil || len(got) != 1 || got[0].GetName() != "shop" {
		t.Errorf("%v, %v", got, err)
	}
}

// Nothing is asked of a cluster and nothing is fetched.
func TestOffline(t *testing.T) {
	got, err := chart.RenderFS(files(map[string]string{
		"templates/service.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n" +
			"  found: {{ len (lookup \"v1\" \"Secret\" \"team-shop\" \"db\") | quote }}\n" +
			"  host: {{ getHostByName \"db.example\" | quote }}\n  version: {{ .Capabilities.KubeVersion.Version }}\n",
		"values.schema.json": `{"type": "object", "properties": {"replicas": { "$ref" : "http://127.0.0.1:1/replicas.json"}}}`,
	}), chart.Release{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	data := got[0].Object["data"].(map[string]any)
	if data["found"] != "0" || data["host"] != nil && data["host"] != "" || data["version"] != chart.KubeVersion {
		t.Errorf("%v", data)
	}
}

func TestWrong(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a value that the schema refuses": {map[string]string{"values.schema.json": `{"$schema": "https://json-schema.org/draft-07/schema#", "properties": {"replicas": {"type": "string"}}}`}, "at '/replicas': got number, want string"},
		"a template that does not parse":  {map[string]string{"templates/service.yaml": "{{ if }}"}, "web/templates/service.yaml:1"},
		"a template that fails":           {map[string]string{"templates/service.yaml": `{{ fail "no port" }}`}, "no port"},
		"what is no YAML":                 {map[string]string{"templates/service.yaml": "# nothing\n---\na: [\n"}, "web/templates/service.yaml:3: what it renders is no YAML"},
		"what is no object":               {map[string]string{"templates/service.yaml": "\n---\n\n---\na: 1\n"}, "web/templates/service.yaml:5: what it renders is no object"},
		"no chart":                        {map[string]string{"Chart.yaml": "name: web"}, "load the chart"},
		"a dependency that is not there": {map[string]string{"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: redis, version: 1.0.0, repository: 'https://charts.example'}]\n"},
			"chart web depends on redis, which is not in its folder charts"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := chart.RenderFS(files(c.files), chart.Release{Name: "x"})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it says %v\nwant    %s", err, c.want)
			}
		})
	}
	if _, err := chart.Render(t.TempDir(), chart.Release{}); err == nil || !strings.Contains(err.Error(), "load the chart in") {
		t.Errorf("an empty folder: %v", err)
	}
}

// The program holds the same chart as the folder.
func TestEmbedded(t *testing.T) {
	dir := filepath.Join("..", "..", "charts", "service")
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		want, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		if got, err := fs.ReadFile(charts.Service(), path); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
