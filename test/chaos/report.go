package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"demarc.dev/demarc/test/chaos/proxy"
)

// Report is what happened in a round.
type Report struct {
	Seed uint64
	// Disturbed is for how long requests failed; 0 in a round without faults.
	Disturbed time.Duration
	// Steps and Strikes by what they are.
	Steps, Strikes map[string]int
	// Seen by the proxy: faults of requests by kind, of so many.
	Seen proxy.Seen
	// Restarts of the operator: kills, and ends of its own accord, as when it loses its Lease.
	Restarts int
	// Told is how long the story and the faults took, Converged how long until the state was right after that.
	Told, Converged time.Duration
	// Objects that were compared; Writes of the operator and Ends of namespaces, AppProjects and Applications that the audit
	// log was asked about; Untold what it could not tell.
	Objects, Writes, Ends, Untold int
}

func (r Report) print(out io.Writer, title string) {
	kind := "undisturbed"
	if r.Disturbed > 0 {
		kind = "with faults for " + seconds(r.Disturbed)
	}
	fmt.Fprintf(out, "%s (seed %d, %s): told in %s, right after %s more\n", title, r.Seed, kind, seconds(r.Told), seconds(r.Converged))
	fmt.Fprintf(out, "  %d steps: %s\n", total(r.Steps), list(r.Steps))
	if r.Disturbed > 0 {
		fmt.Fprintf(out, "  %d faults in %d requests and %d batches of events: %s\n", total(r.Seen.Faults), r.Seen.Requests, r.Seen.Batches, list(r.Seen.Faults))
		fmt.Fprintf(out, "  strikes: %s; the operator was started again %d times\n", list(r.Strikes), r.Restarts)
	}
	fmt.Fprintf(out, "  as expected: %d objects; by the audit log: %d writes of the operator, %d ends (%d untold)\n", r.Objects, r.Writes, r.Ends, r.Untold)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func total[K comparable](counts map[K]int) int {
	n := 0
	for _, count := range counts {
		n += count
	}
	return n
}

func list[K ~string](counts map[K]int) string {
	var out []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s %d", what, counts[what]))
	}
	return strings.Join(out, ", ")
}
