// Ownership-conflict shows how a platform whose one kind holds both team things and service things refuses a team's second
// service, and how the same two services fare under the current design. Both run in a sandbox of their own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/programs"
)

// name of the sandbox.
const name = "scenario"

// patience is how long one step may take.
const patience = 2 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ownership-conflict:", err)
		os.Exit(1)
	}
}

// run starts from nothing, also where an earlier run was kept, and leaves nothing unless KEEP is set.
func run(ctx context.Context, out io.Writer) (err error) {
	began := time.Now()
	if err := sandbox.Down(ctx, name, false); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave(context.WithoutCancel(ctx), out)) }()
	s, err := open(ctx, out)
	if err != nil {
		return err
	}
	for _, act := range []func(context.Context) error{s.before, s.cleanUp, s.after} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\nBoth halves went as told, in %s.\n", time.Since(began).Round(time.Second))
	return nil
}

// leave takes the sandbox down.
func leave(ctx context.Context, out io.Writer) error {
	if os.Getenv("KEEP") != "" {
		fmt.Fprintf(out, "\nThe sandbox is kept. To look around: export KUBECONFIG=\"$(go run ./cmd/demarc-sandbox kubeconfig --name %s)\"\n", name)
		fmt.Fprintf(out, "To end it: go run ./cmd/demarc-sandbox down --name %s\n", name)
		return nil
	}
	return sandbox.Down(ctx, name, false)
}

// stage is where the scenario plays.
type stage struct {
	out     io.Writer
	root    string // of the checkout
	sandbox *sandbox.Sandbox
	client  client.Client
}

func open(ctx context.Context, out io.Writer) (*stage, error) {
	root, err := programs.Source()
	if err != nil {
		return nil, err
	}
	s := &stage{out: out, root: root}
	s.title("A control plane, nodes and Argo CD")
	if s.sandbox, err = sandbox.Up(ctx, sandbox.Options{Name: name, Out: out}); err != nil {
		return nil, err
	}
	log, err := logTo(s.sandbox.Dir())
	if err != nil {
		return nil, err
	}
	ctrl.SetLogger(log)
	klog.SetLogger(log)
	config, err := s.sandbox.RESTConfig()
	if err != nil {
		return nil, err
	}
	s.client, err = client.New(config, client.Options{})
	return s, err
}
