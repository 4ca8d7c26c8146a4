package readiness

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/ownership"
)

// Approved is the condition of what somebody asked for and another approves.
const Approved = "Approved"

// Reasons with which Ready is True while it is in force.
const (
	InForce      = "Active"
	ExpiringSoon = "ExpiringSoon"
)

// Conditions of what was asked for. waits is why it is not in force yet although it was
// approved; nil where it is. For what ended before they are what they were.
func (g Granted) Conditions(before []metav1.Condition, waits *Trouble) []metav1.Condition {
	if g.Trouble == nil && !g.Holds {
		return before
	}
	if g.Life.ApprovedAt == nil {
		return summarise([]metav1.Condition{g.no(Approved)}, metav1.Condition{})
	}
	approved := yes(Approved, "Approved", "approved")
	if g.Asked.Approval != nil {
		approved.Message = withReason("approved by "+g.Asked.Approval.By, g.Asked.Approval.Note)
	}
	ready := yes(Ready, InForce, g.Asked.What+" is in force")
	switch {
	case g.Trouble != nil:
		ready = g.no(Ready)
	case waits != nil:
		ready = no(Ready, waits.Reason, waits.Message)
	case g.Soon:
		ready = yes(Ready, ExpiringSoon, g.Asked.What+" ends within "+g.Asked.warning()+": what is to go on is asked for anew")
	}
	return withProgress([]metav1.Condition{approved, ready}, ready)
}

// no says what keeps it from being in force, and who of those that it names can act. The
// words are ours and people's, and stay as they are: names are no changing parts of them.
func (g Granted) no(kind string) metav1.Condition {
	said := strings.Join(strings.Fields(g.Trouble.Message), " ")
	return metav1.Condition{Type: kind, Status: metav1.ConditionFalse, Reason: g.Trouble.Reason,
		Message: ownership.ActOf(g.Asked.RequestedBy, g.Trouble.Reason, strings.TrimRight(said, "."))}
}

// Said is a step that is told in an Event.
type Said struct {
	Warning      bool
	Reason, Note string
}

// Steps are what happened between two looks, in order, each with who and why.
func (g Granted) Steps(before, now []metav1.Condition, was v1alpha1.Life) (said []Said) {
	old, ready := meta.FindStatusCondition(before, Ready), meta.FindStatusCondition(now, Ready)
	if ready == nil {
		return nil
	}
	a := g.Asked
	if old == nil {
		said = append(said, Said{Reason: "Requested", Note: withReason(a.RequestedBy+" asks for "+a.What, a.Reason)})
	}
	if was.ApprovedAt == nil && g.Life.ApprovedAt != nil && a.Approval != nil {
		said = append(said, Said{Reason: "Approved",
			Note: withReason(a.Approval.By+" approves "+a.What+" for "+a.RequestedBy+g.until(), a.Approval.Note)})
	}
	if g.Over() && was.EndedAt == nil {
		return append(said, g.ended())
	}
	return append(said, g.turned(old, ready)...)
}

// turned tells a change of Ready that is no end.
func (g Granted) turned(old, ready *metav1.Condition) (said []Said) {
	a := g.Asked
	switch {
	case old != nil && old.Status == ready.Status && old.Reason == ready.Reason:
	case ready.Status != metav1.ConditionTrue:
		if ownership.Reasons[ready.Reason].Notable() {
			said = append(said, Said{Warning: true, Reason: ready.Reason, Note: ready.Message})
		}
	case ready.Reason == ExpiringSoon:
		said = append(said, Said{Warning: true, Reason: ExpiringSoon, Note: a.What + " ends at " + g.Life.Expires.UTC().Format(time.RFC3339) + "; what is to go on is asked for anew"})
	case old == nil || old.Reason != ExpiringSoon:
		said = append(said, Said{Reason: InForce, Note: withReason(a.What+" is in force"+g.until(), a.Reason)})
	}
	return said
}

// ended tells how it ended: in its time, by somebody's word, or before it began.
func (g Granted) ended() Said {
	switch {
	case g.Trouble.Reason == "Revoked":
		return Said{Warning: true, Reason: "Revoked", Note: g.Asked.What + ": " + g.Trouble.Message}
	case g.Life.ApprovedAt == nil:
		return Said{Warning: true, Reason: "Refused", Note: g.Asked.What + " for " + g.Asked.RequestedBy + " is refused: " + ownership.ActOf(g.Asked.RequestedBy, g.Trouble.Reason, g.Trouble.Message)}
	default:
		return Said{Reason: "Ended", Note: g.Asked.What + " for " + g.Asked.RequestedBy + " ended: " + g.Trouble.Message}
	}
}

// warning is how long before its end it is told of, in words.
func (a Asked) warning() string {
	warn := SoonBefore
	if a.Warn != nil {
		warn = *a.Warn
	}
	switch days := int(warn / (24 * time.Hour)); {
	case days == 1:
		return "a day"
	case days > 1:
		return fmt.Sprintf("%d days", days)
	default:
		return fmt.Sprintf("%d minutes", int(warn.Minutes()))
	}
}

func (g Granted) until() string {
	if g.Life.Expires == nil {
		return ""
	}
	return " until " + g.Life.Expires.UTC().Format(time.RFC3339)
}
