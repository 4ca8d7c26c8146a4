package triage

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/snapshot"
)

// still says that an object has been as it is for long enough: neither it nor what it says was
// made or changed just now. A change whose time nobody kept may be a new one.
func (w *world) still(kind schema.GroupKind, o metav1.Object) bool {
	return w.stillFor(kind, o, settle)
}

func (w *world) stillFor(kind schema.GroupKind, o metav1.Object, long time.Duration) bool {
	if w.since(o.GetCreationTimestamp().Time) < long {
		return false
	}
	live := w.set.Get(kind, o.GetNamespace(), o.GetName()) // decoded it is without who wrote it
	if live == nil {
		return true
	}
	at, _ := lastChange(live)
	return at.IsZero() || w.since(at) >= long
}

// lastChange of an object, by who wrote it last, status apart; zero where that was left out of
// a dump. Of a change by scale the API server keeps no time: then it may have changed just now,
// as what an autoscaler scales does all day, and when is not known.
func lastChange(o snapshot.Object) (at time.Time, known bool) {
	known = true
	for _, m := range o.GetManagedFields() {
		switch {
		case m.Subresource == "status":
		case m.Time == nil:
			known = false
		case m.Time.After(at):
			at = m.Time.Time
		}
	}
	return at, known
}
