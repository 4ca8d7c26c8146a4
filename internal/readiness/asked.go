package readiness

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
)

// Asked is what somebody asked for.
type Asked struct {
	// What it is, in words, and for which team.
	What, Team string
	// Approve is the command by which somebody else approves it.
	Approve     string
	Reason      string
	RequestedBy string
	Created     time.Time
	Approval    *v1alpha1.Approval
	Revocation  *v1alpha1.Revocation
	// For is how long it holds from the approval on; Until is when it ends. Without
	// either it has no end.
	For   time.Duration
	Until *metav1.Time
	// Patient is that it waits for its approval until Until, and not RequestLifetime.
	Patient bool
	// Warn is how long before its end it is said to end soon; nil is SoonBefore, and not
	// for what is shorter than that.
	Warn *time.Duration
	// Refused is why it cannot be, whoever approves it. It is asked before the approval
	// alone: what holds already is judged by what held then.
	Refused *Trouble
}

// AccessAsked is what an AccessGrant asks for, where access is given for so long at most.
func AccessAsked(g *v1alpha1.AccessGrant, limit time.Duration) Asked {
	s := g.Spec
	a := Asked{
		What: fmt.Sprintf("%s in team %s for %s", s.Role, s.Team, SubjectWords(s)), Team: s.Team, Approve: "demarc access approve " + g.Name,
		Reason: s.Reason, RequestedBy: s.RequestedBy, Created: g.CreationTimestamp.Time, Approval: s.Approval, Revocation: s.Revocation,
	}
	d, err := time.ParseDuration(s.Duration)
	switch {
	case err != nil || d <= 0:
		a.Refused = noDuration(s.Duration)
		d = time.Minute // one that came past the schema has an end all the same
	case d > limit:
		a.Refused = &Trouble{"DurationAboveLimit", fmt.Sprintf("it asks for %s, and the platform gives access for %s at most", Hours(d), Hours(limit))}
	}
	a.For = d
	return a
}

// BudgetAsked is what a BudgetRequest asks for of a team that has a budget, nil where
// there is no such team, under the platform's ceiling.
func BudgetAsked(b *v1alpha1.BudgetRequest, t *v1alpha1.Tenant, ceiling *v1alpha1.Budget) Asked {
	s := b.Spec
	a := Asked{
		What: fmt.Sprintf("a budget of %s for team %s", BudgetWords(s.Resources), s.Team), Team: s.Team, Approve: "demarc budget approve " + b.Name,
		Reason: s.Reason, RequestedBy: s.RequestedBy, Created: b.CreationTimestamp.Time,
		Approval: s.Approval, Revocation: s.Revocation, Until: s.Until,
	}
	if s.Duration != "" {
		d, err := time.ParseDuration(s.Duration)
		if err != nil || d <= 0 {
			a.Refused = noDuration(s.Duration)
			d = time.Minute // one that came past the schema has an end all the same
		}
		a.For = d
	}
	if t != nil && a.Refused == nil {
		a.Refused = raiseRefused(&s.Resources, t.Spec.Resources, ceiling)
	}
	return a
}

func raiseRefused(budgets ...*v1alpha1.Budget) *Trouble {
	var amounts [3]v1alpha1.Amounts
	for i, b := range budgets {
		var err error
		if amounts[i], err = b.Amounts(); err != nil {
			return &Trouble{"RequestUnreadable", err.Error()}
		}
	}
	return RaiseRefused(amounts[0], amounts[1], amounts[2])
}

func noDuration(text string) *Trouble {
	return &Trouble{"RequestUnreadable", fmt.Sprintf("spec.duration %q is no duration", text)}
}

// SubjectWords name whom access is for.
func SubjectWords(s v1alpha1.AccessGrantSpec) string {
	switch {
	case s.User != "":
		return "user " + s.User
	case s.Group != "":
		return "group " + s.Group
	case s.ServiceAccount != nil:
		return "account " + s.ServiceAccount.Namespace + "/" + s.ServiceAccount.Name
	default:
		return "nobody"
	}
}

// Hours writes a duration in whole hours and minutes, such as 2h or 1h30m, as
// spec.duration takes it.
func Hours(d time.Duration) string {
	text := strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s")
	if short, whole := strings.CutSuffix(text, "h0m"); whole {
		return short + "h"
	}
	return text
}
