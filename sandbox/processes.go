package sandbox

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"syscall"

	"demarc.dev/demarc/sandbox/component"
	"demarc.dev/demarc/sandbox/probe"
	"demarc.dev/demarc/sandbox/supervisor"
)

// Status is what is known of a component at this moment.
type Status struct {
	supervisor.Status
	// Problem says why it does not serve; it is empty when it does.
	Problem string `json:"problem,omitempty"`
}

// Run adds a supervised process or replaces the one of the same name, and waits until it is ready. It survives the caller.
// One that does not become ready is tried again until Remove.
func (s *Sandbox) Run(ctx context.Context, c component.Component) error {
	if !validName.MatchString(c.Name) {
		return fmt.Errorf("component name %q: %w", c.Name, errName)
	}
	if err := s.tell(supervisor.Desired{Component: c}); err != nil {
		return fmt.Errorf("run %s: %w", c.Name, err)
	}
	return s.await(ctx, []component.Component{c}, io.Discard)
}

// Stop ends a component and keeps it down until Start or Up.
func (s *Sandbox) Stop(ctx context.Context, name string) error {
	d, err := supervisor.ReadDesired(s.dir, name)
	if err != nil {
		return err
	}
	d.Stopped = true
	if err := s.tell(d); err != nil {
		return fmt.Errorf("stop %s: %w", name, err)
	}
	return supervisor.Await(ctx, s.dir, func(state supervisor.State) error {
		if c, ok := state.Find(name); !ok || c.Phase != supervisor.Stopped {
			return fmt.Errorf("%s is not stopped yet", name)
		}
		return nil
	})
}

// Start starts a stopped component and waits until it is ready.
func (s *Sandbox) Start(ctx context.Context, name string) error {
	d, err := supervisor.ReadDesired(s.dir, name)
	if err != nil {
		return err
	}
	d.Stopped = false
	if err := s.tell(d); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	return s.await(ctx, []component.Component{d.Component}, io.Discard)
}

// Remove ends a component and forgets it.
func (s *Sandbox) Remove(ctx context.Context, name string) error {
	if err := supervisor.Remove(s.dir, name); err != nil {
		return err
	}
	if err := supervisor.Poke(s.dir); err != nil {
		return err
	}
	return supervisor.Await(ctx, s.dir, func(state supervisor.State) error {
		if _, ok := state.Find(name); ok {
			return fmt.Errorf("%s is not gone yet", name)
		}
		return nil
	})
}

// Kill ends a component as a crash would; the supervisor starts it again.
func (s *Sandbox) Kill(name string) error {
	state, err := supervisor.ReadState(s.dir)
	if err != nil {
		return err
	}
	c, ok := state.Find(name)
	if !ok {
		return fmt.Errorf("no component is named %q", name)
	}
	if err := c.Process.SignalGroup(syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill %s: %w", name, err)
	}
	return nil
}

func (s *Sandbox) tell(d supervisor.Desired) error {
	if err := supervisor.WriteDesired(s.dir, d); err != nil {
		return err
	}
	return supervisor.Poke(s.dir)
}

// Components asks every component whether it serves.
func (s *Sandbox) Components() ([]Status, error) {
	state, err := supervisor.ReadState(s.dir)
	if err != nil {
		return nil, err
	}
	list := make([]Status, len(state.Components))
	var asked sync.WaitGroup
	for i, c := range state.Components {
		asked.Go(func() { list[i] = Status{Status: c, Problem: s.problem(c)} })
	}
	asked.Wait()
	slices.SortFunc(list, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

func (s *Sandbox) problem(c supervisor.Status) string {
	if c.Phase == supervisor.Stopped {
		return "stopped on request"
	}
	if !c.Process.Alive() {
		return strings.TrimSpace("does not run; " + c.Note)
	}
	d, err := supervisor.ReadDesired(s.dir, c.Name)
	if err != nil {
		return err.Error()
	}
	if err := probe.Check(context.Background(), d.Component.Ready); err != nil {
		return "does not answer: " + err.Error()
	}
	return ""
}
