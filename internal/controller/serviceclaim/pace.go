package serviceclaim

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/readiness"
)

// A step of the way to Ready must have lasted so long before it is told: the steps
// that every healthy claim passes follow each other within a second or two, and each
// telling is a write. What somebody must hear of, and Ready itself, is told at once.
const (
	firstStep = 2 * time.Second
	laterStep = 5 * time.Second
)

// pace remembers, by the wall clock, since when a claim's way differs from what was
// told of it last.
type pace struct {
	mu    sync.Mutex
	since map[string]time.Time
}

// hold says how long to wait before this is told; not more than 0 is now.
func (p *pace) hold(name string, old, now []metav1.Condition, at time.Time) time.Duration {
	before, after := meta.FindStatusCondition(old, readiness.Ready), meta.FindStatusCondition(now, readiness.Ready)
	if after == nil || !onTheWay(after) || (before != nil && !onTheWay(before)) {
		return 0
	}
	if before != nil && before.Reason == after.Reason && before.Message == after.Message {
		p.told(name)
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	since, differs := p.since[name]
	if !differs {
		if p.since == nil {
			p.since = map[string]time.Time{}
		}
		since, p.since[name] = at, at
	}
	if before == nil {
		return firstStep - at.Sub(since)
	}
	return laterStep - at.Sub(since)
}

func onTheWay(ready *metav1.Condition) bool {
	return ready.Status != metav1.ConditionTrue && !ownership.Reasons[ready.Reason].Notable()
}

// told notes that what is told of a claim is what is so.
func (p *pace) told(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.since, name)
}
