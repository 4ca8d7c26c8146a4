package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	nameDemarc  = "demarc check"
	nameKyverno = "kyverno apply"
)

// program is one of the two, as a user runs it.
type program struct {
	name, path string
	// before and after the folder stand these arguments.
	before, after []string
}

// with more arguments.
func (p *program) with(more ...string) *program {
	q := *p
	q.after = slices.Concat(p.after, more)
	return &q
}

// Run is one run of a program on a folder of so many objects.
type Run struct {
	Program string
	Objects int
	// Wall is the time from the start of the process until its end, CPU what it used of all processors.
	Wall, CPU time.Duration
	output    []byte
}

// build builds both programs into a folder, where lay has written what they read; version is kyverno's.
func build(ctx context.Context, dir string) (demarc, kyverno *program, version string, err error) {
	here, err := golang(ctx, "list", "-f", "{{.Dir}}", "demarc.dev/demarc/test/checkbench")
	if err != nil {
		return nil, nil, "", err
	}
	apart := filepath.Join(here, "kyverno")
	demarc = &program{name: nameDemarc, path: filepath.Join(dir, "demarc"), before: []string{"check"},
		after: []string{"--team", team, "--platform", filepath.Join(dir, "given", "sets.yaml")}}
	kyverno = &program{name: nameKyverno, path: filepath.Join(dir, "kyverno"), before: []string{"apply", filepath.Join(dir, "rules"), "--resource"},
		after: []string{"--parameter-resource", filepath.Join(dir, "given", "sets.yaml"), "--values-file", filepath.Join(dir, "given", "values.yaml"), "--remove-color"}}
	if _, err := golang(ctx, "build", "-o", demarc.path, "demarc.dev/demarc/cmd/demarc"); err != nil {
		return nil, nil, "", err
	}
	if _, err := golang(ctx, "build", "-C", apart, "-o", kyverno.path, "github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno"); err != nil {
		return nil, nil, "", err
	}
	version, err = golang(ctx, "list", "-C", apart, "-m", "-f", "{{.Version}}", "github.com/kyverno/kyverno")
	return demarc, kyverno, version, err
}

// golang runs the go command.
func golang(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// run runs it on a folder. That it ends with 1 is how both say that something is refused.
func (p *program) run(ctx context.Context, f folder, limit time.Duration) (Run, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, slices.Concat(p.before, []string{f.path}, p.after)...)
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Run{}, fmt.Errorf("%s was not done with %d objects after %s: %w: take fewer -copies or a longer -limit", p.name, f.objects, limit, ctx.Err())
	case errors.As(err, &exit) && exit.ExitCode() == 1:
	case err != nil:
		return Run{}, fmt.Errorf("%s of %d objects: %w: %s", p.name, f.objects, err, wrong.String())
	}
	return Run{Program: p.name, Objects: f.objects, Wall: wall, CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), output: out.Bytes()}, nil
}
