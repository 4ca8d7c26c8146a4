// Package heartbeat shows that a controller moves: every few seconds a request that
// no object can have goes through its own queue to one of its own workers, and the
// time is noted. A controller that never began, whose queue is stuck or whose workers
// all hang is seen by it, which no error would tell.
package heartbeat

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Interval is the time from one beat to the next.
const Interval = 10 * time.Second

// beat is the request of a heartbeat: no object's name holds a slash.
var beat = reconcile.Request{NamespacedName: types.NamespacedName{Name: "demarc.dev/heartbeat"}}

// first puts a beat before all that waits: a long queue is not a dead one.
const first = 1000

// Heart of one controller.
type Heart struct {
	// Controller is its name.
	Controller string
	clock      clock.PassiveClock

	mu   sync.Mutex
	last time.Time
}

// New is a heart that has not beaten yet.
func New(name string, now clock.PassiveClock) *Heart { return &Heart{Controller: name, clock: now} }

// Build builds a controller that beats.
func (h *Heart) Build(b *builder.Builder, r reconcile.Reconciler) (controller.Controller, error) {
	return b.WatchesRawSource(source.Func(pace)).Build(beating{Reconciler: r, heart: h})
}

// Age is the time since the last beat; false where there was none.
func (h *Heart) Age() (time.Duration, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.clock.Since(h.last), !h.last.IsZero()
}

func (h *Heart) note() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = h.clock.Now()
	timestamp.WithLabelValues(h.Controller).Set(float64(h.last.Unix()))
}

// pace enqueues a beat now and every Interval.
func pace(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	enqueue := func() { queue.Add(beat) }
	if ordered, ok := queue.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
		enqueue = func() { ordered.AddWithOpts(priorityqueue.AddOpts{Priority: ptr.To(first)}, beat) }
	}
	enqueue() // before any worker begins
	go func() {
		tick := time.NewTicker(Interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				enqueue()
			}
		}
	}()
	return nil
}

// beating keeps beats from the reconciler that it stands before.
type beating struct {
	reconcile.Reconciler
	heart *Heart
}

// Reconcile is part of reconcile.Reconciler.
func (b beating) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	if req == beat {
		b.heart.note()
		return reconcile.Result{}, nil
	}
	return b.Reconciler.Reconcile(ctx, req)
}
