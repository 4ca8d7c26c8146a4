// Package gitrepo keeps bare Git repositories that Argo CD pulls by file:// URL, and writes commits to them without a work
// tree.
package gitrepo

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const branch = "refs/heads/main"

// Repository is a bare repository with the one branch main.
type Repository struct {
	dir string
}

// Open opens the bare repository in a folder, and makes it if it is absent.
func Open(ctx context.Context, dir string) (*Repository, error) {
	r := &Repository{dir: dir}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
		return r, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of repositories: %w", err)
	}
	if _, err := r.git(ctx, "init", "--quiet", "--bare", "--initial-branch=main", dir); err != nil {
		return nil, fmt.Errorf("make the repository %s (git 2.28 or later must be on the PATH): %w", dir, err)
	}
	return r, nil
}

// Dir is the repository's folder.
func (r *Repository) Dir() string { return r.dir }

// URL is what an Argo CD Application names as its repository.
func (r *Repository) URL() string { return "file://" + filepath.ToSlash(r.dir) }

// Head is the commit of branch main, or nothing in an empty repository.
func (r *Repository) Head(ctx context.Context) (string, error) {
	out, err := r.git(ctx, "for-each-ref", "--format=%(objectname)", branch)
	return strings.TrimSpace(out), err
}

// Commit writes files to branch main: those named are created or replaced, a nil content removes, others stay. The same
// content makes no new commit. A tag that exists must stand for the same content.
func (r *Repository) Commit(ctx context.Context, message string, files map[string][]byte, tags ...string) (string, error) {
	entries := make(map[string]entry, len(files))
	for path, text := range files {
		entries[path] = entry{text: text, remove: text == nil}
	}
	return r.commit(ctx, message, entries, "", tags)
}

// CommitDir writes the files of a folder below prefix, in place of everything that was there.
func (r *Repository) CommitDir(ctx context.Context, message, dir, prefix string, tags ...string) (string, error) {
	entries := map[string]entry{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		entries[filepath.ToSlash(filepath.Join(prefix, rel))] = entry{text: text, executable: info.Mode()&0o111 != 0}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("read %s: %w", dir, err)
	}
	cleared := strings.Trim(filepath.ToSlash(filepath.Clean(prefix)), "/")
	if cleared == "" {
		cleared = "."
	}
	return r.commit(ctx, message, entries, cleared, tags)
}
