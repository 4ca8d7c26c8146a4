package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// patience is how long any one wait may take.
const patience = 15 * time.Minute

// tally waits until so many names were marked.
type tally struct {
	mu     sync.Mutex
	marked map[string]bool
	want   int
	all    chan struct{}
	// last is when the last one was marked.
	last time.Time
}

func newTally(want int) *tally {
	return &tally{marked: map[string]bool{}, want: want, all: make(chan struct{})}
}

func (t *tally) mark(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.marked[name] {
		return
	}
	t.marked[name] = true
	if len(t.marked) == t.want {
		t.last = time.Now()
		close(t.all)
	}
}

func (t *tally) await(ctx context.Context, what string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-t.all:
		return nil
	case <-ctx.Done():
		t.mu.Lock()
		defer t.mu.Unlock()
		return fmt.Errorf("%d of %d %s: %w", len(t.marked), t.want, what, context.Cause(ctx))
	}
}
