// Package manifest reads objects from files, folders and the standard input.
package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/manifest"
)

// Doc is one object as it was written.
type Doc = manifest.Doc

// Stdin is how the standard input is named among the files.
const Stdin = "-"

// limit is what is read of one file at most.
const limit = 64 << 20

// File is one that was read.
type File struct{ Name, Text string }

// Read reads files, folders, and the standard input where a path is "-". All that
// is wrong is in the error, not the first alone.
func Read(paths []string, stdin io.Reader, recursive bool) ([]Doc, error) {
	files, err := Files(paths, stdin, recursive)
	errs := []error{err}
	var docs []Doc
	for _, f := range files {
		read, err := manifest.Parse(f.Name, f.Text)
		docs = append(docs, read...)
		errs = append(errs, err)
	}
	return docs, errors.Join(errs...)
}

// Files is the same, and leaves the text as it is.
func Files(paths []string, stdin io.Reader, recursive bool) ([]File, error) {
	var read []File
	var errs []error
	for _, path := range paths {
		names, err := expand(path, recursive)
		errs = append(errs, err)
		for _, name := range names {
			text, err := readAll(name, stdin)
			errs = append(errs, err)
			if err == nil {
				read = append(read, File{label(name), text})
			}
		}
	}
	return read, errors.Join(errs...)
}

func label(file string) string {
	if file == Stdin {
		return "standard input"
	}
	return file
}

// expand lists the files that a path stands for.
func expand(path string, recursive bool) ([]string, error) {
	if path == Stdin {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(found string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && found != path && !recursive:
			return filepath.SkipDir
		case !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(found)):
			if info, err := os.Stat(found); err == nil && !info.Mode().IsRegular() {
				return nil // a pipe or a socket has no end
			}
			files = append(files, found)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = errors.New("no .yaml, .yml or .json file is in it")
	}
	if err != nil {
		return nil, fileError(path, err)
	}
	return files, nil
}

func readAll(file string, stdin io.Reader) (string, error) {
	from := stdin
	if file != Stdin {
		opened, err := os.Open(file)
		if err != nil {
			return "", fileError(file, err)
		}
		defer opened.Close()
		from = opened
	}
	text, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err == nil && len(text) > limit {
		err = fmt.Errorf("it is larger than %d MiB", limit>>20)
	}
	if err != nil {
		return "", fileError(label(file), err)
	}
	return string(text), nil
}

// fileError leaves the path to us, so that it is said once.
func fileError(path string, err error) error {
	var withPath *fs.PathError
	if errors.As(err, &withPath) {
		err = withPath.Err
	}
	return fmt.Errorf("%s: %w", plain.Line(path), err)
}
