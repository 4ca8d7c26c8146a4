package main

import (
	"fmt"
	"slices"
	"time"

	"demarc.dev/demarc/api/v1alpha1"
)

// verdict is what the log shows to have gone wrong, and how much it cannot tell since the API server was down just then.
func (h *history) verdict() (wrong []string, untold int) {
	wrong = slices.Clone(h.trespass)
	judge := func(e end, what string, l *life, bad func(fact) bool) {
		switch h.at(l, e, bad) {
		case yesAt:
			wrong = append(wrong, fmt.Sprintf("%s (version %d, %s): %s", e.name, e.version, e.at.Format(time.TimeOnly), what))
		case untoldAt:
			untold++
		}
	}
	for _, e := range h.namespaces {
		for _, l := range h.claims {
			if v1alpha1.NamespaceOf(l.of) == e.name {
				judge(e, "namespace deleted while claim "+l.name+" is held", l, func(f fact) bool { return f.held && !f.gone })
			}
		}
	}
	for _, e := range h.projects {
		for _, l := range h.applications {
			if l.of == e.name {
				judge(e, "AppProject deleted before Application "+l.name, l, func(f fact) bool { return !f.gone })
			}
		}
	}
	for _, e := range h.drained {
		if l := h.claims[e.owner]; l != nil {
			judge(e, "Application deleted whose claim "+l.name+" lives", l, func(f fact) bool { return !f.going })
		}
	}
	slices.Sort(wrong)
	return wrong, untold
}

type answer int

const (
	noAt answer = iota
	yesAt
	untoldAt
)

// at asks something of a life at the version of an end. What the log shows of it later proves the answer; where it shows
// nothing later, and in between the API server was down or a write failed that may have been done, it cannot tell.
func (h *history) at(l *life, e end, bad func(fact) bool) answer {
	var last *fact
	later := false
	for i := range l.facts {
		switch f := &l.facts[i]; {
		case f.gone && f.version <= e.version:
			return noAt
		case f.version > e.version:
			later = true
		case last == nil || f.version >= last.version:
			last = f
		}
	}
	switch {
	case last == nil || !bad(*last):
		return noAt
	case !later && slices.ContainsFunc(slices.Concat(h.outages, h.unsure[l.name]), func(t time.Time) bool {
		return !t.Before(last.at.Add(-time.Second)) && !t.After(e.at.Add(time.Second))
	}):
		return untoldAt
	default:
		return yesAt
	}
}
