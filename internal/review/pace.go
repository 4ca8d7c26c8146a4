package review

import (
	"sync"
	"time"
)

const (
	// interval from one round to the next where nothing changes; jitter spreads the rounds
	// of many clusters that were started together.
	interval, jitter = time.Hour, 6 * time.Minute
	// catchUp is the interval until everything was asked once since the start.
	catchUp = 5 * time.Minute
	// quiet is how long after the last change a round begins, so that a storm of Tenants
	// makes one; longest is after the first, so that a storm without end delays none.
	quiet, longest = 30 * time.Second, 5 * time.Minute
	// settle is how long after an answer that is not as it should be the same is asked
	// again: roles are written in that time.
	settle = 30 * time.Second
	// retry is the interval after an answer that did not come.
	retry = time.Minute
)

// pace says when to ask.
//
//	change ─┬─ quiet ───────────► round ─┬─ as it should be ─► said
//	        └─ change: begins anew       └─ not so ─ settle ─► asked again ─► said
type pace struct {
	mu sync.Mutex
	// next round by the clock alone.
	next time.Time
	// first and last change that no round has seen; zero is none.
	first, last time.Time
	// again is when doubts are asked again; zero is that there are none.
	again time.Time
}

// step is what is to be done.
type step int

const (
	wait step = iota
	ask
	askAgain
)

// changed notes that something was changed that an answer may hang on.
func (p *pace) changed(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first.IsZero() {
		p.first = now
	}
	p.last = now
}

// due says what is to be done now. Doubts come first: what is told waits for them.
func (p *pace) due(now time.Time) step {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.again.IsZero():
		if now.Before(p.again) {
			return wait
		}
		return askAgain
	case !p.first.IsZero() && (now.Sub(p.last) >= quiet || now.Sub(p.first) >= longest),
		!p.next.IsZero() && !now.Before(p.next):
		return ask
	}
	return wait
}

// begun notes that a round sees all that was changed until now.
func (p *pace) begun() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.first, p.last, p.again = time.Time{}, time.Time{}, time.Time{}
}

// doubt has doubts asked again.
func (p *pace) doubt(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again = now.Add(settle)
}

// later sets the next round.
func (p *pace) later(now time.Time, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next, p.again = now.Add(after), time.Time{}
}
