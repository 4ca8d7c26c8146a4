package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/test/auditlog"
	"demarc.dev/demarc/test/poll"
)

// round is one story told on a ground, with or without faults.
type round struct {
	*ground
	seed      uint64
	disturbed bool
	window    time.Duration
	story     story
	// world is what has been asked for when the story is told.
	world  world
	report Report
}

// convergence is how long a cluster may take to come to what was asked for, once the faults are over.
const convergence = 6 * time.Minute

// run tells the story, and then waits for the state in which an undisturbed cluster ends. A Failure says what is wrong.
func (r *round) run(ctx context.Context) error {
	r.report = Report{Seed: r.seed, Steps: r.story.counts(), Strikes: map[string]int{}}
	r.world.tell(r.story)
	told := time.Now()
	if err := r.tell(ctx); err != nil {
		return err
	}
	r.report.Told = time.Since(told)
	if err := r.converge(ctx); err != nil {
		return err
	}
	return r.judge()
}

// tell does the story and the faults beside each other. Requests fail until the story is told, or for twice its time; what
// it still waits for comes after.
func (r *round) tell(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	told := make(chan struct{})
	group.Go(func() error {
		defer close(told)
		return r.act(ctx, r.story)
	})
	if r.disturbed {
		group.Go(func() error { return r.disturb(ctx, told) })
	}
	return group.Wait()
}

func (r *round) disturb(ctx context.Context, told <-chan struct{}) error {
	rows := newStrikes(r.seed, r.window)
	for _, row := range rows {
		for _, s := range row {
			r.report.Strikes[s.what]++
		}
	}
	before, err := r.component(install.Operator)
	if err != nil {
		return err
	}
	began := time.Now()
	r.proxy.Begin()
	defer r.proxy.End()
	if err := r.strike(ctx, rows); err != nil {
		return err
	}
	until(ctx, began.Add(r.window))
	late := time.NewTimer(r.window)
	defer late.Stop()
	select {
	case <-told:
	case <-late.C:
	case <-ctx.Done():
	}
	r.proxy.End()
	r.report.Disturbed = time.Since(began)
	after, err := r.component(install.Operator)
	r.report.Restarts = after.Restarts - before.Restarts
	r.report.Seen = r.proxy.Seen()
	return err
}

// Failure is what a round found to be wrong, as opposed to what kept it from finding out.
type Failure struct {
	What  string
	Lines []string
}

func (f *Failure) Error() string { return f.What + ":\n" + strings.Join(f.Lines, "\n") }

// compare looks once.
func (r *round) compare(ctx context.Context) ([]string, error) {
	seen, err := r.observe(ctx)
	if err != nil {
		return nil, err
	}
	want, err := expect(r.world, r.demarc.Settings(), seen.uids)
	if err != nil {
		return nil, err
	}
	r.report.Objects = len(want)
	return append(seen.orphans(r.world), differences(want, seen.state)...), nil
}

// looks is how often in a row, a second apart, the state must be right: what the operator still had to do when it first
// was must not change anything.
const looks = 5

func (r *round) converge(ctx context.Context) error {
	var lines []string
	right, began := 0, time.Now()
	err := poll.Until(ctx, time.Second, convergence, "wait for the state of an undisturbed run", func(ctx context.Context) (bool, error) {
		found, err := r.compare(ctx)
		if err == nil {
			lines = found
		}
		if right++; err != nil || len(found) > 0 {
			right = 0
		}
		if right == 1 {
			r.report.Converged = time.Since(began)
		}
		return right == looks, err
	})
	if err != nil && len(lines) > 0 && ctx.Err() == nil {
		return &Failure{fmt.Sprintf("%s after the faults had ended the state was not that of an undisturbed run", convergence), lines}
	}
	return err
}

// judge reads the whole audit log.
func (r *round) judge() error {
	h := newHistory(r.outages)
	whole := false
	err := auditlog.Read(r.sandbox.Dir(), time.Time{}, time.Now(), func(e auditlog.Request) {
		whole = whole || e.ObjectRef.Resource == "customresourcedefinitions" && strings.HasSuffix(e.ObjectRef.Name, "demarc.dev")
		h.add(e)
	})
	if err != nil {
		return err
	}
	if !whole {
		return errors.New("the audit log does not reach back to the install: it was rotated too often to judge by")
	}
	wrong, untold := h.verdict()
	r.report.Writes, r.report.Untold, r.report.Ends = h.writes, untold, len(h.namespaces)+len(h.projects)+len(h.drained)
	if len(wrong) > 0 {
		return &Failure{"the audit log shows what must not happen", wrong}
	}
	return nil
}
