package programs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// builder makes one group after the other.
type builder struct {
	cache    string
	progress *progress
}

// folder is where the finished programs of a pin lie.
func (b *builder) folder(p pin) string { return filepath.Join(b.cache, p.Name+"-"+p.hash) }

func (b *builder) done(p pin) bool {
	_, err := os.Stat(b.folder(p))
	return err == nil
}

// build makes a group's folder. Programs that an interrupted build finished lie in the folder aside and are kept.
func (b *builder) build(ctx context.Context, p pin) error {
	aside := b.folder(p) + ".partial"
	if err := os.MkdirAll(aside, 0o755); err != nil {
		return fmt.Errorf("make the folder for %s: %w", p.Name, err)
	}
	modfile, err := p.patch(ctx, filepath.Join(aside, "patched"))
	if err != nil {
		return fmt.Errorf("patch %s: %w", p.Name, err)
	}
	for _, program := range p.Programs {
		if err := b.program(ctx, p, program, aside, modfile); err != nil {
			return err
		}
	}
	if err := p.copyAssets(ctx, aside); err != nil {
		return fmt.Errorf("copy manifests of %s: %w", p.Name, err)
	}
	if err := os.RemoveAll(filepath.Join(aside, "patched")); err != nil {
		return err
	}
	return os.Rename(aside, b.folder(p))
}

func (b *builder) program(ctx context.Context, p pin, program Program, aside, modfile string) error {
	target := filepath.Join(aside, program.Name)
	if _, err := os.Stat(target); err == nil {
		b.progress.skip(program.Name)
		return nil
	}
	watch, finish := b.progress.start(program.Name)
	err := p.compile(ctx, program, target+".new", modfile, watch)
	if err == nil {
		err = p.try(ctx, program, target+".new")
	}
	finish(err)
	if err != nil {
		return fmt.Errorf("build %s: %w", program.Name, err)
	}
	if err := os.Rename(target+".new", target); err != nil {
		return err
	}
	for _, link := range program.Links {
		if err := os.Symlink(program.Name, filepath.Join(aside, link)); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

// compile runs go build; watch gets a line for each package compiled and each module fetched.
func (p pin) compile(ctx context.Context, program Program, target, modfile string, watch io.Writer) error {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-v", "-ldflags", strings.TrimSpace("-s -w " + p.fill(p.Ldflags)), "-o", target}
	if modfile != "" {
		args = append(args, "-modfile", modfile)
	}
	var said tail
	cmd := exec.CommandContext(ctx, "go", append(args, program.Package)...)
	cmd.Dir, cmd.Env, cmd.Stderr = p.dir, buildEnv(), io.MultiWriter(&said, watch)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s in %s: %w\n%s", strings.Join(cmd.Args[1:], " "), p.dir, err, said.String())
	}
	return nil
}

// try runs a program: one that does not say its pinned version is not kept.
func (p pin) try(ctx context.Context, program Program, path string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	// The name decides which part of Argo CD runs, so the new file is called by the final one.
	cmd := exec.CommandContext(ctx, path, program.Version...)
	cmd.Args[0] = program.Name
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", program.Name, strings.Join(program.Version, " "), err, bytes.TrimSpace(out))
	}
	if want := p.fill(program.Says); !strings.Contains(string(out), want) {
		return fmt.Errorf("%s says %q, want version %s", program.Name, bytes.TrimSpace(out), want)
	}
	return nil
}
