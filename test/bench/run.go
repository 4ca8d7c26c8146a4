package main

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/sandbox/install"
)

// Kinds of run.
const (
	Plain    = "plain client"
	Operator = "operator"
)

// Run is what one run gave.
type Run struct {
	Kind string
	// Wall is the time from the first write until the last claim is Ready, or its Application healthy.
	Wall time.Duration
	// ServerCPU that the API server used in that time.
	ServerCPU time.Duration
	// Writes by all actors in that time, as the API server's metrics count them.
	Writes int
	// Operator figures, nil for a plain run.
	Operator *Figures
}

// plainRun lets a client that knows the outcome write it at once, with the operator's rights and the operator stopped.
func plainRun(ctx context.Context, g *ground, o Options) (Run, error) {
	run := Run{Kind: Plain}
	if err := g.sandbox.Stop(ctx, install.Operator); err != nil {
		return run, err
	}
	var lists [][]client.Object
	for _, t := range teams(o) {
		list, err := t.rendered(g.demarc.Settings())
		if err != nil {
			return run, err
		}
		lists = append(lists, list)
	}
	config, err := g.asOperator(plainActor)
	if err != nil {
		return run, err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	s, err := play(ctx, fail, g, o)
	if err != nil {
		return run, err
	}
	return run, g.measure(ctx, &run, s.finished, "Applications are healthy", func() error {
		return create(ctx, config, lists, o.Writers)
	})
}

// operatorRun asks for the same in claims, and then watches the operator being still and being restarted.
func operatorRun(ctx context.Context, g *ground, o Options) (Run, error) {
	run := Run{Kind: Operator}
	var lists [][]client.Object
	for _, t := range teams(o) {
		lists = append(lists, t.asked())
	}
	config, err := g.admin(clientActor)
	if err != nil {
		return run, err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	if _, err := play(ctx, fail, g, o); err != nil {
		return run, err
	}
	ready := newTally(o.Tenants * o.Claims)
	if err := g.watchClaims(ctx, ready); err != nil {
		return run, err
	}
	if err := g.settle(ctx); err != nil {
		return run, err
	}
	before, err := g.scrapeServer(ctx)
	if err != nil {
		return run, err
	}
	began := time.Now()
	if err := g.measure(ctx, &run, ready, "claims are Ready", func() error { return create(ctx, config, lists, o.Writers) }); err != nil {
		return run, err
	}
	run.Operator, err = g.figures(ctx, o, began, before)
	return run, err
}

// measure times what do begins and the tally ends.
func (g *ground) measure(ctx context.Context, run *Run, until *tally, what string, do func() error) error {
	before, err := g.scrapeServer(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := do(); err != nil {
		return err
	}
	if err := until.await(ctx, what); err != nil {
		return err
	}
	run.Wall = until.last.Sub(began)
	after, err := g.scrapeServer(ctx)
	if err != nil {
		return err
	}
	run.ServerCPU = cpu(after) - cpu(before)
	for w, n := range after.writes() {
		run.Writes += n - before.writes()[w]
	}
	return nil
}

func cpu(s samples) time.Duration {
	return time.Duration(s.sum("process_cpu_seconds_total") * float64(time.Second))
}

// watchClaims marks each claim when it is seen to be Ready.
func (g *ground) watchClaims(ctx context.Context, ready *tally) error {
	config, err := g.admin(benchActor)
	if err != nil {
		return err
	}
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	return watch(ctx, c, v1alpha1.SchemeGroupVersion.WithResource("serviceclaims"), func(u *unstructured.Unstructured, _ bool) {
		var claim v1alpha1.ServiceClaim
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &claim); err != nil {
			return // the tally will miss it
		}
		if meta.IsStatusConditionTrue(claim.Status.Conditions, readiness.Ready) {
			ready.mark(claim.Name)
		}
	})
}
