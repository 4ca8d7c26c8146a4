package runner

import (
	"context"
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A look ends where memory runs out, and says what to do.
func TestNoRoom(t *testing.T) {
	for live, ends := range map[uint64]bool{0: false, 699 << 20: false, 710 << 20: true} {
		ctx, end := context.WithCancelCause(t.Context())
		r := &room{end: end, used: func() (uint64, uint64) { return live, 1000 << 20 }}
		for range checked {
			r.trim(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{}}})
		}
		err := context.Cause(ctx)
		if got := errors.Is(err, errNoRoom); got != ends {
			t.Errorf("with %d MiB in use: %v, want that it ends: %v", live>>20, err, ends)
		}
		if ends && !strings.Contains(err.Error(), "710 MiB of 1000 are in use after 200 objects; raise operator.resources.limits.memory") {
			t.Error(err)
		}
		end(nil)
	}
}

// The memory in use is told under a limit, and none without.
func TestMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	debug.SetMemoryLimit(math.MaxInt64)
	if live, limit := memory(); live != 0 || limit != math.MaxInt64 {
		t.Errorf("without a limit it is %d of %d", live, limit)
	}
	debug.SetMemoryLimit(1 << 30)
	held := make([]byte, 64<<20)
	runtime.GC()
	if live, limit := memory(); live < 64<<20 || limit != 1<<30 {
		t.Errorf("with 64 MiB held it is %d of %d", live, limit)
	}
	runtime.KeepAlive(held)
}
