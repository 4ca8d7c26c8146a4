package proxy

import (
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// Fault is a way in which a request fails.
type Fault string

// The ways. Cut and Held befall watches that stand, the others a request as it comes.
const (
	Conflict Fault = "409"           // somebody else was faster; nothing was done
	Throttle Fault = "429"           // with Retry-After; nothing was done
	Internal Fault = "500"           // nothing was done
	Hang     Fault = "timeout"       // no answer for a while, then the stream ends; nothing was done
	Lost     Fault = "answer lost"   // it was done, and the client does not hear of it
	Cut      Fault = "watch cut"     // in the middle of an event, or between two
	Held     Fault = "cache is held" // events come late
)

// Faults lists all, in the order of reports.
var Faults = []Fault{Conflict, Throttle, Internal, Hang, Lost, Cut, Held}

// Plan says how often what fails. What befalls a request follows from the seed, from its method and path and from how
// many of that kind came before, whatever else happens meanwhile.
type Plan struct {
	Seed uint64
	// Rates are the parts of all requests that fail so; of Cut and Held, the parts of all that watches bring.
	Rates map[Fault]float64
	// Longest is how long a request hangs, or a watch is held, at most.
	Longest time.Duration
}

// draw is what befalls one request.
type draw struct {
	fault Fault // empty: nothing
	// lasts is for Hang and Held.
	lasts time.Duration
	// other picks the second way in which some faults happen.
	other bool
}

// of draws for the n-th request of a kind, among the faults that can befall it.
func (p Plan) of(kind string, n int, faults []Fault) draw {
	h := fnv.New64a()
	_, _ = h.Write([]byte(kind)) // never fails
	r := rand.New(rand.NewPCG(p.Seed, h.Sum64()+uint64(n)))
	at := r.Float64()
	d := draw{lasts: p.lasts(r), other: r.IntN(2) == 0}
	for _, f := range faults {
		if at -= p.Rates[f]; at < 0 {
			d.fault = f
			return d
		}
	}
	return d
}

// lasts is mostly short, and at times all that is allowed.
func (p Plan) lasts(r *rand.Rand) time.Duration {
	part := r.Float64()
	return time.Duration(part * part * part * float64(p.Longest))
}

// draw counts a request and draws for it. The first of each fault comes as soon as it can, so that a short run sees all.
func (p *Proxy) draw(kind string, faults []Fault) draw {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.asked[kind]
	p.asked[kind]++
	d := p.plan.of(kind, n, faults)
	for _, f := range faults {
		if d.fault == "" && p.plan.Rates[f] > 0 && p.seen.Faults[f] == 0 {
			d.fault, d.lasts = f, p.plan.Longest
		}
	}
	if d.fault != "" {
		p.seen.Faults[d.fault]++
	}
	return d
}
