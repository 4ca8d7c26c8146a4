package gitrepo_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/sandbox/gitrepo"
)

func open(t *testing.T) (context.Context, *gitrepo.Repository) {
	t.Helper()
	r, err := gitrepo.Open(t.Context(), filepath.Join(t.TempDir(), "repo.git"))
	if err != nil {
		t.Fatal(err)
	}
	return t.Context(), r
}

// files reads a revision back through a clone, as Argo CD would.
func files(t *testing.T, r *gitrepo.Repository, revision string) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	for _, args := range [][]string{{"clone", "--quiet", r.URL(), dir}, {"-C", dir, "checkout", "--quiet", revision}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/.git/") {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		got[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func must(t *testing.T, commit string, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return commit
}

func TestCommitReplacesAddsAndRemoves(t *testing.T) {
	ctx, r := open(t)
	commit := func(files map[string][]byte) string {
		t.Helper()
		hash, err := r.Commit(ctx, "change", files)
		return must(t, hash, err)
	}
	commit(map[string][]byte{"a.yaml": []byte("1"), "dir/b.yaml": []byte("2"), "c": {}})
	head := commit(map[string][]byte{"a.yaml": []byte("new"), "dir/b.yaml": nil, "d d": []byte("4")})
	want := map[string]string{"a.yaml": "new", "c": "", "d d": "4"}
	if diff := cmp.Diff(want, files(t, r, head)); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

func TestSameContentMakesNoCommit(t *testing.T) {
	ctx, r := open(t)
	content := map[string][]byte{"a": []byte("1")}
	first, err := r.Commit(ctx, "one", content, "v1")
	must(t, first, err)
	second, err := r.Commit(ctx, "two", content, "v1", "v2")
	if must(t, second, err); first != second {
		t.Errorf("commits %s and %s, want the same", first, second)
	}
}

func TestTagIsNeverMoved(t *testing.T) {
	ctx, r := open(t)
	first, err := r.Commit(ctx, "one", map[string][]byte{"a": []byte("1")}, "v1")
	must(t, first, err)
	if _, err := r.Commit(ctx, "two", map[string][]byte{"a": []byte("2")}, "v1"); err == nil || !strings.Contains(err.Error(), "v1") {
		t.Errorf("error %v, want one that names the tag", err)
	}
	if diff := cmp.Diff(map[string]string{"a": "1"}, files(t, r, "v1")); diff != "" {
		t.Errorf("tagged content (-want +got):\n%s", diff)
	}
}

func TestCommitDirReplacesTheFolder(t *testing.T) {
	ctx, r := open(t)
	hash, err := r.Commit(ctx, "before", map[string][]byte{"chart/old": []byte("x"), "chart2/kept": []byte("y")})
	must(t, hash, err)
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sub", "new"), []byte("z"), 0o755); err != nil {
		t.Fatal(err)
	}
	first, err := r.CommitDir(ctx, "chart", dir, "chart", "v1")
	must(t, first, err)
	if diff := cmp.Diff(map[string]string{"chart/sub/new": "z", "chart2/kept": "y"}, files(t, r, "v1")); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	again, err := r.CommitDir(ctx, "chart", dir, "chart", "v1")
	if must(t, again, err); again != first {
		t.Errorf("the same folder made a new commit")
	}
	top, err := r.CommitDir(ctx, "all", dir, "")
	must(t, top, err)
	if diff := cmp.Diff(map[string]string{"sub/new": "z"}, files(t, r, top)); diff != "" {
		t.Errorf("content at the top (-want +got):\n%s", diff)
	}
}

func TestConcurrentCommitsAreAllKept(t *testing.T) {
	ctx, r := open(t)
	errs := make(chan error)
	for _, name := range []string{"a", "b", "c", "d"} {
		go func() {
			_, err := r.Commit(ctx, name, map[string][]byte{name: []byte(name)})
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := files(t, r, "main"); len(got) != 4 {
		t.Errorf("files %v, want four", got)
	}
}
