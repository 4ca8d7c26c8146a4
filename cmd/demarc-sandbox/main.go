// Demarc-sandbox runs a real Kubernetes control plane, simulated nodes and a real Argo CD as plain processes on loopback.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/sandbox"
)

// Exit codes: 0 all is well, 1 something is down, 2 it could not tell or not do.
const (
	exitDown   = 1
	exitFailed = 2
)

// errDown is the outcome of status when something does not run; what it is has been printed by then.
var errDown = errors.New("something is down")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := newRoot().ExecuteContext(ctx)
	stop()
	switch {
	case errors.Is(err, errDown):
		os.Exit(exitDown)
	case err != nil:
		fmt.Fprintln(os.Stderr, "demarc-sandbox:", err)
		os.Exit(exitFailed)
	}
}

func newRoot() *cobra.Command {
	var name string
	root := &cobra.Command{
		Use:           "demarc-sandbox",
		Short:         "A real control plane, nodes and Argo CD on this machine, without containers",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.PersistentFlags().StringVar(&name, "name", sandbox.DefaultName, "which sandbox")
	root.AddCommand(newUp(&name), newDown(&name), newStatus(&name), newKubeconfig(&name), newBuild(), newSupervise(), newRedis())
	root.AddCommand(newDemo(&name))
	return root
}
