package triage

import (
	"time"

	"demarc.dev/demarc/internal/snapshot"
)

// said of a condition in an object of no type of ours.
type verdict struct {
	kind, status, reason, message string
	at                            time.Time
}

// verdicts are the conditions in a list of them.
func verdicts(list any) (out []verdict) {
	all, _ := list.([]any)
	for _, one := range all {
		m, _ := one.(map[string]any)
		at, _ := time.Parse(time.RFC3339, text(m, "lastTransitionTime")) // zero where it is none
		out = append(out, verdict{text(m, "type"), text(m, "status"), text(m, "reason"), text(m, "message"), at})
	}
	return out
}

// verdictOf the status of an object, by the type of the condition.
func verdictOf(o snapshot.Object, kind string) (verdict, bool) {
	for _, v := range verdicts(child(o.Object, "status")["conditions"]) {
		if v.kind == kind {
			return v, true
		}
	}
	return verdict{}, false
}

// bad says that a condition is False, for longer than it takes.
func (w *world) bad(v verdict) bool { return v.status == "False" && w.settled(v.at) }
