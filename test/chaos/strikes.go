package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/sandbox/process"
	"demarc.dev/demarc/sandbox/supervisor"
	"demarc.dev/demarc/test/poll"
)

// strike is what befalls a process of the sandbox.
type strike struct {
	at   time.Duration
	what string
	do   func(context.Context, *ground) error
}

// Components that are struck, beside the operator.
const (
	apiServer  = "kube-apiserver"
	argoServer = "argocd-repo-server"
	argoCD     = "argocd-application-controller"
)

// newStrikes are those of a round, in rows that go on beside each other: a pure function of the seed.
func newStrikes(seed uint64, window time.Duration) [][]strike {
	r := rand.New(rand.NewPCG(seed, 1))
	var kills []strike
	n := max(2, int(window/betweenKills))
	for i := range n {
		slot := window / time.Duration(n)
		at := time.Duration(i)*slot + between(r, slot/4, slot*9/10)
		kills = append(kills, strike{at, "operator killed", killOperator(r.IntN(4) > 0)})
	}
	// Not while the teams come first: for half a minute after its start an API server refuses what Demarc's policies judge.
	server := []strike{{between(r, window*2/5, window*4/5), "API server killed", killServer}}
	if r.IntN(3) == 0 {
		server = append(server, strike{between(r, window*4/5, window), "API server stopped", stopServer(between(r, 0, 3*time.Second))})
	}
	return [][]strike{kills, server,
		{{between(r, window/8, 2*window/3), "Argo CD stopped", stopped(argoCD, between(r, time.Second, window/4))}},
		{{between(r, window/8, 2*window/3), "repo-server stopped", stopped(argoServer, between(r, time.Second, window/4))}},
	}
}

// betweenKills is what an operator needs to come up and get to work before it is killed again.
const betweenKills = 20 * time.Second

func between(r *rand.Rand, from, to time.Duration) time.Duration {
	return from + time.Duration(r.Int64N(int64(max(to-from, 1))))
}

// strike does all of them, each when its time has come and the one before it in its row is done.
func (g *ground) strike(ctx context.Context, rows [][]strike) error {
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for _, row := range rows {
		group.Go(func() error {
			for _, s := range row {
				if !until(ctx, began.Add(s.at)) {
					return context.Cause(ctx)
				}
				if err := s.do(ctx, g); err != nil {
					return fmt.Errorf("%s: %w", s.what, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// stopped keeps a component down for a while.
func stopped(name string, down time.Duration) func(context.Context, *ground) error {
	return func(ctx context.Context, g *ground) error {
		if err := g.sandbox.Stop(ctx, name); err != nil {
			return err
		}
		if !until(ctx, time.Now().Add(down)) {
			return context.Cause(ctx)
		}
		return g.sandbox.Start(ctx, name)
	}
}

func killServer(ctx context.Context, g *ground) error {
	g.outage()
	return g.kill(ctx, apiServer)
}

func stopServer(down time.Duration) func(context.Context, *ground) error {
	return func(ctx context.Context, g *ground) error {
		g.outage()
		return stopped(apiServer, down)(ctx, g)
	}
}

// outage notes that the API server ends now.
func (g *ground) outage() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.outages = append(g.outages, time.Now())
}

// killOperator kills it. The next one waits until the dead one's Lease has run out, or works at once: then somebody took
// the Lease away.
func killOperator(atOnce bool) func(context.Context, *ground) error {
	return func(ctx context.Context, g *ground) error {
		if err := g.kill(ctx, install.Operator); err != nil || !atOnce {
			return err
		}
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: install.Namespace, Name: install.Operator}}
		return poll.Until(ctx, 100*time.Millisecond, time.Minute, "take the dead operator's Lease away", func(ctx context.Context) (bool, error) {
			err := client.IgnoreNotFound(g.admin.Delete(ctx, lease.DeepCopy()))
			return err == nil, err
		})
	}
}

// kill ends a component as a crash does, once it runs, and waits until it is dead.
func (g *ground) kill(ctx context.Context, name string) error {
	var id process.ID
	err := poll.Until(ctx, 50*time.Millisecond, time.Minute, "kill "+name, func(context.Context) (bool, error) {
		found, err := g.component(name)
		if id = found.Process; err != nil || !id.Alive() {
			return false, err
		}
		err = g.sandbox.Kill(name)
		return err == nil, err
	})
	if err != nil {
		return err
	}
	return poll.Until(ctx, 10*time.Millisecond, time.Minute, "wait for the end of "+name, func(context.Context) (bool, error) {
		return !id.Alive(), fmt.Errorf("process %d lives", id.PID)
	})
}

// component is what the supervisor knows of one.
func (g *ground) component(name string) (supervisor.Status, error) {
	state, err := supervisor.ReadState(g.sandbox.Dir())
	found, _ := state.Find(name)
	return found, err
}
