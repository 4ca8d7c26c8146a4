package dump_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"demarc.dev/demarc/internal/dump"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// aPod is a pod as an API server writes it, in YAML and in JSON.
func aPod(t testing.TB, name string) (asYAML, asJSON string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/pod.yaml")
	if err != nil {
		t.Fatal(err)
	}
	asYAML = strings.ReplaceAll(string(raw), "web-7d9f8c6b5-x2x4q", name)
	list, err := snapshot.Parse([]byte(asYAML))
	if err != nil {
		t.Fatal(err)
	}
	text, err := list[0].MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return asYAML, strings.TrimSpace(string(text))
}

// large writes a List of pods of so many bytes, as kubectl get -o json or yaml does.
func large(t testing.TB, size int64, form string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pods."+form)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriterSize(file, 1<<20)
	const name = "web-7d9f8c6b5-00000000"
	asYAML, asJSON := aPod(t, name)
	item := ",\n        " + asJSON
	if form == "yaml" {
		item = "- " + strings.TrimSpace(strings.ReplaceAll(asYAML, "\n", "\n  ")) + "\n"
		fmt.Fprint(out, "apiVersion: v1\nitems:\n")
	} else {
		fmt.Fprint(out, "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        {\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}")
	}
	for i := int64(0); i*int64(len(item)) < size; i++ {
		fmt.Fprint(out, strings.ReplaceAll(item, name, fmt.Sprintf("web-7d9f8c6b5-%08d", i)))
	}
	if form == "yaml" {
		fmt.Fprint(out, "kind: List\nmetadata:\n  resourceVersion: \"\"\n")
	} else {
		fmt.Fprint(out, "\n    ],\n    \"kind\": \"List\"\n}\n")
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// peak is the largest heap, in bytes, while something is done, above that of before.
func peak(do func()) uint64 {
	runtime.GC()
	before := heap()
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, heap())
			select {
			case <-stop:
				done <- most
				return
			case <-tick.C:
			}
		}
	}()
	do()
	close(stop)
	return max(<-done, before) - before
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// A dump is read with one object at a time in memory, however large it is; beside that there is
// what is kept of it, which the benchmark tells too.
func TestMemory(t *testing.T) {
	const bound = 40 << 20 // of a heap that is let grow to twice what lives in it
	for form, size := range map[string]int64{"json": 50 << 20, "yaml": 5 << 20} {
		path := large(t, size, form)
		n := 0
		most := peak(func() {
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if err := (snapshot.Stream{Take: func(snapshot.Object, int) { n++ }, Fault: func(line int, what string) { t.Errorf("%d: %s", line, what) }}).Read(file); err != nil {
				t.Error(err)
			}
		})
		if n < 500 || most > bound {
			t.Errorf("%s: to read %d objects of %d MiB took %d MiB at once", form, n, size>>20, most>>20)
		}
		// Of pods of one template little more is kept than what tells them apart.
		if most := peak(func() { load(t, path) }); most > uint64(size)+bound {
			t.Errorf("%s: to load %d MiB took %d MiB at once", form, size>>20, most>>20)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, form := range []string{"json", "yaml"} {
		b.Run(form, func(b *testing.B) {
			path := large(b, 50<<20, form)
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(info.Size())
			var most uint64
			for b.Loop() {
				most = max(most, peak(func() {
					if _, err := (dump.Load{Now: now, Trim: triage.Trim}).Do([]string{path}); err != nil {
						b.Fatal(err)
					}
				}))
			}
			b.ReportMetric(float64(most)/float64(info.Size()), "peak-heap/file")
			b.ReportMetric(float64(most)/(1<<20), "peak-MiB")
		})
	}
}
