package outcome

import (
	"sync"
	"time"
)

// settling is how long a finalizer that was put on is not trusted: the API server may
// have begun a deletion before, and then carries it out although the finalizer is
// there. It is longer than a request takes.
const settling = 10 * time.Second

// Fresh remembers the objects whose finalizer was put on just now, so that what was
// made for one that was lost in that moment is taken down again.
type Fresh[T any] struct {
	mu   sync.Mutex
	held map[string]fresh[T]
}

type fresh[T any] struct {
	object T
	at     time.Time
}

// Note remembers an object.
func (f *Fresh[T]) Note(name string, object T, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held == nil {
		f.held = map[string]fresh[T]{}
	}
	f.held[name] = fresh[T]{object, at}
}

// Get returns an object that is remembered, and how long until it can be trusted.
func (f *Fresh[T]) Get(name string, at time.Time) (object T, wait time.Duration, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one, ok := f.held[name]
	return one.object, max(0, settling-at.Sub(one.at)), ok
}

// Drop forgets an object.
func (f *Fresh[T]) Drop(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.held, name)
}
