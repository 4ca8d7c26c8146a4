package programs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Set is a complete set of built programs.
type Set struct {
	// BinDir holds a link to each program: it serves as PATH entry and as KUBEBUILDER_ASSETS.
	BinDir string
	// Manifests is the folder of Argo CD's own manifests.
	Manifests string
}

// Cache is the folder of built programs: DEMARC_CACHE, or a folder in the user's cache.
func Cache() (string, error) {
	if dir := os.Getenv("DEMARC_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder (set DEMARC_CACHE): %w", err)
	}
	return filepath.Join(dir, "demarc", "programs"), nil
}

// Ensure returns the programs that the checkout pins, and builds what is missing.
func Ensure(ctx context.Context, out io.Writer) (Set, error) {
	cache, pins, err := pinned(ctx)
	if err != nil {
		return Set{}, err
	}
	return ensure(ctx, cache, pins, out)
}

// Find says where the programs are or would be, and builds nothing.
func Find(ctx context.Context) (Set, error) {
	cache, pins, err := pinned(ctx)
	if err != nil {
		return Set{}, err
	}
	return (&builder{cache: cache}).set(pins), nil
}

func pinned(ctx context.Context) (cache string, pins []pin, err error) {
	source, err := Source()
	if err != nil {
		return "", nil, err
	}
	if cache, err = Cache(); err != nil {
		return "", nil, err
	}
	for _, g := range Groups() {
		p, err := loadPin(ctx, filepath.Join(source, "sandbox", "pins"), g)
		if err != nil {
			return "", nil, err
		}
		pins = append(pins, p)
	}
	return cache, pins, nil
}

func ensure(ctx context.Context, cache string, pins []pin, out io.Writer) (Set, error) {
	b := &builder{cache: cache, progress: newProgress(out, count(pins))}
	set := b.set(pins)
	if b.complete(pins, set) {
		return set, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return set, fmt.Errorf("make the folder of built programs: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(cache, "lock"), b.progress.out)
	if err != nil {
		return set, err
	}
	defer unlock()
	// Another process may have built everything while this one waited for the lock.
	if b.complete(pins, set) {
		return set, nil
	}
	fmt.Fprintf(b.progress.out, "building %d programs in %s (the first time takes about ten minutes on two cores)\n", b.progress.total, cache)
	for _, p := range pins {
		if b.done(p) {
			b.progress.skipAll(p.Programs)
			continue
		}
		err := b.build(ctx, p)
		if ctx.Err() != nil {
			return set, fmt.Errorf("interrupted while building %s: what was built is kept, the next try goes on from here", p.Name)
		}
		if err != nil {
			return set, fmt.Errorf("%w\nWhat was built is kept: the next try goes on from here", err)
		}
	}
	return set, b.link(pins, set.BinDir)
}

// complete tells whether every program and the folder of links are there.
func (b *builder) complete(pins []pin, set Set) bool {
	for _, p := range pins {
		if !b.done(p) {
			return false
		}
	}
	_, err := os.Stat(set.BinDir)
	return err == nil
}

func count(pins []pin) int {
	n := 0
	for _, p := range pins {
		n += len(p.Programs)
	}
	return n
}

// set names the folders of a complete set, which need not exist.
func (b *builder) set(pins []pin) Set {
	h := sha256.New()
	var set Set
	for _, p := range pins {
		fmt.Fprintln(h, p.Name, p.hash)
		if p.Name == "argocd" {
			set.Manifests = filepath.Join(b.folder(p), "manifests")
		}
	}
	set.BinDir = filepath.Join(b.cache, "bin-"+hex.EncodeToString(h.Sum(nil)[:6]))
	return set
}

// gitVerify stands in for a script of Argo CD's image that checks signatures of commits.
const gitVerify = "#!/bin/sh\n# Commits in a sandbox carry no signature.\nexit 0\n"

// link fills a folder with links to all programs, aside first.
func (b *builder) link(pins []pin, dir string) error {
	aside := dir + ".partial"
	for _, old := range []string{aside, dir} {
		if err := os.RemoveAll(old); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(aside, 0o755); err != nil {
		return err
	}
	for _, p := range pins {
		for _, program := range p.Programs {
			for _, name := range append([]string{program.Name}, program.Links...) {
				target := filepath.Join("..", filepath.Base(b.folder(p)), program.Name)
				if err := os.Symlink(target, filepath.Join(aside, name)); err != nil {
					return err
				}
			}
		}
	}
	if err := os.WriteFile(filepath.Join(aside, "git-verify-wrapper.sh"), []byte(gitVerify), 0o755); err != nil {
		return err
	}
	return os.Rename(aside, dir)
}

// lock waits for other builds in the same cache, and says so.
func lock(ctx context.Context, path string, out io.Writer) (func(), error) {
	l := flock.New(path)
	got, err := l.TryLock()
	if err == nil && !got {
		fmt.Fprintln(out, "another process builds the programs: waiting for it")
		_, err = l.TryLockContext(ctx, 200*time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = l.Unlock() }, nil
}
