// Package manifests gathers the objects that are to be checked: out of files, folders and
// the standard input, what kustomizations build, charts render and claims become; and the
// same as they were in another revision. Nothing is fetched and no program is run but git.
package manifests

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"demarc.dev/demarc/internal/check"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/manifest"
)

// Source is what is read.
type Source struct {
	// Paths are files, folders, and "-" for the standard input.
	Paths     []string
	Stdin     io.Reader
	Recursive bool
	// Values are files of values for charts, the later over the earlier.
	Values []string
	// Namespace that charts are rendered for.
	Namespace string
}

// Gathered is what was read.
type Gathered struct {
	Manifests []check.Manifest
	// Documents that were written as they are, the settings among them.
	Documents []manifest.Doc
	// Notes say what was passed over.
	Notes []string
}

// Gather reads everything. All that is wrong is in the error; what can be read is given all
// the same.
func Gather(s Source) (Gathered, error) {
	g := &gathering{Source: s}
	var errs []error
	for _, path := range s.Paths {
		errs = append(errs, g.path(path))
	}
	return g.out, errors.Join(errs...)
}

type gathering struct {
	Source
	out Gathered
}

// path takes one file or folder.
func (g *gathering) path(path string) error {
	if path == stdin {
		return g.stdin()
	}
	info, err := os.Stat(path)
	if err != nil {
		return pathError(path, err)
	}
	if !info.IsDir() {
		return g.file(path, true)
	}
	return g.folder(path)
}

// folder takes what a folder is: a chart, a kustomization, or files.
func (g *gathering) folder(dir string) error {
	switch {
	case exists(filepath.Join(dir, "Chart.yaml")):
		return g.chart(dir)
	case kustomizationIn(dir) != "":
		return errors.Join(g.kustomization(dir), g.below(dir, false))
	default:
		return g.below(dir, true)
	}
}

// below takes the files of a folder, where they are wanted, and with Recursive the folders.
// Of a kustomization's files only itself knows what they are for.
func (g *gathering) below(dir string, files bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return pathError(dir, err)
	}
	var errs []error
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && g.Recursive && e.Name() != ".git":
			errs = append(errs, g.inside(path, files))
		case !e.IsDir() && files && isManifest(e.Name()):
			if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
				continue // a pipe or a socket has no end
			}
			errs = append(errs, g.file(path, false))
		}
	}
	return errors.Join(errs...)
}

// inside takes a folder in a folder.
func (g *gathering) inside(dir string, files bool) error {
	if files || exists(filepath.Join(dir, "Chart.yaml")) || kustomizationIn(dir) != "" {
		return g.folder(dir)
	}
	return g.below(dir, false)
}

// add takes a document that was written as it is.
func (g *gathering) add(d manifest.Doc) error {
	g.out.Documents = append(g.out.Documents, d)
	o, err := admitted.Decode(d.JSON)
	if err != nil {
		return d.Errorf("", "it cannot be read: %v", err)
	}
	g.out.Manifests = append(g.out.Manifests, check.Manifest{Object: o, Find: func(path string) (string, int) { return d.File, d.LineOf(path) }})
	return nil
}
