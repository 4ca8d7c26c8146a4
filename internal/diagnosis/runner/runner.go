// Package runner has triage look at the cluster, as the operator: often while a claim is in
// trouble, seldom while none is. What it finds the controllers write into the status of
// claims and Tenants, and Prometheus is told.
package runner

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/diagnosis"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/survey"
	"demarc.dev/demarc/internal/triage"
)

const (
	// perSecond is how many pages are asked for in a second; burst bounds those at once.
	perSecond, burst = 20, 20
	// timeout of a whole look.
	timeout = 5 * time.Minute
	// beat is how often the clock is looked at. It is injected, and has no timers.
	beat = time.Second
)

// Runner looks, and keeps what was found.
type Runner struct {
	Clock clock.PassiveClock
	// Cached reads Demarc's own kinds.
	Cached client.Reader
	// Interval is how often is looked while no claim is in trouble; zero is DefaultInterval.
	Interval time.Duration

	cluster survey.Cluster
	pace    pace
	// blindSince is since when a kind could not be read, zero where all could.
	blindSince time.Time

	mu     sync.Mutex
	found  *diagnosis.Diagnosis
	notify []func(claims, teams []string)
}

// SetupWithManager gives the runner a client that waits for its turn without keeping the
// controllers from theirs. Nothing it reads is cached: it is read once in a while, and all of it.
func (r *Runner) SetupWithManager(mgr ctrl.Manager) error {
	r.pace.interval = r.Interval
	config := rest.CopyConfig(mgr.GetConfig())
	config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(perSecond, burst)
	var err error
	if r.cluster, err = clusterOf(config, mgr.GetHTTPClient(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()}); err != nil {
		return fmt.Errorf("make the client that triage reads through: %w", err)
	}
	return mgr.Add(r)
}

func clusterOf(config *rest.Config, through *http.Client, o client.Options) (c survey.Cluster, err error) {
	o.HTTPClient = through
	if c.Client, err = client.New(config, o); err != nil {
		return c, err
	}
	c.Discovery, err = discovery.NewDiscoveryClientForConfigAndClient(config, through)
	return c, err
}

// NeedLeaderElection is part of manager.LeaderElectionRunnable: one looks.
func (r *Runner) NeedLeaderElection() bool { return true }

// Follow has somebody told of which claims and which Tenants there is something else to be
// said.
func (r *Runner) Follow(changed func(claims, teams []string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notify = append(r.notify, changed)
}

// Claim is what concerns a claim; looked is whether anybody has looked since the start.
func (r *Runner) Claim(uid types.UID) (findings []finding.Finding, looked bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.found == nil {
		return nil, false
	}
	return r.found.Claims[uid], true
}

// Tenant counts what concerns a team; looked is whether anybody has looked since the start.
func (r *Runner) Tenant(name string) (count v1alpha1.TenantFindings, looked bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.found == nil {
		return v1alpha1.TenantFindings{}, false
	}
	return r.found.Tenants[name], true
}

// Start is part of manager.Runnable.
func (r *Runner) Start(ctx context.Context) error {
	ctx = ctrl.LoggerInto(ctx, ctrl.Log.WithName("triage"))
	defer forget() // what was measured is the leader's word
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		names, err := r.troubled(ctx)
		if err == nil && r.pace.due(r.Clock.Now(), names) {
			err = r.look(ctx)
		}
		if err != nil && ctx.Err() == nil {
			ctrl.LoggerFrom(ctx).Error(err, "look for what is wrong")
		}
	}
}

// troubled names the claims that are not Ready, or of which a finding is open.
func (r *Runner) troubled(ctx context.Context) (string, error) {
	var list v1alpha1.ServiceClaimList
	if err := r.Cached.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil { // read alone
		return "", fmt.Errorf("list ServiceClaims: %w", err)
	}
	var names []string
	for i := range list.Items {
		claim := &list.Items[i]
		if ready := meta.IsStatusConditionTrue(claim.Status.Conditions, readiness.Ready); !ready || len(claim.Status.Findings) > 0 {
			names = append(names, fmt.Sprint(claim.UID, ready))
		}
	}
	slices.Sort(names)
	return strings.Join(names, " "), nil
}

// look reads the cluster, has triage find what is wrong, and tells.
func (r *Runner) look(ctx context.Context) error {
	begun, watch := r.Clock.Now(), time.Now() // the one may jump, the other runs
	set, err := r.read(ctx, begun)
	if err != nil {
		looks.WithLabelValues("error").Inc()
		r.pace.failed(r.Clock.Now())
		return err
	}
	passing := failed(set)
	d := diagnosis.Of(set, triage.Check(set, triage.Question{Own: true}))
	ended, took := r.Clock.Now(), time.Since(watch)
	if len(passing) == 0 {
		r.blindSince = time.Time{}
		looks.WithLabelValues("whole").Inc()
	} else {
		d = r.keep(ctx, d, passing, ended)
		looks.WithLabelValues("part").Inc()
	}
	measure(d, took)
	r.pace.looked(begun, ended, took, r.tell(ctx, d, set))
	return nil
}

// read is the cluster as far as the operator may look.
func (r *Runner) read(ctx context.Context, at time.Time) (*snapshot.Set, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	within := &room{end: end, used: memory}
	set, err := r.cluster.Triage(ctx, at, survey.Triaged{Trim: within.trim, Without: withheld})
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	for _, u := range failed(set) {
		if u.Group == v1alpha1.GroupName { // the API server answers nothing, or all is in vain
			return nil, fmt.Errorf("Demarc's own kinds could not be read, and what was found before stands: %s", u)
		}
	}
	return set, nil
}

// failed is what could not be read for a reason that may pass; a missing right is none.
func failed(set *snapshot.Set) (list []snapshot.Unread) {
	for _, u := range set.Unread() {
		if u.Why != "" && !u.NotAsked() {
			list = append(list, u)
		}
	}
	return list
}

// longest is how long what was found before stands where a kind cannot be read.
const longest = 30 * time.Minute

// keep adds what was found before to what part of the cluster shows: what is wrong opens, and
// nothing closes for want of an answer, for half an hour at most.
func (r *Runner) keep(ctx context.Context, d diagnosis.Diagnosis, passing []snapshot.Unread, now time.Time) diagnosis.Diagnosis {
	if r.blindSince.IsZero() {
		r.blindSince = now
		ctrl.LoggerFrom(ctx).Info("not all of the cluster could be read: nothing that was found before closes until it can, for half an hour at most", "unread", fmt.Sprint(passing))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.found == nil || now.Sub(r.blindSince) > longest {
		return d
	}
	return d.Keeping(*r.found)
}
