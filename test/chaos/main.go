// Command chaos shows that Demarc ends where it should, whatever happens on the way. A round tells a story of a hundred teams
// that come, change and go (author.go), on a real sandbox, while the operator is killed, the API server and Argo CD are ended
// and started (strikes.go), and requests fail (package proxy). Then the faults end, and the state must come to be that of an
// undisturbed run (expect.go), with nothing orphaned; and the audit log must show that nothing went before its time
// (history.go). The first round is undisturbed, and proves that what is expected is what a real run comes to.
//
// All that happens follows from a seed, the timing of the processes apart.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"demarc.dev/demarc/test/chaos/proxy"
)

// Options are the flags.
type Options struct {
	// Name of the sandbox.
	Name string
	// Seed of the first round; each further one has the next.
	Seed uint64
	// Rounds with faults; one without comes first, unless OnlyFaults leaves it out.
	Rounds     int
	OnlyFaults bool
	// Tenants of a round.
	Tenants int
	// Window is the time within which all steps begin and processes are struck.
	Window time.Duration
	// Out takes the report.
	Out io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := Options{Out: os.Stdout}
	flag.StringVar(&o.Name, "name", "chaos", "name of the sandbox, which is made anew for each round")
	flag.Uint64Var(&o.Seed, "seed", uint64(time.Now().Unix()), "what everything follows from; round n has the seed of the first plus n-1")
	flag.IntVar(&o.Rounds, "rounds", 20, "rounds with faults")
	flag.BoolVar(&o.OnlyFaults, "only-faults", false, "leave out the round without faults, which comes first")
	flag.IntVar(&o.Tenants, "tenants", 100, "Tenants of a round")
	flag.DurationVar(&o.Window, "window", time.Minute, "the time within which a round's steps begin and its processes are struck")
	flag.Parse()
	if err := chaos(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// chaos does all rounds, until one fails.
func chaos(ctx context.Context, o Options) error {
	log.SetLogger(logr.Discard()) // clients return their errors
	klog.SetLogger(logr.Discard())
	fmt.Fprintf(o.Out, "seed %d; all of this again: make chaos SEED=%d ROUNDS=%d TENANTS=%d\n", o.Seed, o.Seed, o.Rounds, o.Tenants)
	if !o.OnlyFaults {
		if err := o.round(ctx, "round 0", o.Seed, false); err != nil {
			return err
		}
	}
	for n := range o.Rounds {
		if err := o.round(ctx, fmt.Sprintf("round %d", n+1), o.Seed+uint64(n), true); err != nil {
			return err
		}
	}
	fmt.Fprintf(o.Out, "%d rounds: each ended in the state of an undisturbed run\n", o.Rounds)
	return nil
}

// round does one on a ground of its own. What fails is kept.
func (o Options) round(ctx context.Context, title string, seed uint64, disturbed bool) (err error) {
	g, err := newGround(ctx, o.Name, plan(seed))
	if err != nil {
		return err
	}
	r := &round{ground: g, seed: seed, disturbed: disturbed, window: o.Window, story: newStory(seed, "t", o.Tenants, o.Window), world: world{}}
	if err := r.run(ctx); err != nil {
		return o.failed(ctx, g, title, seed, err)
	}
	r.report.print(o.Out, title)
	return g.down(ctx)
}

// plan of the requests that fail.
func plan(seed uint64) proxy.Plan {
	return proxy.Plan{Seed: seed, Longest: 14 * time.Second, Rates: map[proxy.Fault]float64{
		proxy.Conflict: 0.01, proxy.Throttle: 0.01, proxy.Internal: 0.02, proxy.Hang: 0.003, proxy.Lost: 0.02,
		proxy.Cut: 0.004, proxy.Held: 0.008,
	}}
}

// most lines of a difference that are shown; the rest is in a file.
const most = 200

func (o Options) failed(ctx context.Context, g *ground, title string, seed uint64, err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.Join(err, g.down(ctx))
	}
	aside, keepErr := g.keep(ctx, fmt.Sprintf("%s-failed-%d", o.Name, seed))
	if keepErr != nil {
		return errors.Join(err, keepErr)
	}
	text := fmt.Sprintf("%s (seed %d) failed: %v", title, seed, err)
	if writeErr := os.WriteFile(aside+"/failure.txt", []byte(text+"\n"), 0o600); writeErr != nil {
		return errors.Join(err, writeErr)
	}
	if lines := strings.Split(text, "\n"); len(lines) > most {
		text = strings.Join(lines[:most], "\n") + fmt.Sprintf("\n… %d lines more", len(lines)-most)
	}
	return fmt.Errorf("%s\nlogs, audit log, data and this text: %s\nthis round again: make chaos SEED=%d ROUNDS=1 TENANTS=%d", text, aside, seed, o.Tenants)
}
