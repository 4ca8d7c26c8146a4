package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"demarc.dev/demarc/sandbox/install"
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

// request is what is read of an audit event.
type request struct {
	Stage, Verb, RequestURI, UserAgent string
	User                               struct{ Username string }
	ObjectRef                          struct{ Resource, Subresource, Name string }
	ResponseStatus                     struct{ Code int }
	StageTimestamp                     time.Time
}

// audit reads the writes that were answered between two moments.
func (g *ground) audit(from, to time.Time) (ledger, error) {
	l := newLedger()
	files, err := filepath.Glob(filepath.Join(g.sandbox.Dir(), "audit", "audit*.log"))
	if err != nil || len(files) == 0 {
		return l, fmt.Errorf("no audit log in %s: %w", g.sandbox.Dir(), err)
	}
	for _, file := range files {
		if err := l.read(file, from, to); err != nil {
			return l, fmt.Errorf("read %s: %w", file, err)
		}
	}
	return l, nil
}

func (l *ledger) read(file string, from, to time.Time) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) { // what has no end yet is being written
			return nil
		}
		if err != nil {
			return err
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		if !r.StageTimestamp.Before(from) && r.StageTimestamp.Before(to) {
			l.add(r)
		}
	}
}

func (l *ledger) add(r request) {
	w := write{r.ObjectRef.Resource, r.ObjectRef.Subresource, r.Verb}
	if r.Stage != "ResponseComplete" || !w.counts() {
		return
	}
	if r.reads() && r.actor() == operatorActor {
		l.reads[w]++
	}
	if r.changes() && !r.ofLease() {
		l.wrote(r.actor(), w, r)
	}
}

func (r request) reads() bool { return r.Verb == "get" || r.Verb == "list" }

// changes are requests that were let through and stored something.
func (r request) changes() bool {
	switch r.Verb {
	case "create", "update", "patch", "delete":
		return r.ResponseStatus.Code/100 == 2 && !strings.Contains(r.RequestURI, "dryRun=")
	default:
		return false
	}
}

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
	if r.User.Username == "system:serviceaccount:"+install.Namespace+":"+install.Operator {
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
