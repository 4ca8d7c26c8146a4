package supervisor

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"demarc.dev/demarc/sandbox/process"
)

// store holds the state in memory, writes it at each change, and wakes those who wait for one.
type store struct {
	dir     string
	log     *slog.Logger
	mu      sync.Mutex
	state   State
	changed chan struct{}
}

func newStore(dir string, log *slog.Logger) (*store, error) {
	self, err := process.Of(os.Getpid())
	if err != nil {
		return nil, fmt.Errorf("identify the supervisor's own process: %w", err)
	}
	s := &store{dir: dir, log: log, state: State{Supervisor: self}, changed: make(chan struct{})}
	s.write()
	return s, nil
}

// update changes the status of a component, which is made if it is new.
func (s *store) update(name string, change func(*Status)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.state.Components, func(c Status) bool { return c.Name == name })
	if i < 0 {
		s.state.Components = append(s.state.Components, Status{Name: name})
		i = len(s.state.Components) - 1
	}
	change(&s.state.Components[i])
	s.publish()
}

func (s *store) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Components = slices.DeleteFunc(s.state.Components, func(c Status) bool { return c.Name == name })
	s.publish()
}

func (s *store) publish() {
	s.write()
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *store) write() {
	// The folder goes when the sandbox does; the manager notices that by itself.
	if err := writeJSON(filepath.Join(s.dir, "state.json"), s.state); err != nil && !os.IsNotExist(err) {
		s.log.Error("state not written", "error", err)
	}
}

// waitReady returns when all the named components are ready. note tells which are not yet.
func (s *store) waitReady(ctx context.Context, names []string, note func(string)) error {
	for said := ""; ; {
		missing, changed := s.missing(names)
		if missing == "" {
			return nil
		}
		if missing != said {
			said = missing
			note("waits for " + missing)
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

func (s *store) missing(names []string) (string, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var missing []string
	for _, name := range names {
		if c, ok := s.state.Find(name); !ok || c.Phase != Ready {
			missing = append(missing, name)
		}
	}
	return strings.Join(missing, ", "), s.changed
}
