// Package contract shows on a real control plane with a real Argo CD that the ownership
// contract and the cluster agree: from the first minute, by real requests, in what demarc
// who answers, and after the contract is changed.
package contract

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"demarc.dev/demarc/test/cluster"
)

// patience is for what takes seconds on an idle machine.
const patience = 4 * time.Minute

var (
	on *cluster.Cluster
	// program is the command line, built once.
	program string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "demarc-contract-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "demarc")
	build := exec.Command("go", "build", "-o", program, "./cmd/demarc")
	build.Dir = cluster.Root()
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build demarc: %v: %s\n", err, out)
		return 1
	}
	return cluster.Main(m, "contract", func(c *cluster.Cluster) { on = c })
}

// TestContract is in the order of a cluster's life: fresh, in use, asked, changed.
func TestContract(t *testing.T) {
	t.Run("fresh", fresh)
	use(t)
	t.Run("in use", inUse)
	t.Run("asked", asked)
	t.Run("changed", changed)
}

// demarc runs the command line as the administrator, and returns what it prints and its
// exit code.
func demarc(t *testing.T, args ...string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+on.Box.Kubeconfig())
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatalf("demarc %q: %v", args, err)
	}
	if text := complaints.String(); text != "" {
		t.Logf("demarc %q: %s", args, text)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}
