package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// entry is a file of a commit.
type entry struct {
	text               []byte
	remove, executable bool
}

// commit builds a tree in an index of its own and moves the branch. replaced names a folder whose content is replaced.
func (r *Repository) commit(ctx context.Context, message string, entries map[string]entry, replaced string, tags []string) (string, error) {
	lock := flock.New(filepath.Join(r.dir, "sandbox.lock"))
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return "", fmt.Errorf("lock %s: %w", r.dir, err)
	}
	defer func() { _ = lock.Unlock() }()
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	tree, err := r.tree(ctx, head, entries, replaced)
	if err != nil {
		return "", fmt.Errorf("write files to %s: %w", r.dir, err)
	}
	commit, err := r.advance(ctx, head, tree, message)
	if err != nil {
		return "", fmt.Errorf("commit to %s: %w", r.dir, err)
	}
	for _, tag := range tags {
		if err := r.tag(ctx, tag, commit, tree); err != nil {
			return "", err
		}
	}
	return commit, nil
}

// tree writes the tree that results from the entries.
func (r *Repository) tree(ctx context.Context, head string, entries map[string]entry, replaced string) (string, error) {
	dir, err := os.MkdirTemp("", "sandbox-index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	index := r.with("GIT_INDEX_FILE=" + filepath.Join(dir, "index"))
	if head != "" {
		if _, err := index.git(ctx, nil, "read-tree", head); err != nil {
			return "", err
		}
	}
	var lines bytes.Buffer
	if err := index.removals(ctx, &lines, replaced); err != nil {
		return "", err
	}
	for _, path := range slices.Sorted(maps.Keys(entries)) {
		line, err := index.line(ctx, path, entries[path])
		if err != nil {
			return "", err
		}
		lines.WriteString(line)
	}
	if _, err := index.git(ctx, lines.Bytes(), "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	out, err := index.git(ctx, nil, "write-tree")
	return strings.TrimSpace(out), err
}

const nothing = "0 0000000000000000000000000000000000000000\t"

// removals lists everything below a folder for removal; "." is the whole tree.
func (g runner) removals(ctx context.Context, lines *bytes.Buffer, folder string) error {
	if folder == "" {
		return nil
	}
	out, err := g.git(ctx, nil, "ls-files", "-z")
	if err != nil {
		return err
	}
	for _, path := range strings.Split(strings.TrimRight(out, "\x00"), "\x00") {
		if path != "" && (folder == "." || strings.HasPrefix(path, folder+"/")) {
			lines.WriteString(nothing + path + "\x00")
		}
	}
	return nil
}

// line stores a file's content and returns its line for the index.
func (g runner) line(ctx context.Context, path string, e entry) (string, error) {
	if e.remove {
		return nothing + path + "\x00", nil
	}
	blob, err := g.git(ctx, e.text, "hash-object", "-w", "--stdin")
	if err != nil {
		return "", err
	}
	mode := "100644"
	if e.executable {
		mode = "100755"
	}
	return mode + " " + strings.TrimSpace(blob) + "\t" + path + "\x00", nil
}

// advance moves the branch to a commit of the tree, unless it is there already.
func (r *Repository) advance(ctx context.Context, head, tree, message string) (string, error) {
	args := []string{"commit-tree", tree, "-m", message}
	if head != "" {
		same, err := r.git(ctx, "rev-parse", head+"^{tree}")
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(same) == tree {
			return head, nil
		}
		args = append(args, "-p", head)
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return "", err
	}
	commit := strings.TrimSpace(out)
	_, err = r.git(ctx, "update-ref", branch, commit)
	return commit, err
}

func (r *Repository) tag(ctx context.Context, tag, commit, tree string) error {
	out, err := r.git(ctx, "for-each-ref", "--format=%(objectname)", "refs/tags/"+tag)
	if err != nil {
		return err
	}
	if strings.TrimSpace(out) == "" {
		_, err := r.git(ctx, "update-ref", "refs/tags/"+tag, commit)
		return err
	}
	out, err = r.git(ctx, "rev-parse", "refs/tags/"+tag+"^{tree}")
	if err != nil {
		return err
	}
	if strings.TrimSpace(out) != tree {
		return fmt.Errorf("tag %s of %s exists with other content: a tag is never moved, choose another", tag, r.dir)
	}
	return nil
}
