package runner

import (
	"cmp"
	"time"
)

// DefaultInterval is how often is looked while no claim is in trouble, and LeastInterval the
// least that may be asked for.
const DefaultInterval, LeastInterval = 5 * time.Minute, time.Second

const (
	// often is the interval while a claim is in trouble, or that of the others where it is less;
	// it doubles, twice at most, while nothing else is found.
	often = 30 * time.Second
	// quiet is how long after a claim fell into trouble, or came out of it, is looked: what
	// the kubelet and the controllers say of it comes meanwhile.
	quiet = 5 * time.Second
	// share bounds what looking takes: at most one part in so many of the time.
	share = 20
	// again is how long after a look that came to nothing another is tried.
	again = time.Minute
)

// pace says when to look.
type pace struct {
	// interval while no claim is in trouble; zero is the default.
	interval time.Duration
	// ended is of the last look, zero before the first; took is how long that was, by a clock
	// that does not jump.
	ended time.Time
	took  time.Duration
	// troubled names the claims in trouble as they were seen last; first and last are when it
	// became another since the last look, zero where it did not.
	troubled    string
	first, last time.Time
	// alike is how many looks in a row found what the one before found.
	alike int
}

// due says whether to look now, with these claims in trouble.
func (p *pace) due(now time.Time, troubled string) bool {
	if troubled != p.troubled {
		p.troubled, p.last = troubled, now
		p.alike = 0
		if p.first.IsZero() {
			p.first = now
		}
	}
	since := now.Sub(p.ended)
	switch {
	case p.ended.IsZero():
		return true
	case since < share*p.took:
		return false
	case !p.first.IsZero():
		return now.Sub(p.last) >= quiet || now.Sub(p.first) >= often
	case troubled != "":
		return since >= min(often<<min(p.alike, 2), p.seldom())
	}
	return since >= p.seldom()
}

func (p *pace) seldom() time.Duration { return cmp.Or(p.interval, DefaultInterval) }

// looked notes a look, and whether it found something else than the one before: it saw what
// became so until it began.
func (p *pace) looked(begun, ended time.Time, took time.Duration, other bool) {
	p.ended, p.took = ended, took
	p.alike++
	if other {
		p.alike = 0
	}
	if !p.last.After(begun) {
		p.first, p.last = time.Time{}, time.Time{}
	}
}

// failed notes a look that came to nothing; another one waits.
func (p *pace) failed(now time.Time) { p.ended, p.took = now, again/share }
