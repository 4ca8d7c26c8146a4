package serviceclaim

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/readiness"
)

// progressPause is how often the way to Ready is told at most. The steps that every
// healthy claim passes follow each other within a second, and each telling is a
// write; what somebody must hear of, and Ready itself, is told at once.
const progressPause = time.Second

// pace remembers when a claim's status was written last.
type pace struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// hold says how long to wait before telling of this change.
func (p *pace) hold(name string, old, now []metav1.Condition, at time.Time) time.Duration {
	before, after := meta.FindStatusCondition(old, readiness.Ready), meta.FindStatusCondition(now, readiness.Ready)
	if before == nil || after == nil || !onTheWay(before) || !onTheWay(after) {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return progressPause - at.Sub(p.last[name])
}

func onTheWay(ready *metav1.Condition) bool {
	return ready.Status != metav1.ConditionTrue && !ownership.Reasons[ready.Reason].Notable()
}

func (p *pace) wrote(name string, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last = map[string]time.Time{}
	}
	p.last[name] = at
}

func (p *pace) forget(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.last, name)
}
