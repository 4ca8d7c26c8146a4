package supervisor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// manager compares what is wanted with what runs.
type manager struct {
	dir     string
	log     *slog.Logger
	store   *store
	running map[string]*task
}

// task is a runner under way.
type task struct {
	desired Desired
	cancel  context.CancelFunc
	done    chan struct{}
}

// Supervise runs the components of a folder until the context ends or the folder is gone. There is one supervisor per folder.
func Supervise(ctx context.Context, dir string, log *slog.Logger) error {
	lock := flock.New(filepath.Join(dir, "supervisor.lock"))
	switch got, err := lock.TryLock(); {
	case err != nil:
		return fmt.Errorf("lock %s: %w", lock.Path(), err)
	case !got:
		return fmt.Errorf("another supervisor runs in %s", dir)
	}
	defer func() { _ = lock.Unlock() }()
	// Before the state is written: whoever reads it may poke at once, and an unexpected SIGHUP ends a process.
	poked := make(chan os.Signal, 1)
	signal.Notify(poked, syscall.SIGHUP)
	defer signal.Stop(poked)
	store, err := newStore(dir, log)
	if err != nil {
		return err
	}
	m := &manager{dir: dir, log: log, store: store, running: map[string]*task{}}
	return m.loop(ctx, poked)
}

func (m *manager) loop(ctx context.Context, poked <-chan os.Signal) error {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	defer m.stopAll()
	m.reconcile()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-poked:
			m.reconcile()
		case <-tick.C:
			if _, err := os.Stat(m.dir); errors.Is(err, os.ErrNotExist) {
				return errors.New("the folder of the sandbox is gone")
			}
			if err := cutLogs(m.dir); err != nil {
				m.log.Error("logs not cut", "error", err)
			}
		}
	}
}

func (m *manager) reconcile() {
	wanted, err := readAllDesired(m.dir)
	if err != nil {
		m.log.Error("wanted components not read; nothing changes", "error", err)
		return
	}
	var stopping []string
	for name, t := range m.running {
		d, ok := wanted[name]
		if !ok || d.Stopped || d.Component.Hash() != t.desired.Component.Hash() {
			stopping = append(stopping, name)
		}
	}
	m.stop(stopping...)
	for name, d := range wanted {
		m.apply(name, d)
	}
	m.forget(wanted)
}

func (m *manager) apply(name string, d Desired) {
	if m.running[name] != nil {
		return
	}
	m.store.update(name, func(s *Status) {
		s.Ports, s.Hash = d.Component.Ports, d.Component.Hash()
		if d.Stopped {
			s.Phase, s.Note = Stopped, "stopped on request"
			return
		}
		// What a caller sees from now on is not what was before.
		s.Phase, s.Note = Waiting, ""
	})
	if !d.Stopped {
		m.start(name, d)
	}
}

func (m *manager) start(name string, d Desired) {
	ctx, cancel := context.WithCancel(context.Background())
	t := &task{desired: d, cancel: cancel, done: make(chan struct{})}
	m.running[name] = t
	m.log.Info("start", "component", name)
	r := &runner{component: d.Component, dir: m.dir, store: m.store, log: m.log}
	go func() {
		defer close(t.done)
		r.run(ctx)
	}()
}

// stop ends tasks together and waits for all of them.
func (m *manager) stop(names ...string) {
	var ended sync.WaitGroup
	for _, name := range names {
		t := m.running[name]
		delete(m.running, name)
		m.log.Info("stop", "component", name)
		t.cancel()
		ended.Go(func() { <-t.done })
	}
	ended.Wait()
	for _, name := range names {
		m.store.update(name, func(s *Status) {
			*s = Status{Name: name, Phase: Stopped, Restarts: s.Restarts, LastExit: s.LastExit, Ports: s.Ports}
		})
	}
}

// forget drops the status of components that nobody wants any more.
func (m *manager) forget(wanted map[string]Desired) {
	state, err := ReadState(m.dir)
	if err != nil {
		return
	}
	for _, s := range state.Components {
		if _, ok := wanted[s.Name]; !ok {
			m.store.remove(s.Name)
		}
	}
}

// stopAll ends everything, those that others come after last: so etcd outlives its API server.
func (m *manager) stopAll() {
	for len(m.running) > 0 {
		needed := map[string]bool{}
		for _, t := range m.running {
			for _, name := range t.desired.Component.After {
				needed[name] = true
			}
		}
		var wave []string
		for name := range m.running {
			if !needed[name] {
				wave = append(wave, name)
			}
		}
		// Components that come after each other would never be free: end them all.
		for name := range m.running {
			if len(wave) == 0 {
				wave = append(wave, name)
			}
		}
		m.stop(wave...)
	}
}
