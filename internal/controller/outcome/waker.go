package outcome

import (
	"context"
	"sync"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Waker wakes a controller for objects by their names. It never waits, and a name that waits
// already is not queued twice.
type Waker struct {
	mu    sync.Mutex
	queue workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// Source is what the controller is wired with.
func (w *Waker) Source() source.Source {
	return source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.queue = queue
		return nil
	})
}

// Wake has these looked at. Before the controller has started there is nothing to do: it
// begins with all.
func (w *Waker) Wake(names []string) {
	w.mu.Lock()
	queue := w.queue
	w.mu.Unlock()
	if queue == nil {
		return
	}
	for _, name := range names {
		req := reconcile.Request{}
		req.Name = name
		queue.Add(req)
	}
}
