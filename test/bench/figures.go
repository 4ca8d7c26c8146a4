package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/test/poll"
)

// Figures are what was seen of the operator in one run.
type Figures struct {
	// Delivery are all writes from the first one until nothing is left to do.
	Delivery ledger
	// Metrics are the API server's own counts for the same time.
	Metrics map[write]int
	// Quiet and Restart are the writes while nothing changed, and from the kill until everything was looked at again.
	Quiet, Restart ledger
	// RestartTook is the time from the kill until then; a dead leader's Lease must run out in it.
	RestartTook time.Duration
	// CPU that the operator used until everything was Ready.
	CPU time.Duration
	// Resident memory and Go heap in use at the end of the quiet time, and the most that was resident; in bytes.
	Resident, Heap, Peak float64
}

// figures collects them, after everything is Ready.
func (g *ground) figures(ctx context.Context, o Options, began time.Time, before samples) (*Figures, error) {
	f := &Figures{}
	if err := g.settle(ctx); err != nil {
		return nil, err
	}
	settled := time.Now()
	after, err := g.scrapeServer(ctx)
	if err != nil {
		return nil, err
	}
	f.Metrics = difference(after.writes(), before.writes())
	if f.Delivery, err = g.audit(began, settled); err != nil {
		return nil, err
	}
	own, err := g.scrapeOperator(ctx)
	if err != nil {
		return nil, err
	}
	f.CPU = cpu(own)
	if f.Quiet, err = g.quiet(ctx, o.Quiet); err != nil {
		return nil, err
	}
	if err := g.memory(ctx, f); err != nil {
		return nil, err
	}
	return f, g.restart(ctx, o, f)
}

func difference(after, before map[write]int) map[write]int {
	out := map[write]int{}
	for w, n := range after {
		if n -= before[w]; n > 0 {
			out[w] = n
		}
	}
	return out
}

// quiet lets time pass in which nobody but the operator could write.
func (g *ground) quiet(ctx context.Context, length time.Duration) (ledger, error) {
	from := time.Now()
	select {
	case <-time.After(length): // the measurement itself
	case <-ctx.Done():
		return ledger{}, context.Cause(ctx)
	}
	return g.audit(from, time.Now())
}

// restart kills the operator and waits until the new one has looked at everything.
func (g *ground) restart(ctx context.Context, o Options, f *Figures) error {
	from := time.Now()
	// By what it says of itself: a process's start comes from a boot time in whole seconds,
	// which no other clock can be compared with.
	old, err := g.scrapeOperator(ctx)
	if err != nil {
		return err
	}
	if err := g.sandbox.Kill(install.Operator); err != nil {
		return err
	}
	err = poll.Until(ctx, 100*time.Millisecond, 3*time.Minute, "wait for the restarted operator to look at everything", func(ctx context.Context) (bool, error) {
		own, err := g.scrapeOperator(ctx)
		if err != nil {
			return false, err
		}
		tenants, claims := own.sum("demarc_reconcile_total", "controller", "tenant"), own.sum("demarc_reconcile_total", "controller", "serviceclaim")
		const start, depth = "process_start_time_seconds", "workqueue_depth"
		another := own.sum(start) != old.sum(start)
		return another && int(tenants) >= o.Tenants && int(claims) >= o.Tenants*o.Claims && own.sum(depth) == 0,
			fmt.Errorf("another process: %v; it reconciled %v Tenants and %v claims, and %v are left", another, tenants, claims, own.sum(depth))
	})
	if err != nil {
		return err
	}
	f.RestartTook = time.Since(from)
	if err := g.settle(ctx); err != nil {
		return err
	}
	f.Restart, err = g.audit(from, time.Now())
	return err
}

// still is for how long nothing is reconciled before the operator counts as settled.
const still = 2 * time.Second

// settle waits until the operator has nothing left to do.
func (g *ground) settle(ctx context.Context) error {
	last, since := -1.0, time.Now()
	return poll.Until(ctx, 200*time.Millisecond, 3*time.Minute, "wait for the operator to have nothing to do", func(ctx context.Context) (bool, error) {
		own, err := g.scrapeOperator(ctx)
		if err != nil {
			return false, err
		}
		count := own.sum("demarc_reconcile_total")
		if count != last || own.sum("workqueue_depth") > 0 {
			last, since = count, time.Now()
		}
		return time.Since(since) >= still, fmt.Errorf("%v reconciles, %v waiting", count, own.sum("workqueue_depth"))
	})
}

// memory reads what the operator itself reports, and the system's high-water mark where there is one.
func (g *ground) memory(ctx context.Context, f *Figures) error {
	own, err := g.scrapeOperator(ctx)
	if err != nil {
		return err
	}
	f.Resident, f.Heap = own.sum("process_resident_memory_bytes"), own.sum("go_memstats_heap_inuse_bytes")
	components, err := g.sandbox.Components()
	if err != nil {
		return err
	}
	for _, c := range components {
		if c.Name == install.Operator {
			f.Peak = highWater(c.Process.PID)
		}
	}
	return nil
}

// highWater is the most memory that a process ever had; 0 where the system does not tell.
func highWater(pid int) float64 {
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kb, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 64)
			if err == nil {
				return kb * 1024
			}
		}
	}
	return 0
}
