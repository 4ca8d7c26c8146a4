package demo

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// follow prints every change of a Ready condition until all are Ready, or the time is over.
func (d *demo) follow(ctx context.Context) error {
	for _, o := range d.objects {
		d.screen.width = max(d.screen.width, len(o.String()))
	}
	bounded, cancel := context.WithDeadline(ctx, d.applied.Add(d.Timeout))
	defer cancel()
	t := newTracker(d.objects)
	for {
		select {
		case c := <-d.changes:
			if t.observe(c.object, c.state) {
				fmt.Fprintln(d.Out, d.screen.line(max(0, c.at.Sub(d.applied)), c.object.String(), c.state))
			}
		case <-bounded.Done():
			if ctx.Err() == nil {
				d.explain(t)
			}
			return errors.Join(ErrNotReady, ctx.Err())
		}
		if len(t.pending()) > 0 {
			continue
		}
		switch proven, err := d.prove(bounded); {
		case err != nil && bounded.Err() == nil:
			return err
		case proven:
			fmt.Fprintf(d.Out, "  all %d after %s\n", len(d.objects), time.Since(d.applied).Round(100*time.Millisecond))
			return nil
		}
	}
}

// prove asks the API server itself: the watch may still be at what was before the apply. Where the answer is no, the change
// that makes it yes is still to come.
func (d *demo) prove(ctx context.Context) (bool, error) {
	client, err := d.client()
	if err != nil {
		return false, err
	}
	live := newTracker(d.objects)
	for _, kind := range kinds {
		list, err := client.Resource(kind).List(ctx, everything)
		if err != nil {
			return false, fmt.Errorf("list %s: %w", kind.Resource, err)
		}
		for i := range list.Items {
			live.observe(objectOf(&list.Items[i]), stateOf(&list.Items[i]))
		}
	}
	return len(live.pending()) == 0, nil
}
