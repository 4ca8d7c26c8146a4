package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"demarc.dev/demarc/sandbox/component"
	"demarc.dev/demarc/sandbox/probe"
	"demarc.dev/demarc/sandbox/supervisor"
)

// tries is how often a component may die while somebody waits for it to become ready.
const tries = 5

// await waits until components run as described, are ready, and answer. It tells of each as it comes.
func (s *Sandbox) await(ctx context.Context, wanted []component.Component, out io.Writer) error {
	began := time.Now()
	before, err := supervisor.ReadState(s.dir)
	if err != nil {
		return err
	}
	for _, c := range wanted {
		old, _ := before.Find(c.Name)
		bounded, cancel := context.WithTimeout(ctx, c.Ready.Wait())
		err := supervisor.Await(bounded, s.dir, func(state supervisor.State) error { return readiness(state, c, old.Restarts) })
		if err == nil {
			err = answers(bounded, c)
		}
		cancel()
		if err != nil {
			return fmt.Errorf("%s is not ready: %w", c.Name, err)
		}
		fmt.Fprintf(out, "  %-32s ready after %s\n", c.Name, time.Since(began).Round(100*time.Millisecond))
	}
	return nil
}

// answers asks until a component says that it is ready: it may have said so a moment
// ago and have more to do since, such as an operator that got the lead.
func answers(ctx context.Context, c component.Component) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		err := probe.Check(ctx, c.Ready)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

// readiness says what is missing for a component to be ready.
func readiness(state supervisor.State, c component.Component, restarts int) error {
	found, ok := state.Find(c.Name)
	if !ok || found.Hash != c.Hash() {
		return errors.New("the supervisor has not taken it up yet")
	}
	if found.Phase == supervisor.Ready {
		return nil
	}
	err := fmt.Errorf("%s: %s", found.Phase, found.Note)
	if found.LastExit == nil || found.Restarts == restarts {
		return err
	}
	err = fmt.Errorf("%w; it died %d times, last: %s\n%s", err, found.Restarts-restarts, found.LastExit.Reason, strings.Join(found.LastExit.Log, "\n"))
	if found.Restarts-restarts >= tries {
		return supervisor.GiveUp(err)
	}
	return err
}
