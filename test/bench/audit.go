package main

import (
	"fmt"
	"strings"
	"time"

	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/test/auditlog"
)

// actor is who made a request.
type actor string

const (
	operatorActor actor = "operator"
	clientActor   actor = "bench-client"
	plainActor    actor = "bench-plain"
	standInActor  actor = "bench-stand-in"
	benchActor    actor = "bench"
	otherActor    actor = "other"
)

// write is a kind of request, mostly one that changes something.
type write struct{ resource, subresource, verb string }

func (w write) String() string {
	if w.subresource == "" {
		return w.resource
	}
	return w.resource + "/" + w.subresource
}

// counts leaves out Leases, which are renewed by the clock, and reviews, which store nothing.
func (w write) counts() bool {
	return w.resource != "leases" && !strings.HasSuffix(w.resource, "reviews")
}

// ledger is what the audit log says of a span of time.
type ledger struct {
	by map[actor]map[write]int
	// claims are the operator's writes that concern one claim, by its name.
	claims map[string]int
	// claimWrites are the same by resource and verb.
	claimWrites map[write]int
	// first are the operator's first writes, by name, for who wonders at one.
	first []string
	// reads are what the operator got or listed past its cache.
	reads map[write]int
}

func newLedger() ledger {
	return ledger{by: map[actor]map[write]int{}, claims: map[string]int{}, claimWrites: map[write]int{}, reads: map[write]int{}}
}

func (l ledger) total(of actor) int {
	return sum(l.by[of])
}

func sum(counts map[write]int) int {
	n := 0
	for _, count := range counts {
		n += count
	}
	return n
}

// all adds the actors up, to be compared with the API server's metrics.
func (l ledger) all() map[write]int {
	out := map[write]int{}
	for _, writes := range l.by {
		for w, n := range writes {
			out[w] += n
		}
	}
	return out
}

// audit reads the writes that were answered between two moments.
func (g *ground) audit(from, to time.Time) (ledger, error) {
	l := newLedger()
	return l, l.read(g.sandbox.Dir(), from, to)
}

func (l *ledger) read(dir string, from, to time.Time) error {
	return auditlog.Read(dir, from, to, func(r auditlog.Request) { l.add(request{r}) })
}

// request is one as the benchmark looks at it.
type request struct{ auditlog.Request }

func (l *ledger) add(r request) {
	w := write{r.ObjectRef.Resource, r.ObjectRef.Subresource, r.Verb}
	if r.Stage != "ResponseComplete" || !w.counts() {
		return
	}
	if r.reads() && r.actor() == operatorActor {
		l.reads[w]++
	}
	if r.Changes() && !r.ofLease() {
		l.wrote(r.actor(), w, r)
	}
}

func (r request) reads() bool { return r.Verb == "get" || r.Verb == "list" }

func (l *ledger) wrote(who actor, w write, r request) {
	if l.by[who] == nil {
		l.by[who] = map[write]int{}
	}
	l.by[who][w]++
	if who == operatorActor && len(l.first) < 5 {
		l.first = append(l.first, fmt.Sprintf("%s %s %s", r.Verb, w, r.ObjectRef.Name))
	}
	if claim := r.claim(); who == operatorActor && claim != "" {
		l.claims[claim]++
		l.claimWrites[w]++
	}
}

// ofLease is the Event that tells of a new leader: it goes with the Lease, which has the operator's name.
func (r request) ofLease() bool {
	return r.ObjectRef.Resource == "events" && strings.HasPrefix(r.ObjectRef.Name, install.Operator+".")
}

func (r request) actor() actor {
	switch a := actor(r.UserAgent); a {
	case clientActor, plainActor, standInActor, benchActor:
		return a
	}
	if r.User.Username == auditlog.OperatorUser {
		return operatorActor
	}
	return otherActor
}

// claim that a request of the operator's concerns. An Application is named <team>.<claim>, and an Event after what it is about.
func (r request) claim() string {
	switch r.ObjectRef.Resource {
	case "serviceclaims":
		return r.ObjectRef.Name
	case "applications":
		_, claim, _ := strings.Cut(r.ObjectRef.Name, ".")
		return claim
	case "events":
		name, _, _ := strings.Cut(r.ObjectRef.Name, ".")
		if strings.Count(name, "-") == 2 { // bench-000-00 is a claim, bench-000 a Tenant
			return name
		}
	}
	return ""
}
