// Package readiness decides what the conditions of a Tenant and of a ServiceClaim
// are. It is pure: what was gathered goes in, conditions come out; no clock, no
// cluster. Controllers write what it says; the command line explains it.
package readiness

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/ownership"
)

// Condition types. Ready is the summary of those before it; Reconciling and
// Stalled follow kstatus and are there only while true.
const (
	Ready       = "Ready"
	Reconciling = "Reconciling"
	Stalled     = "Stalled"
)

// yes is a condition that holds.
func yes(kind, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

// no is a condition that does not hold; the message is completed with who can act.
func no(kind, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: metav1.ConditionFalse, Reason: reason,
		Message: ownership.Act(reason, strings.TrimRight(Normalise(message), ". \n"))}
}

// summarise adds Ready, and what kstatus reads, to the conditions that it sums up.
func summarise(parts []metav1.Condition, ready metav1.Condition) []metav1.Condition {
	if failing, holds := firstThatFails(parts); !holds {
		ready = failing
	}
	return withProgress(append(parts, ready), ready)
}

// firstThatFails is Ready=False with the words of the first part that does not hold.
func firstThatFails(parts []metav1.Condition) (ready metav1.Condition, holds bool) {
	for _, c := range parts {
		if c.Status != metav1.ConditionTrue {
			return metav1.Condition{Type: Ready, Status: metav1.ConditionFalse, Reason: c.Reason, Message: c.Message}, false
		}
	}
	return metav1.Condition{}, true
}

// withProgress adds what kstatus reads while something is not Ready.
func withProgress(out []metav1.Condition, ready metav1.Condition) []metav1.Condition {
	if ready.Status == metav1.ConditionTrue {
		return out
	}
	if ownership.Reasons[ready.Reason].Stalled {
		return append(out, yes(Stalled, ready.Reason, ready.Message))
	}
	return append(out, yes(Reconciling, ready.Reason, ready.Message))
}

// Merge puts what was computed in the place of what stands there: the time of the
// last change is kept where the status is the same, and conditions that are no
// longer said are left out. It reports whether anything differs.
func Merge(old, computed []metav1.Condition, generation int64, now metav1.Time) ([]metav1.Condition, bool) {
	merged := make([]metav1.Condition, 0, len(computed))
	for _, c := range computed {
		c.ObservedGeneration = generation
		c.LastTransitionTime = now
		if before := meta.FindStatusCondition(old, c.Type); before != nil && before.Status == c.Status {
			c.LastTransitionTime = before.LastTransitionTime
		}
		merged = append(merged, c)
	}
	return merged, !equality.Semantic.DeepEqual(old, merged)
}
