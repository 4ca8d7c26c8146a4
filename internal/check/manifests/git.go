package manifests

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// repository is the Git repository that files are in.
type repository struct{ top string }

func find(ctx context.Context, path string) (repository, error) {
	dir, err := absolute(path)
	if err != nil {
		return repository{}, err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	top, err := git(ctx, dir, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return repository{}, fmt.Errorf("%s is in no Git repository that can be read: %w", path, err)
	}
	return repository{strings.TrimSpace(string(top))}, nil
}

// commit that a revision names.
func (r repository) commit(ctx context.Context, revision string) (string, error) {
	out, err := git(ctx, r.top, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("there is no revision %q in %s: fetch it first (a CI job that checks out one commit has no other: actions/checkout takes fetch-depth: 0)", revision, r.top)
	}
	return strings.TrimSpace(string(out)), nil
}

// largest file of a revision that is read.
const largest = 4 << 20

// blob is a file of a revision.
type blob struct{ id, path string }

// checkout writes the files of a commit into a folder: those named, or all. What git does
// to files by attributes is not done: what was committed counts.
func (r repository) checkout(ctx context.Context, commit, dir string, paths []string) error {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", "--long", commit}
	if len(paths) > 0 {
		args = append(append(args, "--"), paths...)
	}
	out, err := git(ctx, r.top, nil, args...)
	if err != nil {
		return err
	}
	files := blobs(string(out))
	var ids bytes.Buffer
	for _, f := range files {
		fmt.Fprintln(&ids, f.id)
	}
	contents, err := git(ctx, r.top, &ids, "cat-file", "--batch")
	if err != nil {
		return err
	}
	from := bufio.NewReader(bytes.NewReader(contents))
	for _, f := range files {
		if err := f.write(from, dir); err != nil {
			return err
		}
	}
	return nil
}

// blobs are the plain files of a listing: mode, type, id and size before a tab, the path
// behind it.
func blobs(listing string) (files []blob) {
	for _, entry := range strings.Split(listing, "\x00") {
		head, path, ok := strings.Cut(entry, "\t")
		parts := strings.Fields(head)
		if !ok || len(parts) != 4 || !strings.HasPrefix(parts[0], "100") || !filepath.IsLocal(path) {
			continue
		}
		if size, err := strconv.Atoi(parts[3]); err == nil && size <= largest {
			files = append(files, blob{parts[2], path})
		}
	}
	return files
}

// write takes the next of a batch: a line with its size, and what it holds.
func (f blob) write(from *bufio.Reader, dir string) error {
	head, err := from.ReadString('\n')
	if err != nil {
		return fmt.Errorf("read %s: %w", f.path, err)
	}
	parts := strings.Fields(head)
	size, err := strconv.Atoi(parts[len(parts)-1])
	if err != nil {
		return fmt.Errorf("read %s: git says %q", f.path, head)
	}
	text := make([]byte, size+1) // and the line's end
	if _, err := io.ReadFull(from, text); err != nil {
		return fmt.Errorf("read %s: %w", f.path, err)
	}
	to := filepath.Join(dir, filepath.FromSlash(f.path))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, text[:size], 0o600)
}

// git runs git, and gives what it says where it fails.
func git(ctx context.Context, dir string, in io.Reader, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "git", args...)
	command.Dir, command.Stdin = dir, in
	command.Env = append(os.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	out, err := command.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) && len(failed.Stderr) > 0 {
		return nil, errors.New(strings.TrimSpace(string(failed.Stderr)))
	}
	return out, err
}
