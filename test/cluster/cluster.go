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
func Main(m *testing.M, name string, use func(*Cluster)) int {
	c, down, err := Up(context.Background(), name, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, "set up the sandbox of the tests:", err)
		return 1
	}
	defer down()
	use(c)
	return m.Run()
}

// Up brings up a sandbox with Demarc in it and some nodes, zero being three; down takes it
// away. Where DEMARC_TEST_STATE names
// a folder the sandbox is kept in it, for the next run to go on with; demarc-sandbox down
// takes it away.
func Up(ctx context.Context, name string, nodes int) (c *Cluster, down func(), err error) {
	return Start(ctx, name, Options{Nodes: nodes})
}

// Options say in what a sandbox differs from that of most tests.
type Options struct {
	// Nodes is how many there are, zero being three.
	Nodes int
	// Install is how Demarc is installed; where from and where to is filled in.
	Install install.Options
}

// Start is Up, with options.
func Start(ctx context.Context, name string, o Options) (c *Cluster, down func(), err error) {
	ctrl.SetLogger(logr.Discard()) // what matters stands in the conditions
	state, kept := os.Getenv("DEMARC_TEST_STATE"), true
	if state == "" {
		if state, err = os.MkdirTemp("", "demarc-"+name+"-"); err != nil {
			return nil, nil, err
		}
		kept = false
	}
	_ = os.Setenv("DEMARC_STATE", state)
	box, err := sandbox.Up(ctx, sandbox.Options{Name: name, Nodes: o.Nodes, Out: os.Stderr})
	down = func() {
		if kept {
			return
		}
		if box != nil {
			_ = box.Down(context.WithoutCancel(ctx))
		}
		os.RemoveAll(state)
	}
	if err == nil {
		c, err = installed(ctx, box, o.Install)
	}
	if err != nil {
		down()
		return nil, nil, err
	}
	return c, down, nil
}

func installed(ctx context.Context, box *sandbox.Sandbox, o install.Options) (*Cluster, error) {
	o.Root, o.Out = Root(), os.Stderr
	demarc, err := install.Run(ctx, box, o)
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
