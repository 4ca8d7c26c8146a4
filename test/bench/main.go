// Command bench measures what the operator costs: the time from the first write until every claim is Ready, as a ratio to a
// plain client that writes the same objects; its writes to the API server, while it delivers, while nothing changes and
// over a restart; and its memory.
//
// Each run has a control plane of its own, so that none is slowed by what another left behind (ground.go). A stand-in plays
// Argo CD and the Deployments in every run alike (standin.go).
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Options are the flags.
type Options struct {
	// Name of the sandbox.
	Name string
	// Tenants, and Claims of each.
	Tenants, Claims int
	// Writers write at the same time.
	Writers int
	// Rounds of one plain and one operator run each.
	Rounds int
	// Quiet is how long nothing is changed while writes are counted.
	Quiet time.Duration
	// Out takes the progress.
	Out io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := Options{Out: os.Stderr}
	flag.StringVar(&o.Name, "name", "bench", "name of the sandbox, which is made anew for each run")
	flag.IntVar(&o.Tenants, "tenants", 100, "Tenants")
	flag.IntVar(&o.Claims, "claims", 10, "ServiceClaims of each Tenant")
	flag.IntVar(&o.Writers, "writers", 16, "clients that write at the same time")
	flag.IntVar(&o.Rounds, "rounds", 2, "rounds of one plain and one operator run each; the order alternates")
	flag.DurationVar(&o.Quiet, "quiet", time.Minute, "how long nothing is changed while the operator's writes are counted")
	markdown := flag.Bool("markdown", false, "print the block for docs/performance.md")
	flag.Parse()
	report, err := bench(ctx, o)
	if err == nil {
		err = report.Print(os.Stdout, *markdown)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench does all rounds.
func bench(ctx context.Context, o Options) (Report, error) {
	log.SetLogger(logr.Discard()) // clients return their errors
	report := Report{Options: o, Date: time.Now()}
	for round := range o.Rounds {
		kinds := []func(context.Context, *ground, Options) (Run, error){plainRun, operatorRun}
		if round%2 == 1 {
			kinds[0], kinds[1] = kinds[1], kinds[0]
		}
		for _, kind := range kinds {
			run, err := onGround(ctx, o, kind)
			if err != nil {
				return report, err
			}
			fmt.Fprintf(o.Out, "round %d, %s: %s\n", round+1, run.Kind, run.Wall.Round(10*time.Millisecond))
			report.Runs = append(report.Runs, run)
		}
	}
	return report, nil
}

// onGround does one run on a control plane of its own.
func onGround(ctx context.Context, o Options, run func(context.Context, *ground, Options) (Run, error)) (r Run, err error) {
	g, err := newGround(ctx, o)
	if err != nil {
		return r, err
	}
	defer func() {
		if downErr := g.down(ctx); err == nil {
			err = downErr
		}
	}()
	return run(ctx, g, o)
}
