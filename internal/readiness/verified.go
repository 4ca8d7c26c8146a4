package readiness

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/ownership"
)

// Verified of the OwnershipContract says that the API server answers as the contract says.
const Verified = "Verified"

// Reviewed is how the API server answered the questions that are made from the contract.
type Reviewed struct {
	// More and Less are how many answers give more, and less, than the contract.
	More, Less int
	// Differ names the first of them.
	Differ []string
	// Asked of Cells were asked; Whole is that a whole pass over them was made.
	Asked, Cells int
	Whole        bool
	// Mended is that some differed since the operator began to ask, and none does now.
	Mended bool
	// Failed is why it could not be told.
	Failed string
}

// verified is the condition. What was said of this contract before stands until as much is
// known again: after a restart the operator begins anew to ask, and writes nothing.
func (c Contract) verified() metav1.Condition {
	r, wrong := c.Reviewed, c.Before != nil && c.Before.Status == metav1.ConditionFalse
	switch {
	case c.Invalid != nil:
		return unsure(Verified, "NotYetAsked", "the contract contradicts itself, so there is nothing to compare the cluster with")
	case r != nil && r.More+r.Less > 0:
		return r.differs()
	case r != nil && r.Failed != "" && !wrong: // what was wrong is not right for want of an answer
		return unsure(Verified, "ReviewFailed", r.Failed)
	case c.Before != nil && !r.outweighs(*c.Before):
		return *c.Before
	case r == nil:
		return unsure(Verified, "NotYetAsked", "the API server was not asked yet whether it answers as this contract says")
	}
	return yes(Verified, "Agrees", fmt.Sprintf("the API server answers as the contract says: %d of %d cells asked", r.Asked, r.Cells))
}

// outweighs says whether answers without a difference say more than what was said before.
func (r *Reviewed) outweighs(before metav1.Condition) bool {
	return r != nil && r.Failed == "" && (r.Whole || r.Mended || before.Status == metav1.ConditionUnknown)
}

func (r Reviewed) differs() metav1.Condition {
	list := strings.Join(r.Differ, "; ")
	if more := r.More + r.Less - len(r.Differ); more > 0 {
		list += fmt.Sprintf("; and %d more", more)
	}
	switch {
	case r.Less == 0:
		return no(Verified, "GrantsMore", "the API server allows what the contract does not give: "+list)
	case r.More == 0:
		return no(Verified, "GrantsLess", "the API server refuses what the contract gives: "+list)
	}
	return no(Verified, "Differs", "the API server allows what the contract does not give, and refuses what it gives: "+list)
}

// unsure is a condition of which nothing is known.
func unsure(kind, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: metav1.ConditionUnknown, Reason: reason,
		Message: ownership.Act(reason, strings.TrimRight(Normalise(message), ". \n"))}
}
