package serviceclaim

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/readiness"
)

// The way to Ready is told after one second, and then ever less often. The steps
// that every healthy claim passes follow each other quickly, and each telling is a
// write. What somebody must hear of, and Ready itself, is told at once.
const (
	firstPause = time.Second
	lastPause  = 5 * time.Second
)

// pace remembers, by the wall clock, what of a claim's way was told when.
type pace struct {
	mu     sync.Mutex
	claims map[string]*told
}

type told struct {
	// since is when the last word was written, or the first one came up.
	since time.Time
	pause time.Duration
}

// hold says how long to wait before this change is told; not more than 0 is now.
func (p *pace) hold(name string, old, now []metav1.Condition, at time.Time) time.Duration {
	before, after := meta.FindStatusCondition(old, readiness.Ready), meta.FindStatusCondition(now, readiness.Ready)
	if after == nil || !onTheWay(after) || (before != nil && !onTheWay(before)) {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.claims[name]
	if t == nil {
		t = p.begin(name, at)
	}
	return t.pause - at.Sub(t.since)
}

func (p *pace) begin(name string, at time.Time) *told {
	if p.claims == nil {
		p.claims = map[string]*told{}
	}
	t := &told{since: at, pause: firstPause}
	p.claims[name] = t
	return t
}

func onTheWay(ready *metav1.Condition) bool {
	return ready.Status != metav1.ConditionTrue && !ownership.Reasons[ready.Reason].Notable()
}

// wrote notes that a status was written; one that is not of the way ends it.
func (p *pace) wrote(name string, now []metav1.Condition, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ready := meta.FindStatusCondition(now, readiness.Ready)
	if ready == nil || !onTheWay(ready) {
		delete(p.claims, name)
		return
	}
	t := p.claims[name]
	if t == nil {
		t = p.begin(name, at)
	}
	t.since, t.pause = at, min(2*t.pause, lastPause)
}

func (p *pace) forget(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.claims, name)
}
