package manifests

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"demarc.dev/demarc/internal/manifest"
)

// stdin is how the standard input is named.
const stdin = "-"

// limit is what is read of one file at most.
const limit = 64 << 20

func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) && !strings.HasSuffix(name, ".test.yaml")
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func (g *gathering) stdin() error {
	text, err := io.ReadAll(io.LimitReader(g.Stdin, limit))
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	return g.text("standard input", string(text), true)
}

func (g *gathering) file(path string, named bool) error {
	text, err := readFile(path)
	if err != nil {
		return err
	}
	return g.text(path, text, named)
}

func readFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > limit {
		err = fmt.Errorf("it is larger than %d MiB", limit>>20)
	}
	if err != nil {
		return "", pathError(path, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", pathError(path, err)
	}
	return string(text), nil
}

// text takes the documents of a file. One that was not named itself, and holds no objects
// at all, is passed over: a folder has other YAML too.
func (g *gathering) text(name, text string, named bool) error {
	if !named && !holdsObjects(text) {
		g.out.Notes = append(g.out.Notes, name+" holds no objects and is passed over")
		return nil
	}
	docs, err := manifest.Parse(name, text)
	errs := []error{err}
	for _, d := range docs {
		errs = append(errs, g.add(d))
	}
	return errors.Join(errs...)
}

// holdsObjects reports whether any document has an apiVersion and a kind, or cannot be
// read, which is then told.
func holdsObjects(text string) bool {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var head map[string]any
		err := decoder.Decode(&head)
		if errors.Is(err, io.EOF) {
			return false
		}
		if err != nil {
			return strings.Contains(text, "apiVersion") && strings.Contains(text, "kind")
		}
		if head["apiVersion"] != nil && head["kind"] != nil {
			return true
		}
	}
}

// pathError leaves the path to us, so that it is said once.
func pathError(path string, err error) error {
	var withPath *fs.PathError
	if errors.As(err, &withPath) {
		err = withPath.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
