package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/manifest"
)

func read(t *testing.T, text string) ([]manifest.Doc, error) {
	t.Helper()
	return manifest.Read([]string{manifest.Stdin}, strings.NewReader(text), false)
}

func names(docs []manifest.Doc) []string {
	var found []string
	for _, d := range docs {
		found = append(found, strings.TrimPrefix(d.String(), "standard input:")+": "+d.Kind+" "+d.Name)
	}
	return found
}

func TestPlaces(t *testing.T) {
	cases := map[string]struct {
		text string
		want []string
	}{
		"comments and empty documents count for nothing": {
			"# a\n---\n---\n# b\nkind: A\napiVersion: v1\nmetadata: {name: one}\n---\n\n--- # c\nkind: B\napiVersion: v1\n...\n",
			[]string{"5: document 1: A one", "11: document 2: B "},
		},
		"JSON objects one after the other, with tabs": {
			"{\n\t\"kind\": \"A\", \"apiVersion\": \"v1\"}\n\n{\"kind\":\"B\",\n\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"two\"}}",
			[]string{"1: document 1: A ", "4: document 2: B two"},
		},
		"YAML in braces": {"{kind: A, apiVersion: v1}", []string{"1: document 1: A "}},
		"a list is taken apart": {
			"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n- kind: B\n  apiVersion: v1\n  metadata:\n    name: b\n",
			[]string{"4: document 1: A ", "6: document 1: B b"},
		},
		"line ends of Windows, and a byte order mark": {"\ufeff---\r\nkind: A\r\napiVersion: v1\r\n---\r\nkind: B\r\napiVersion: v1\r\n",
			[]string{"2: document 1: A ", "5: document 2: B "}},
		"a document on the line that begins it": {"--- {kind: A, apiVersion: v1}\n--- {kind: B, apiVersion: v1}\n",
			[]string{"1: document 1: A ", "2: document 2: B "}},
		"three dashes within a text": {"kind: A\napiVersion: v1\ntext: |\n  a\n  ---\n  b\n", []string{"1: document 1: A "}},
		"nothing":                    {"", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			docs, err := read(t, c.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, names(docs)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

const head = "apiVersion: demarc.dev/v1alpha1\nkind: ServiceClaim\nmetadata:\n  name: c\n"

// Whatever is wrong is told with its line, in words of YAML and not of Go.
func TestWrong(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"no YAML":            {head + "---\na: b: c\n", "standard input:6: document 2: this is no YAML: mapping values are not allowed in this context"},
		"tabs":               {"kind: A\n\tapiVersion: v1\n", "standard input:2: document 1: this is no YAML: found a tab character that violates indentation"},
		"broken JSON":        {"{\"kind\": \"A\",\n \"apiVersion\": }\n}", "standard input:2: document 1: this is no JSON: invalid character '}' looking for beginning of value"},
		"another document":   {"kind: A\napiVersion: v1\n...\nkind: B\n", "standard input:4: document 1: this is no YAML: something follows where the document has ended"},
		"no object":          {"- a\n", "standard input:1: document 1: it is no object: an object begins with apiVersion and kind"},
		"a text":             {"hello\n", "standard input:1: document 1: it is no object: an object begins with apiVersion and kind"},
		"no kind":            {"\nresources: [a.yaml]\n", "standard input:2: document 1: it has no apiVersion and kind; a kustomization is built first"},
		"kind is no text":    {"kind: 3\napiVersion: v1\n", "standard input:1: document 1: kind: it is a number"},
		"name is no text":    {"kind: A\napiVersion: v1\nmetadata:\n  name: 7\n", "standard input:4: document 1: metadata.name: it is a number"},
		"set twice":          {head + "spec:\n  team: a\n  image: x\n  team: b\n", "standard input:8: document 1: spec.team: it is set twice"},
		"set twice in JSON":  {`{"kind":"A","apiVersion":"v1",` + "\n" + `"kind":"B"}`, "standard input:2: document 1: kind: it is set twice"},
		"no such field":      {head + "spec:\n  team: a\n  env:\n  - name: A\n    valeu: b\n", "standard input:9: document 1: ServiceClaim c: spec.env[0].valeu: there is no such field"},
		"no such field, top": {head + "sepc: {}\n", "standard input:5: document 1: ServiceClaim c: sepc: there is no such field"},
		"no number":          {head + "spec:\n  replicas: two\n", "standard input:6: document 1: ServiceClaim c: spec.replicas: it is text, and must be a whole number"},
		"a fraction":         {head + "spec:\n  replicas: 1.5\n", "standard input:6: document 1: ServiceClaim c: spec.replicas: number 1.5 is a fraction"},
		"no text":            {head + "spec:\n  team: 12\n", "standard input:6: document 1: ServiceClaim c: spec.team: it is a number, and must be text"},
		"no list":            {head + "spec:\n  env: {}\n", "standard input:6: document 1: ServiceClaim c: spec.env: it is a set of fields, and must be a list"},
		"no fields":          {head + "spec: all\n", "standard input:5: document 1: ServiceClaim c: spec: it is text, and must be a set of fields"},
		"an item":            {"apiVersion: v1\nkind: List\nitems:\n- kind: A\n- 3\n", "standard input:5: document 1: items[1]: it is no object"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			docs, err := read(t, c.text)
			for _, d := range docs {
				if d.Kind == "ServiceClaim" && err == nil {
					err = d.Decode(&v1alpha1.ServiceClaim{})
				}
			}
			if err == nil || !strings.HasPrefix(lastLine(err.Error()), c.want) && !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("it says %v\nwant    %s", err, c.want)
			}
		})
	}
}

func lastLine(text string) string { return text[strings.LastIndex(text, "\n")+1:] }

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.yaml": "kind: B\napiVersion: v1", "a.json": `{"kind":"A","apiVersion":"v1"}`, "note.txt": "no: object",
		"deep/c.yml": "kind: C\napiVersion: v1", "empty/.keep": ""} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kinds := func(recursive bool, paths ...string) string {
		docs, err := manifest.Read(paths, strings.NewReader("kind: S\napiVersion: v1"), recursive)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, d := range docs {
			found = append(found, d.Kind)
		}
		return strings.Join(found, "")
	}
	if got := kinds(false, dir); got != "AB" {
		t.Errorf("a folder gives %s, want AB", got)
	}
	if got := kinds(true, dir, "-"); got != "ABCS" {
		t.Errorf("a folder with all below it, and the standard input, give %s, want ABCS", got)
	}
	for _, path := range []string{filepath.Join(dir, "empty"), filepath.Join(dir, "nothing.yaml")} {
		if _, err := manifest.Read([]string{path}, nil, false); err == nil || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s gives the error %v, want one that names it once", path, err)
		}
	}
}

// Whatever a file holds, reading it ends in objects or in an error.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{head, "a: &a [*a]", "{\"kind\":1}", "--- {", "kind: List\napiVersion: v1\nitems: [1, {}]", "? [a]\n: b", "<<: {a: b}\na: c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		docs, _ := read(t, text)
		for _, d := range docs {
			if d.Kind == "" || d.APIVersion == "" || d.Line < 1 {
				t.Errorf("an object without kind, apiVersion or line: %+v", d)
			}
			_ = d.Decode(&v1alpha1.Tenant{})
		}
	})
}
