package parity

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/manifest"
	"demarc.dev/demarc/internal/testenv"
)

// projects are modules of real projects that ship manifests, by the module that pins
// them: they are read from the module cache and are no part of this one.
var projects = []struct {
	pin, module string
	// folders below the module's own that are read, and how many objects at most.
	folders []string
	most    int
}{
	{".", "k8s.io/pod-security-admission", []string{"test/testdata/restricted/v1.33", "test/testdata/baseline/v1.33"}, 80},
	{".", "helm.sh/helm/v4", []string{"pkg"}, 20},
	{"sandbox/pins/argocd", "github.com/argoproj/argo-cd/v3", []string{"manifests", "test", "examples"}, 80},
	{"sandbox/pins/kwok", "sigs.k8s.io/kwok", []string{"kustomize", "charts", "demo", "test"}, 30},
	{"sandbox/pins/kubernetes", "k8s.io/kubernetes", []string{"cluster/addons", "test/e2e/testing-manifests", "hack/testdata", "test/fixtures"}, 90},
}

// found is one object of such a project, and where it stands.
type found struct {
	where  string
	object runtime.Object
}

// moduleDir is where a module lies in the module cache.
func moduleDir(t *testing.T, pin, module string) string {
	t.Helper()
	run := func(args ...string) string {
		command := exec.CommandContext(t.Context(), "go", args...)
		command.Dir = filepath.Join(testenv.Root(), pin)
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			t.Fatalf("go %s in %s: %v", strings.Join(args, " "), pin, err)
		}
		return strings.TrimSpace(string(out))
	}
	if dir := run("list", "-m", "-f", "{{.Dir}}", module); dir != "" {
		return dir
	}
	run("mod", "download", module)
	return run("list", "-m", "-f", "{{.Dir}}", module)
}

// fromProjects reads the objects that a team may have of all projects. What is no manifest,
// such as the template of a chart, is passed over.
func fromProjects(t *testing.T) (all []found) {
	t.Helper()
	for _, p := range projects {
		dir := moduleDir(t, p.pin, p.module)
		var some []found
		for _, folder := range p.folders {
			must(t, filepath.WalkDir(filepath.Join(dir, folder), func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
					return err
				}
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				rel, err := filepath.Rel(dir, path)
				some = append(some, objects(p.module+"/"+filepath.ToSlash(rel), string(text))...)
				return err
			}))
		}
		if len(some) < 10 {
			t.Errorf("%s has %d objects only: does it still ship manifests?", p.module, len(some))
		}
		all = append(all, spread(some, p.most)...)
	}
	return all
}

// spread takes so many out of a list, evenly.
func spread(list []found, most int) []found {
	if len(list) <= most {
		return list
	}
	out := make([]found, 0, most)
	for i := range most {
		out = append(out, list[i*len(list)/most])
	}
	return out
}

// objects of a file, those of Kubernetes' own kinds in a namespace.
func objects(where, text string) (list []found) {
	docs, _ := manifest.Parse(where, text) // what cannot be read is none of ours
	for _, d := range docs {
		o, err := admitted.Decode(d.JSON)
		if err != nil {
			continue
		}
		gvk := o.GetObjectKind().GroupVersionKind()
		if admitted.Meta(o) != nil && !admitted.KindOf(gvk).Cluster && admitted.Builtin(gvk) {
			list = append(list, found{d.String(), o})
		}
	}
	return list
}
