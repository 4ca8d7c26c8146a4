package manifests

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Before gathers the same files and folders as they were in another revision of the Git
// repository that they are in. What was not there then is not in it.
func Before(ctx context.Context, s Source, revision string) (Gathered, error) {
	if slices.Contains(s.Paths, stdin) {
		return Gathered{}, errors.New("--base compares files in Git, and the standard input is none")
	}
	repository, err := find(ctx, s.Paths[0])
	if err != nil {
		return Gathered{}, err
	}
	commit, err := repository.commit(ctx, revision)
	if err != nil {
		return Gathered{}, err
	}
	dir, err := os.MkdirTemp("", "demarc-base-")
	if err != nil {
		return Gathered{}, fmt.Errorf("make a folder for what was in %s: %w", revision, err)
	}
	defer os.RemoveAll(dir)
	inside, err := repository.inside(s.Paths)
	if err != nil {
		return Gathered{}, err
	}
	if err := repository.checkout(ctx, commit, dir, wanted(s.Paths, inside)); err != nil {
		return Gathered{}, fmt.Errorf("read %s: %w", revision, err)
	}
	then := s
	then.Paths = nil
	for _, path := range inside {
		if _, err := os.Stat(filepath.Join(dir, path)); err == nil {
			then.Paths = append(then.Paths, filepath.Join(dir, path))
		}
	}
	then.Values = repository.moved(s.Values, dir)
	gathered, err := Gather(then)
	if err != nil {
		return gathered, fmt.Errorf("as it was in %s: %w", revision, errors.New(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")))
	}
	return gathered, nil
}

// wanted is what is read of a revision: the files that were named; where a folder was
// named, everything, since what it takes in may be anywhere.
func wanted(paths, inside []string) []string {
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return nil
		}
	}
	return inside
}

// inside are paths from the top of the repository.
func (r repository) inside(paths []string) (list []string, err error) {
	for _, path := range paths {
		absolute, err := absolute(path)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(r.top, absolute)
		if err != nil || !filepath.IsLocal(rel) && rel != "." {
			return nil, fmt.Errorf("%s is not in the Git repository %s, as the first path is", path, r.top)
		}
		list = append(list, filepath.ToSlash(rel))
	}
	return list, nil
}

// moved are files as they were then, where they are in the repository.
func (r repository) moved(files []string, dir string) (list []string) {
	for _, file := range files {
		if inside, err := r.inside([]string{file}); err == nil {
			if then := filepath.Join(dir, inside[0]); exists(then) {
				file = then
			}
		}
		list = append(list, file)
	}
	return list
}

func absolute(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", pathError(path, err)
	}
	direct, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		return "", pathError(path, err)
	}
	return direct, nil
}
