package programs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// patch copies the group's module into a folder, applies the patches there, and writes a go.mod that uses the copy. It
// returns that file, or nothing where there is nothing to patch. (go's -overlay refuses files of the module cache.)
func (p pin) patch(ctx context.Context, dir string) (string, error) {
	if len(p.Patches) == 0 {
		return "", nil
	}
	module, err := p.moduleDir(ctx)
	if err != nil {
		return "", err
	}
	copied := filepath.Join(dir, "module")
	if err := copyTree(module, copied, "docs", "test"); err != nil {
		return "", err
	}
	for _, patch := range p.Patches {
		if err := patch.apply(filepath.Join(copied, patch.File)); err != nil {
			return "", err
		}
	}
	return p.redirect(dir, copied)
}

func (p pin) redirect(dir, copied string) (string, error) {
	mod, err := os.ReadFile(filepath.Join(p.dir, "go.mod"))
	if err != nil {
		return "", err
	}
	sum, err := os.ReadFile(filepath.Join(p.dir, "go.sum"))
	if err != nil {
		return "", err
	}
	mod = fmt.Appendf(mod, "\nreplace %s => %s\n", p.Module, copied)
	path := filepath.Join(dir, "pin.mod")
	if err := os.WriteFile(path, mod, 0o644); err != nil {
		return "", err
	}
	// go looks for the sums beside, under this name.
	return path, os.WriteFile(strings.TrimSuffix(path, ".mod")+".sum", sum, 0o644)
}

func (patch Patch) apply(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := bytes.Count(text, []byte(patch.Old)); n != 1 {
		return fmt.Errorf("%s holds %s %d times, want once: adapt the patch to this version", path, patch.Old, n)
	}
	return os.WriteFile(path, bytes.Replace(text, []byte(patch.Old), []byte(patch.New), 1), 0o644)
}
