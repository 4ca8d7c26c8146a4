package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "demarc.dev/demarc"

// file is one file of the checkout, by its path from the top.
type file struct {
	path, text string
	// syntax of a Go file, nil for others.
	syntax *ast.File
}

func (f file) dir() string     { return filepath.ToSlash(filepath.Dir(f.path)) }
func (f file) isTest() bool    { return strings.HasSuffix(f.path, "_test.go") }
func (f file) generated() bool { return f.syntax != nil && ast.IsGenerated(f.syntax) }

// imports are those of packages of this module, by their folder.
func (f file) imports() []string {
	var dirs []string
	for _, path := range f.outside() {
		if dir, ours := strings.CutPrefix(path, module+"/"); ours {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// outside lists all imports as they are written.
func (f file) outside() []string {
	var paths []string
	for _, spec := range f.syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// checkout reads every file once: text, and the syntax of Go files.
var checkout = sync.OnceValues(func() ([]file, error) {
	root := filepath.Join("..", "..")
	var files []file
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{".git", "bin", "dist"}, rel) {
			return filepath.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		read, err := readFile(path, filepath.ToSlash(rel))
		files = append(files, read)
		return err
	})
	return files, err
})

func readFile(path, rel string) (file, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return file{}, err
	}
	f := file{path: rel, text: string(text)}
	if strings.HasSuffix(rel, ".go") {
		f.syntax, err = parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
	}
	return f, err
}

func files(t *testing.T) []file {
	t.Helper()
	all, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func goFiles(t *testing.T) []file {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(files(t)), func(f file) bool { return f.syntax == nil })
}

// calls reports whether a file names pkg.name, where pkg is imported under its own name.
func calls(f file, pkg, name string) bool {
	found := false
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		on, ok := selector.X.(*ast.Ident)
		found = found || ok && on.Name == pkg && selector.Sel.Name == name
		return !found
	})
	return found
}
