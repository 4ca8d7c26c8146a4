// Command demarc is Demarc's command line. Under the name kubectl-demarc it is a
// plugin of kubectl: kubectl demarc.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"demarc.dev/demarc/internal/cli"
	"demarc.dev/demarc/internal/cli/factory"
)

func main() { os.Exit(run()) }

func run() int {
	cli.Quiet()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.Run(ctx, factory.New(os.Args[0], factory.Terminal()), os.Args[1:])
}
