package operator

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"

	"demarc.dev/demarc/internal/heartbeat"
)

// stillAfter is how long a controller may go without a beat before it counts as still.
const stillAfter = 2 * time.Minute

// beginsWithin is how long a controller may take to begin once this operator leads.
const beginsWithin = 30 * time.Second

// hearts are those of all controllers.
type hearts struct {
	mu    sync.Mutex
	clock clock.PassiveClock
	// waitsForLead says that controllers begin when this operator gets the lead.
	waitsForLead bool
	kinds        *kinds
	// led is when this operator got the lead.
	led time.Time
	all []*heartbeat.Heart
}

// of makes the heart of one controller.
func (h *hearts) of(name string) *heartbeat.Heart {
	heart := heartbeat.New(name, h.clock)
	h.all = append(h.all, heart)
	return heart
}

// Start is part of manager.Runnable; it runs once this operator has the lead.
func (h *hearts) Start(context.Context) error {
	h.mu.Lock()
	h.led = h.clock.Now()
	h.mu.Unlock()
	for _, heart := range h.all {
		heart.Expect()
	}
	return nil
}

// checks are one for each controller. An operator that waits for the lead is ready
// without any that moves, or an upgrade that starts the new one first would never end.
func (h *hearts) checks(mgr ctrl.Manager) map[string]func(context.Context) error {
	checks := map[string]func(context.Context) error{}
	for _, heart := range h.all {
		checks["controller-"+heart.Controller] = func(context.Context) error {
			if h.waitsForLead && !h.begins(closed(mgr.Elected())) {
				return nil
			}
			return h.moves(heart)
		}
	}
	return checks
}

// begins says that its controllers should have begun: one that waited for the lead was
// ready, and stays so while its caches fill.
func (h *hearts) begins(elected bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return elected && !h.led.IsZero() && h.clock.Since(h.led) > beginsWithin
}

// moves is an error where a controller has not begun or has stopped.
func (h *hearts) moves(heart *heartbeat.Heart) error {
	age, begun := heart.Age()
	switch {
	case !begun:
		return fmt.Errorf("controller %s has not begun%s", heart.Controller, h.kinds.unsynced())
	case age > stillAfter:
		return fmt.Errorf("controller %s has not moved for %s", heart.Controller, age.Round(time.Second))
	default:
		return nil
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
