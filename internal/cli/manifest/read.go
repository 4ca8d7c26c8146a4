package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Stdin is how the standard input is named among the files.
const Stdin = "-"

// limit is what is read of one file at most.
const limit = 64 << 20

// Read reads files, folders, and the standard input where a path is "-". All that
// is wrong is in the error, not the first alone.
func Read(paths []string, stdin io.Reader, recursive bool) ([]Doc, error) {
	var docs []Doc
	var errs []error
	for _, path := range paths {
		files, err := expand(path, recursive)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, file := range files {
			text, err := readAll(file, stdin)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			read, err := parse(label(file), text)
			docs = append(docs, read...)
			errs = append(errs, err)
		}
	}
	return docs, errors.Join(errs...)
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
	return fmt.Errorf("%s: %w", path, err)
}
