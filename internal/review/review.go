// Package review asks the API server, as the operator, whether it answers as the ownership
// contract says: every hour, and after RBAC or what the contract is made of has changed.
// What internal/verify says offline of RBAC alone is thus held against all authorizers of
// the cluster.
package review

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/verify"
)

const (
	// PerSecond is how many questions are asked in a second: a small part of what an API
	// server answers. atOnce bounds those that wait for an answer.
	PerSecond, atOnce = 50, 4
	timeout           = 30 * time.Second
	// beat is how often the clock is looked at. It is injected, and has no timers.
	beat = time.Second
)

// Runner asks, and keeps what was answered.
type Runner struct {
	Contracts *kube.Contracts
	Clock     clock.PassiveClock
	// Cached reads Demarc's own kinds.
	Cached client.Reader
	// Cache has Demarc's own kinds, RBAC those of RBAC, trimmed; the runner starts that
	// one, so that only the operator that leads watches.
	Cache, RBAC cache.Cache
	// PerSecond is how many questions are asked in a second; 0 is the constant.
	PerSecond float32

	asker client.Client
	// rights reads RBAC.
	rights client.Reader
	pace   pace
	tally  tally
	doubts []verify.Review
	// failures in a row.
	failures int

	mu       sync.Mutex
	version  string
	reviewed *readiness.Reviewed
	notify   []func()
}

// SetupWithManager gives the runner a client that waits for its turn without keeping the
// controllers from theirs.
func (r *Runner) SetupWithManager(mgr ctrl.Manager) (err error) {
	r.rights = r.RBAC
	if r.asker, err = asker(mgr.GetConfig(), mgr.GetHTTPClient(), r.PerSecond, client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()}); err != nil {
		return fmt.Errorf("make the client that asks for SubjectAccessReviews: %w", err)
	}
	return mgr.Add(r)
}

func asker(config *rest.Config, through *http.Client, perSecond float32, o client.Options) (client.Client, error) {
	if perSecond == 0 {
		perSecond = PerSecond
	}
	config, o.HTTPClient = rest.CopyConfig(config), through
	config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(perSecond, atOnce)
	return client.New(config, o)
}

// NeedLeaderElection is part of manager.LeaderElectionRunnable: one asks.
func (r *Runner) NeedLeaderElection() bool { return true }

// Follow has somebody called when there is something else to be said.
func (r *Runner) Follow(changed func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notify = append(r.notify, changed)
}

// Reviewed is what was answered to the questions that are made from a version of the
// contract; nil where they were not asked yet.
func (r *Runner) Reviewed(version string) *readiness.Reviewed {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version != version {
		return nil
	}
	return r.reviewed
}

// Start is part of manager.Runnable.
func (r *Runner) Start(ctx context.Context) error {
	ctx = ctrl.LoggerInto(ctx, ctrl.Log.WithName("review"))
	done := make(chan error, 1)
	go func() { done <- r.RBAC.Start(ctx) }()
	r.pace.changed(r.Clock.Now()) // the start is one
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for watching := false; ; {
		select {
		case <-ctx.Done():
			return <-done
		case <-tick.C:
		}
		if !watching {
			if err := r.watch(ctx); err != nil {
				ctrl.LoggerFrom(ctx).Info("not yet", "why", err.Error())
				continue
			}
			watching = true
		}
		r.step(ctx)
	}
}

func (r *Runner) step(ctx context.Context) {
	var err error
	switch r.pace.due(r.Clock.Now()) {
	case ask:
		err = r.round(ctx)
	case askAgain:
		err = r.again(ctx)
	case wait:
		return
	}
	if err != nil && ctx.Err() == nil {
		r.failed(ctx, err)
	}
}

// round asks some questions; doubts among the answers wait.
func (r *Runner) round(ctx context.Context) error {
	r.pace.begun()
	all, version, err := r.gather(ctx)
	if err != nil {
		return err
	}
	r.tally.of(version)
	round, list := r.tally.next(all)
	answers, err := r.ask(ctx, list)
	if err != nil {
		return err
	}
	if r.doubts = r.tally.took(round, answers); len(r.doubts) > 0 {
		r.pace.doubt(r.Clock.Now())
		return nil
	}
	r.say(ctx, all.Cells(), version)
	return nil
}

// again asks what is in doubt once more, by what is right by now.
func (r *Runner) again(ctx context.Context) error {
	all, version, err := r.gather(ctx)
	if err != nil {
		return err
	}
	if version != r.tally.version { // what was asked is of another contract
		return r.round(ctx)
	}
	var list []verify.Review
	for _, was := range r.doubts {
		if now, still := all.Again(was); still {
			list = append(list, now)
		}
	}
	answers, err := r.ask(ctx, list)
	if err != nil {
		return err
	}
	r.tally.confirm(answers)
	r.say(ctx, all.Cells(), version)
	return nil
}
