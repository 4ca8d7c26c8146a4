package manifests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"demarc.dev/demarc/internal/check"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/manifest"
)

// kustomizationIn is the file that makes a folder a kustomization; empty where it is none.
func kustomizationIn(dir string) string {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if path := filepath.Join(dir, name); exists(path) {
			return path
		}
	}
	return ""
}

// kustomization takes what a folder builds, as kustomize does it without plugins. What it
// would fetch is refused before.
func (g *gathering) kustomization(dir string) error {
	root := kustomizationIn(dir)
	if component(root) {
		g.out.Notes = append(g.out.Notes, dir+" is a component, and is passed over: what takes it in is checked")
		return nil
	}
	if err := local(dir, map[string]bool{}); err != nil {
		return err
	}
	absolute, err := filepath.Abs(root)
	if err != nil {
		return pathError(root, err)
	}
	if absolute, err = filepath.EvalSymlinks(absolute); err != nil {
		return pathError(root, err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(withOrigins{filesys.MakeFsOnDisk(), absolute}, dir)
	if err != nil {
		return fmt.Errorf("%s: the kustomization cannot be built: %w", dir, err)
	}
	files := origins{}
	for _, r := range built.Resources() {
		if err := g.built(dir, r, files); err != nil {
			return err
		}
	}
	return nil
}

func component(file string) bool {
	text, err := os.ReadFile(file)
	var head struct{ Kind string }
	return err == nil && yaml.Unmarshal(text, &head) == nil && head.Kind == "Component"
}

// built takes one object that was built.
func (g *gathering) built(dir string, r *resource.Resource, files origins) error {
	origin, err := r.GetOrigin()
	if err != nil {
		return fmt.Errorf("%s: %s: where it comes from: %w", dir, r.CurId(), err)
	}
	if err := r.SetOrigin(nil); err != nil {
		return fmt.Errorf("%s: %s: %w", dir, r.CurId(), err)
	}
	raw, err := r.MarshalJSON()
	if err != nil {
		return fmt.Errorf("%s: %s: %w", dir, r.CurId(), err)
	}
	o, err := admitted.Decode(raw)
	if err != nil {
		return fmt.Errorf("%s: %s: it cannot be read: %w", dir, r.CurId(), err)
	}
	m := check.Manifest{Object: o, From: "kustomization " + dir, Find: func(string) (string, int) { return kustomizationIn(dir), 0 }}
	if origin != nil && origin.Repo == "" {
		switch {
		case origin.Path != "":
			m.Find = files.find(filepath.Join(dir, origin.Path), r)
		case origin.ConfiguredIn != "":
			m.Find = func(string) (string, int) { return filepath.Join(dir, origin.ConfiguredIn), 0 }
		}
	}
	g.out.Manifests = append(g.out.Manifests, m)
	return nil
}

// origins are the documents of the files that resources come from.
type origins map[string][]manifest.Doc

// find is where a field of a resource is written: in the document of its kind whose name it
// has, or has with something before or after it.
func (f origins) find(file string, r *resource.Resource) func(string) (string, int) {
	if _, known := f[file]; !known {
		text, err := readFile(file)
		if err == nil {
			f[file], _ = manifest.Parse(file, text) // what cannot be read was not built
		}
	}
	var doc *manifest.Doc
	for i, d := range f[file] {
		if d.Kind == r.GetKind() && strings.Contains(r.GetName(), d.Name) && (doc == nil || len(d.Name) > len(doc.Name)) {
			doc = &f[file][i]
		}
	}
	return func(path string) (string, int) {
		if doc == nil {
			return file, 0
		}
		return file, doc.LineOf(path)
	}
}

// withOrigins is the disk, but for one kustomization that asks for the origin of each
// resource to be noted.
type withOrigins struct {
	filesys.FileSystem
	root string
}

// ReadFile reads a file.
func (w withOrigins) ReadFile(path string) ([]byte, error) {
	text, err := w.FileSystem.ReadFile(path)
	if err != nil || path != w.root {
		return text, err
	}
	var content map[string]any
	if err := yaml.Unmarshal(text, &content); err != nil {
		return text, nil //nolint:nilerr // kustomize says what is wrong with it
	}
	if content == nil {
		content = map[string]any{}
	}
	asked, _ := content["buildMetadata"].([]any)
	content["buildMetadata"] = append(asked, "originAnnotations")
	return yaml.Marshal(content)
}
