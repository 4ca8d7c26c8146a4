package readiness

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
)

// Cleared is the condition of a GuardrailException that has ended: True when nothing runs
// on it any more.
const Cleared = "Cleared"

// clocksDiffer is by how much the end of an exception may lie further ahead than the
// Platform allows: who asks counts by a clock of their own. The policy has the same.
const clocksDiffer = time.Hour

// MostLiving is how many objects a GuardrailException names.
const MostLiving = 20

// ExceptionAsked is what a GuardrailException asks for, and whether it may be at all.
func ExceptionAsked(e *v1alpha1.GuardrailException, terms guardrail.Terms, unknown []string) Asked {
	s := e.Spec
	a := Asked{
		What: "an exception from " + strings.Join(s.Rules, ", ") + " for team " + s.Team, Team: s.Team, Approve: "demarc exception approve " + e.Name,
		Reason: s.Reason, RequestedBy: s.RequestedBy, Created: e.CreationTimestamp.Time,
		Approval: s.Approval, Revocation: s.Revocation, Until: &s.Expires, Patient: true, Warn: &terms.Warn,
	}
	switch asks := s.Expires.Sub(e.CreationTimestamp.Time); {
	case len(unknown) > 0:
		a.Refused = &Trouble{"RuleUnknown", "there is no rule " + strings.Join(unknown, ", ")}
	case asks-clocksDiffer > terms.Longest:
		a.Refused = &Trouble{"ExpiryAboveLimit", fmt.Sprintf("it asks for %.1f days, and the platform gives exceptions for %d at most",
			asks.Hours()/24, int(terms.Longest.Hours()/24))}
	}
	return a
}

// Living is what was found to run on an exception that has ended.
type Living struct {
	// Objects by their kinds and names, in order; at most MostLiving.
	Objects []string
	// More were found and are not named.
	More int
}

// Lapsed says whether something may run on an exception that has ended: it was in force,
// and its team is still there.
func (g Granted) Lapsed(conditions []metav1.Condition) bool {
	if !g.Over() || g.Life.ApprovedAt == nil {
		return false
	}
	ready := meta.FindStatusCondition(conditions, Ready)
	return ready != nil && (ready.Reason == "Expired" || ready.Reason == "Revoked")
}

// ExceptionConditions are those of a GuardrailException. living is nil where nobody
// looked; then what was found before stands.
func ExceptionConditions(g Granted, before []metav1.Condition, waits *Trouble, living *Living) []metav1.Condition {
	old := meta.FindStatusCondition(before, Cleared)
	var rest []metav1.Condition
	for _, c := range before {
		if c.Type != Cleared {
			rest = append(rest, c)
		}
	}
	now := g.Conditions(rest, waits)
	switch {
	case !g.Lapsed(now):
		return now
	case living != nil:
		return append(now, cleared(*living))
	case old != nil:
		return append(now, *old)
	default:
		return now
	}
}

func cleared(l Living) metav1.Condition {
	if len(l.Objects) == 0 {
		return yes(Cleared, "NothingLeft", "nothing runs on it any more")
	}
	return no(Cleared, "StillRunning", "these break the rules that it was an exception from: "+l.words())
}

func (l Living) words() string {
	const most = 5
	named := l.Objects[:min(most, len(l.Objects))]
	words := strings.Join(named, ", ")
	if more := len(l.Objects) - len(named) + l.More; more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}

// ExceptionSteps are the steps of what was asked for, and after its end whether something
// still runs on it.
func ExceptionSteps(g Granted, before, now []metav1.Condition, was v1alpha1.Life) []Said {
	said := g.Steps(before, now, was)
	old, c := meta.FindStatusCondition(before, Cleared), meta.FindStatusCondition(now, Cleared)
	switch {
	case c == nil || old != nil && old.Status == c.Status:
	case c.Status != metav1.ConditionTrue:
		said = append(said, Said{Warning: true, Reason: c.Reason, Note: g.Asked.What + " ended: " + c.Message})
	case old != nil:
		said = append(said, Said{Reason: c.Reason, Note: g.Asked.What + " ended, and " + c.Message})
	}
	return said
}

// ExceptionState is how an exception stands, in a word, for figures.
func ExceptionState(e *v1alpha1.GuardrailException) string {
	ready, left := meta.FindStatusCondition(e.Status.Conditions, Ready), meta.FindStatusCondition(e.Status.Conditions, Cleared)
	switch {
	case left != nil && left.Status != metav1.ConditionTrue:
		return "lapsed"
	case ready == nil || ready.Reason == "AwaitingApproval" || ready.Reason == "BeingExcepted":
		return "requested"
	case ready.Reason == ExpiringSoon:
		return "ending"
	case ready.Status == metav1.ConditionTrue:
		return "active"
	case ready.Reason == "Revoked":
		return "revoked"
	case ready.Reason == "Expired" && left == nil: // nobody has looked yet
		return "lapsed"
	case ready.Reason == "Expired" || ready.Reason == "TeamGone":
		return "ended"
	default:
		return "refused"
	}
}
