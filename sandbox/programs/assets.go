package programs

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// moduleDir is where the group's module lies in the module cache, fetched if it is not there.
func (p pin) moduleDir(ctx context.Context) (string, error) {
	download := exec.CommandContext(ctx, "go", "mod", "download", p.Module)
	download.Dir, download.Env = p.dir, buildEnv()
	if out, err := download.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fetch %s %s: %w: %s", p.Module, p.version, err, out)
	}
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", p.Module)
	list.Dir, list.Env = p.dir, buildEnv()
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("find %s in the module cache: %w", p.Module, explain(err))
	}
	return strings.TrimSpace(string(out)), nil
}

// copyAssets keeps manifests beside the programs, so that starting needs no module cache.
func (p pin) copyAssets(ctx context.Context, to string) error {
	if len(p.Assets) == 0 {
		return nil
	}
	module, err := p.moduleDir(ctx)
	if err != nil {
		return err
	}
	for _, asset := range p.Assets {
		if err := copyTree(filepath.Join(module, asset), filepath.Join(to, asset)); err != nil {
			return err
		}
	}
	return nil
}

// copyTree copies files with a writable mode, since those of the module cache are read-only; folders named in without, at
// the top, are left out.
func copyTree(from, to string, without ...string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() && slices.Contains(without, rel) {
			return filepath.SkipDir
		}
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
}
