package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"

	"demarc.dev/demarc/sandbox/programs"
	"demarc.dev/demarc/sandbox/supervisor"
)

const command = "demarc.dev/demarc/cmd/demarc-sandbox"

// self is the sandbox's own copy of demarc-sandbox: the one that started it may be gone at any time, as with go run.
func (s *Sandbox) self() string { return filepath.Join(s.dir, "demarc-sandbox") }

// spawn starts the supervisor.
func (s *Sandbox) spawn(ctx context.Context) error {
	if err := s.copySelf(ctx); err != nil {
		return fmt.Errorf("provide the supervisor's program: %w", err)
	}
	return supervisor.Spawn(ctx, s.dir, s.self())
}

// copySelf copies the running program, or builds it where another runs: a test, or a tool that uses this package.
func (s *Sandbox) copySelf(ctx context.Context) error {
	aside := s.self() + ".new"
	if info, ok := debug.ReadBuildInfo(); ok && info.Path == command {
		if err := copyExecutable(aside); err != nil {
			return err
		}
		return os.Rename(aside, s.self())
	}
	source, err := programs.Source()
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", aside, "./cmd/demarc-sandbox")
	build.Dir = source
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build in %s: %w: %s", source, err, out)
	}
	return os.Rename(aside, s.self())
}

func copyExecutable(to string) error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, from); err != nil {
		_ = target.Close()
		return err
	}
	return target.Close()
}
