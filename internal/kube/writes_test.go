package kube

import (
	"testing"
	"time"
)

func TestWrites(t *testing.T) {
	var w Writes
	if w.Behind("a", "") {
		t.Error("nothing was written, yet the cache is behind")
	}
	w.Note("a", "100")
	w.Note("a", "90") // an answer that came late
	for version, behind := range map[string]bool{"": true, "99": true, "x": false} {
		if got := w.Behind("a", version); got != behind {
			t.Errorf("a cache that shows %q: behind is %v", version, got)
		}
		w.Note("a", "100")
	}
	if w.Behind("a", "100") || w.Behind("a", "99") {
		t.Error("what was seen is not forgotten")
	}
	w.Note("b", "100")
	w.Forget("b")
	if w.Behind("b", "") {
		t.Error("what was forgotten still counts")
	}
}

// Versions go back when a store is restored; a write of long ago blocks nobody.
func TestWritesAreBelievedForAWhile(t *testing.T) {
	w := Writes{last: map[string]write{"a": {version: "100", at: time.Now().Add(-Lag)}}}
	if w.Behind("a", "7") {
		t.Error("a write of long ago still counts")
	}
	w.last["a"] = write{version: "100", at: time.Now().Add(-Lag)}
	w.Note("a", "7")
	if !w.Behind("a", "6") {
		t.Error("a version of the restored store is not noted")
	}
}
