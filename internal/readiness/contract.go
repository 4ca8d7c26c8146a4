package readiness

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Condition types of the OwnershipContract.
const (
	Valid    = "Valid"
	Compiled = "Compiled"
	// Complete and PartiesNamed tell what is still to be decided; the contract holds
	// without them.
	Complete     = "Complete"
	PartiesNamed = "PartiesNamed"
)

// Contract is how the ownership contract stands.
type Contract struct {
	// Invalid is why it cannot be taken.
	Invalid *Trouble
	// Compiled is why what is made of it is not in place.
	Compiled *Trouble
	// Unlisted are the kinds that are served and in no domain, and whose they are.
	Unlisted []string
	Falls    string
	// Nobody are the parties behind which nobody stands.
	Nobody []string
	// Reviewed is how the API server answers; nil where it was not asked yet. Before is
	// what was said of the same contract before, if anything.
	Reviewed *Reviewed
	Before   *metav1.Condition
}

// Decide says what the contract's conditions are.
func (c Contract) Decide() []metav1.Condition {
	valid := Step{Trouble: c.Invalid, Reason: "Valid", Message: "the contract does not contradict itself"}
	compiled := Step{Trouble: c.Compiled, Reason: "Compiled", Message: "roles and admission are made of it; what Git may deliver follows with each Tenant"}
	if c.Invalid != nil {
		compiled.Trouble = &Trouble{c.Invalid.Reason, "the contract before holds meanwhile"}
	}
	complete := Step{Reason: "Complete", Message: "every kind that is served is in a domain"}
	if n := len(c.Unlisted); n > 0 {
		const most = 10
		says := fmt.Sprintf("%d kinds are in no domain and fall to %s: %s", n, c.Falls, strings.Join(c.Unlisted[:min(n, most)], ", "))
		if n > most {
			says += ", …"
		}
		complete.Trouble = &Trouble{"KindsUnlisted", says}
	}
	named := Step{Reason: "PartiesNamed", Message: "people and a way to reach them stand behind every party"}
	if len(c.Nobody) > 0 {
		named.Trouble = &Trouble{"NobodyBehind", "nobody can be reached behind: " + strings.Join(c.Nobody, ", ")}
	}
	enforced, rest := []metav1.Condition{valid.condition(Valid), compiled.condition(Compiled)}, []metav1.Condition{complete.condition(Complete), named.condition(PartiesNamed)}
	// A cluster that gives other rights does not hold the contract. One that was not asked
	// yet may: nobody is to wait for that.
	if verified := c.verified(); verified.Status == metav1.ConditionFalse {
		enforced = append(enforced, verified)
	} else {
		rest = append([]metav1.Condition{verified}, rest...)
	}
	return append(summarise(enforced, yes(Ready, "ContractReady", "the contract is enforced")), rest...)
}
