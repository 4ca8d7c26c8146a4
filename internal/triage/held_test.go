package triage_test

import (
	"fmt"
	"runtime"
	"testing"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// BenchmarkHeld is what 10,000 pods, 1,000 services and 5,000 events take in memory as a
// survey holds them, trimmed and whole, with 30 environment variables in each container.
func BenchmarkHeld(b *testing.B) {
	for name, trim := range map[string]func(snapshot.Object){"whole": func(snapshot.Object) {}, "trimmed": triage.Trim} {
		b.Run(name, func(b *testing.B) {
			var held float64
			for b.Loop() {
				before := heap()
				set := &snapshot.Set{At: now}
				for _, o := range many(b, 10_000).All() {
					weigh(o)
					trim(o)
					set.Add(o)
				}
				held = heap() - before
				runtime.KeepAlive(set)
			}
			b.ReportMetric(held/(1<<20), "MiB")
		})
	}
}

func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// weigh gives a pod what real ones have and this one has not.
func weigh(o snapshot.Object) {
	if o.GetKind() != "Pod" {
		return
	}
	containers, _ := o.Object["spec"].(map[string]any)["containers"].([]any)
	for _, c := range containers {
		var env []any
		for i := range 30 {
			env = append(env, map[string]any{"name": fmt.Sprintf("VARIABLE_%d", i), "value": fmt.Sprintf("value %d of it", i)})
		}
		c.(map[string]any)["env"] = env
	}
}
