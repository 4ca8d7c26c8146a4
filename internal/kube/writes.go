package kube

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Writes remembers the versions of what was written last, so that a cache that has
// not caught up is known for what it is: a decision made on it would write the
// same once more, or try to create what is there.
type Writes struct {
	mu   sync.Mutex
	last map[string]write
}

type write struct {
	version string
	at      time.Time
}

// Lag is how long a cache is given to see a write. After that it is believed again:
// versions go back when a cluster's store is restored from a backup.
const Lag = 10 * time.Second

// Key names an object in Writes.
func Key(kind, namespace, name string) string { return kind + "/" + namespace + "/" + name }

// Note remembers the version that a write brought.
func (w *Writes) Note(key, version string) {
	if version == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil {
		w.last = map[string]write{}
	}
	if before, ok := w.last[key]; ok && time.Since(before.at) < Lag && !older(before.version, version) {
		return
	}
	w.last[key] = write{version, time.Now()}
}

// Behind reports whether a cache that shows this version (empty: absent) has not
// seen the last write yet. What has been seen is forgotten.
func (w *Writes) Behind(key, version string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, ok := w.last[key]
	if !ok {
		return false
	}
	if time.Since(last.at) < Lag && (version == "" || older(version, last.version)) {
		return true
	}
	delete(w.last, key)
	return false
}

// Forget drops what was written to an object that is gone.
func (w *Writes) Forget(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.last, key)
}

// older compares versions; where they cannot be compared none is older.
func older(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}
