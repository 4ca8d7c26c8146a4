package demo

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"demarc.dev/demarc/sandbox/programs"
)

// tools are the programs that the demo runs and that the user needs afterwards.
var tools = []string{"kubectl", "helm"}

// absentTools lists those that are not on the PATH.
func absentTools() []string {
	var list []string
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			list = append(list, tool)
		}
	}
	return list
}

// findTools returns the folder of the built programs; empty where a cluster of the user's is looked at with the user's own.
func (d *demo) findTools(ctx context.Context) (string, error) {
	if d.Kubeconfig == "" {
		return d.sandbox.BinDir(), nil
	}
	if len(absentTools()) == 0 {
		return "", nil
	}
	set, err := programs.Ensure(ctx, d.Out)
	return set.BinDir, err
}

// environment is the line that makes commands work: a sandbox's own programs go first, in a cluster of the user's the user's own.
func (d *demo) environment() string {
	switch {
	case d.tools == "":
		return fmt.Sprintf("export KUBECONFIG=%q", d.sandbox.Kubeconfig())
	case d.Kubeconfig == "":
		return fmt.Sprintf("export PATH=%q:\"$PATH\" KUBECONFIG=%q", d.tools, d.sandbox.Kubeconfig())
	default:
		return fmt.Sprintf("export PATH=\"$PATH\":%q KUBECONFIG=%q", d.tools, d.sandbox.Kubeconfig())
	}
}

// kubectl runs in the checkout and shows what it says.
func (d *demo) kubectl(ctx context.Context, args ...string) error {
	binary, err := exec.LookPath("kubectl")
	if err != nil || d.Kubeconfig == "" {
		binary = filepath.Join(d.tools, "kubectl")
	}
	cmd := exec.CommandContext(ctx, binary, append(args, "--kubeconfig", d.sandbox.Kubeconfig())...)
	cmd.Dir = d.Root
	out, err := cmd.CombinedOutput()
	d.screen.text(string(out))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.As(err, new(*exec.ExitError)) {
		return fmt.Errorf("kubectl %s failed: %w; what it said is above", args[0], err)
	}
	return err
}
