package status

import (
	"context"
	"errors"
	"fmt"
	"time"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/status"
)

// watch follows a rollout to its end. A terminal is drawn anew at each change; elsewhere each
// change is a line.
func watch(ctx context.Context, o *Options) error {
	cluster, err := o.cluster()
	if err != nil {
		return err
	}
	follow := ctx
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		follow, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	tick := time.NewTicker(o.Every)
	defer tick.Stop()
	began, said := o.Clock.Now(), ""
	for {
		q := o.Question
		q.Now = o.Clock.Now()
		set, err := cluster.Rollout(follow, q, q.Now)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case follow.Err() != nil:
			return o.timeUp(said)
		case err != nil:
			return exit.Unreadable(err, "read the service")
		}
		p, ok := status.ProgressOf(set, q)
		if !ok {
			return o.absent(set)
		}
		if p.Says != said {
			said = p.Says
			if err := o.tell(ctx, q.Now.Sub(began), p); err != nil {
				return err
			}
		}
		if p.Done || p.Failed {
			return o.end(ctx, p)
		}
		select {
		case <-follow.Done():
		case <-tick.C:
		}
	}
}

// wipe clears a terminal and goes to its top.
const wipe = "\x1b[H\x1b[2J"

// tell shows a change.
func (o *Options) tell(ctx context.Context, after time.Duration, p status.Progress) error {
	if !o.IO.OutTerminal {
		_, err := fmt.Fprintf(o.IO.Out, "+%-6s %s\n", after.Round(time.Second), plain.Line(p.Says))
		return err
	}
	a, err := o.answer(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprint(o.IO.Out, wipe); err != nil {
		return err
	}
	return screen(o, a)
}

// end says how it came out; of what failed all is shown where it is not on the screen.
func (o *Options) end(ctx context.Context, p status.Progress) error {
	if p.Done {
		fmt.Fprintln(o.IO.Out, o.IO.Paint(factory.Good, o.Arg+" is rolled out"))
		return nil
	}
	if !o.IO.OutTerminal {
		a, err := o.answer(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintln(o.IO.Out)
		if err := screen(o, a); err != nil {
			return err
		}
	}
	return exit.Refused(o.Arg+" failed for good: "+plain.Line(p.Says), "")
}

func (o *Options) timeUp(said string) error {
	if said == "" {
		return &exit.Error{Code: exit.No, What: "the time was up before the cluster had answered", Err: errors.New("timeout")}
	}
	return exit.Refused("the time is up, and "+o.Arg+" is not ready: "+plain.Line(said), fmt.Sprintf("%s status %s says why", o.Program, o.Arg))
}
