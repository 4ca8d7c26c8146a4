// Package cluster is what tests from end to end stand on: a sandbox with a real
// Argo CD and Demarc installed from its chart, and the few calls that make a test
// read as sentences.
package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/operator"
	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/install"
)

// Cluster is one sandbox with Demarc in it.
type Cluster struct {
	Box    *sandbox.Sandbox
	Demarc *install.Demarc
	// Config and Client are the administrator's.
	Config *rest.Config
	Client client.Client
}

// Root is the checkout.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Main runs a package's tests on a sandbox of their own, and returns the exit code.
// Where DEMARC_TEST_STATE names a folder the sandbox is kept in it, for the next run
// to go on with; demarc-sandbox down takes it away.
func Main(m *testing.M, name string, use func(*Cluster)) int {
	ctrl.SetLogger(logr.Discard()) // what matters stands in the conditions
	ctx := context.Background()
	state, kept := os.Getenv("DEMARC_TEST_STATE"), true
	if state == "" {
		dir, err := os.MkdirTemp("", "demarc-"+name+"-")
		if err != nil {
			return failed(err)
		}
		defer os.RemoveAll(dir)
		state, kept = dir, false
	}
	_ = os.Setenv("DEMARC_STATE", state)
	box, err := sandbox.Up(ctx, sandbox.Options{Name: name, Out: os.Stderr})
	if err != nil {
		return failed(err)
	}
	if !kept {
		defer func() { _ = box.Down(ctx) }()
	}
	c, err := installed(ctx, box)
	if err != nil {
		return failed(err)
	}
	use(c)
	return m.Run()
}

func installed(ctx context.Context, box *sandbox.Sandbox) (*Cluster, error) {
	demarc, err := install.Run(ctx, box, install.Options{Root: Root(), Out: os.Stderr})
	if err != nil {
		return nil, err
	}
	config, err := box.RESTConfig()
	if err != nil {
		return nil, err
	}
	scheme, err := operator.Scheme()
	if err != nil {
		return nil, err
	}
	admin, err := client.New(config, client.Options{Scheme: scheme})
	return &Cluster{Box: box, Demarc: demarc, Config: config, Client: admin}, err
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "set up the sandbox of the tests:", err)
	return 1
}
