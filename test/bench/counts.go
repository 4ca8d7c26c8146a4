package main

import (
	"fmt"
	"slices"
)

// PerClaim is the mean number of writes that concern one claim.
func (f *Figures) PerClaim() float64 {
	total := 0
	for _, n := range f.Delivery.claims {
		total += n
	}
	return float64(total) / float64(max(1, len(f.Delivery.claims)))
}

// MostPerClaim is the number of the claim that took most.
func (f *Figures) MostPerClaim() int {
	most := 0
	for _, n := range f.Delivery.claims {
		most = max(most, n)
	}
	return most
}

// perTenant is the rest of the operator's writes.
func (f *Figures) perTenant(o Options) float64 {
	rest := f.Delivery.total(operatorActor)
	for _, n := range f.Delivery.claims {
		rest -= n
	}
	return float64(rest) / float64(o.Tenants)
}

// Mismatch says where the API server's metrics and its audit log count differently; empty where they agree.
func (f *Figures) Mismatch() []string {
	var out []string
	audited := f.Delivery.all()
	for w, n := range f.Metrics {
		if audited[w] != n {
			out = append(out, fmt.Sprintf("%s %s: %d in the metrics, %d in the audit log", w.verb, w, n, audited[w]))
		}
		delete(audited, w)
	}
	for w, n := range audited {
		out = append(out, fmt.Sprintf("%s %s: none in the metrics, %d in the audit log", w.verb, w, n))
	}
	slices.Sort(out)
	return out
}
