// Command demarc is Demarc's command line. Under the name kubectl-demarc it is a
// plugin of kubectl: kubectl demarc.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"demarc.dev/demarc/internal/cli"
	"demarc.dev/demarc/internal/cli/factory"
)

// patient is how long a command has after a signal to come to its end.
const patient = 3 * time.Second

func main() { os.Exit(run()) }

func run() int {
	cli.Quiet()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		stop()                // a second signal ends it at once
		<-time.After(patient) // what waits or asks ends by itself, and says how it stands
		os.Exit(128 + int(syscall.SIGINT))
	}()
	return cli.Run(ctx, factory.New(os.Args[0], factory.Terminal()), os.Args[1:])
}
