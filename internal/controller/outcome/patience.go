package outcome

import (
	"sync"
	"time"
)

// patience is how long an error that trying again may mend goes unsaid: a condition
// for each would flap.
const patience = 10 * time.Second

// Patience remembers since when each object has had such errors.
type Patience struct {
	mu    sync.Mutex
	since map[string]time.Time
}

// Spent reports whether an object has had errors for so long that it must be said.
// A nil error starts it anew.
func (p *Patience) Spent(name string, err error, at time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		delete(p.since, name)
		return false
	}
	first, failing := p.since[name]
	if !failing {
		if p.since == nil {
			p.since = map[string]time.Time{}
		}
		p.since[name] = at
		return false
	}
	return at.Sub(first) >= patience
}
