package readiness

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
)

// What people ask for and somebody else approves, an AccessGrant, a BudgetRequest or a
// GuardrailException, goes one way and never back:
//
//	asked ──approved──▶ holds ──its time, or a revocation, or the team's end──▶ ended
//	  └──refused, lapsed, revoked──────────────────────────────────────────────▶ ended

// RequestLifetime is how long a request waits for an approval. One that was forgotten
// is not brought to life weeks later, nor by a restore that lost its status.
const RequestLifetime = 24 * time.Hour

// SoonBefore is how long before its end something is said to end soon.
const SoonBefore = 15 * time.Minute

// TeamSeen is a team's Tenant as far as it matters here.
type TeamSeen struct {
	UID   string
	Going bool
}

// Granted is what becomes of it.
type Granted struct {
	Asked Asked
	// Life is when it began and ends, as it is to be written down.
	Life v1alpha1.Life
	// Holds says that it is in force now; Soon that it ends soon.
	Holds, Soon bool
	// Trouble is why it is not in force; nil where it is, or where it ended before.
	Trouble *Trouble
	// Next is when to look again; zero where no time changes anything.
	Next time.Time
}

// Over says that it has ended, now or before.
func (g Granted) Over() bool { return g.Life.EndedAt != nil }

// Grant decides what becomes of what was asked for. was is what was written down before,
// team is nil where there is none.
func Grant(asked Asked, was v1alpha1.Life, team *TeamSeen, now time.Time) Granted {
	g := Granted{Asked: asked, Life: *was.DeepCopy()}
	switch {
	case was.EndedAt != nil: // for good, whatever the clock says now
		return g
	case asked.Revocation != nil:
		return g.end(now, "Revoked", revoked(asked.Revocation))
	case was.ApprovedAt != nil:
		return g.running(team, now)
	case team == nil:
		return g.end(now, "TeamNotFound", "there is no Tenant "+asked.Team)
	case team.Going:
		return g.end(now, "TeamGone", "Tenant "+asked.Team+" is being deleted")
	case asked.Refused != nil:
		return g.end(now, asked.Refused.Reason, asked.Refused.Message)
	case !now.Before(asked.deadline()):
		return g.end(now, "RequestLapsed", "nobody approved it in time")
	case asked.Approval == nil:
		g.Trouble = &Trouble{"AwaitingApproval", asked.RequestedBy + " asks for " + asked.What + "; " + asked.Approve + " approves it"}
		g.Next = asked.deadline()
		return g
	}
	return g.begin(team, now).running(team, now)
}

// deadline is until when it can be approved.
func (a Asked) deadline() time.Time {
	end := a.Created.Add(RequestLifetime)
	if a.Until != nil && (a.Patient || a.Until.Time.Before(end)) {
		return a.Until.Time
	}
	return end
}

// begin counts from the moment at which the approval is seen.
func (g Granted) begin(team *TeamSeen, now time.Time) Granted {
	at := metav1.NewTime(now.Truncate(time.Second)) // as it is stored
	g.Life.ApprovedAt, g.Life.TenantUID = &at, team.UID
	switch {
	case g.Asked.For > 0:
		g.Life.Expires = &metav1.Time{Time: at.Add(g.Asked.For)}
	case g.Asked.Until != nil:
		g.Life.Expires = g.Asked.Until.DeepCopy()
	}
	return g
}

// running is one that was approved: it holds until its end, or its team's.
func (g Granted) running(team *TeamSeen, now time.Time) Granted {
	if a := g.Asked; a.For > 0 { // never longer than was asked for, whatever was written down
		if end := g.Life.ApprovedAt.Add(a.For); g.Life.Expires == nil || g.Life.Expires.After(end) {
			g.Life.Expires = &metav1.Time{Time: end}
		}
	}
	switch {
	case team == nil || team.UID != g.Life.TenantUID:
		return g.end(now, "TeamGone", "the Tenant "+g.Asked.Team+" that it was approved for is gone")
	case team.Going:
		return g.end(now, "TeamGone", "Tenant "+g.Asked.Team+" is being deleted")
	case g.Life.Expires == nil:
		g.Holds = true
		return g
	case !now.Before(g.Life.Expires.Time):
		return g.end(now, "Expired", "its time is over")
	}
	g.Holds, g.Next = true, g.Life.Expires.Time
	if soon, said := g.warnFrom(); said {
		if g.Soon = !now.Before(soon); !g.Soon {
			g.Next = soon
		}
	}
	return g
}

// warnFrom is from when on it is said to end soon; said is that it is said at all.
func (g Granted) warnFrom() (from time.Time, said bool) {
	if warn := g.Asked.Warn; warn != nil {
		return g.Life.Expires.Add(-*warn), *warn > 0
	}
	from = g.Life.Expires.Add(-SoonBefore)
	return from, from.After(g.Life.ApprovedAt.Time)
}

func (g Granted) end(now time.Time, reason, message string) Granted {
	g.Life.EndedAt = &metav1.Time{Time: now.Truncate(time.Second)}
	g.Trouble = &Trouble{reason, message}
	return g
}

func revoked(r *v1alpha1.Revocation) string { return withReason("revoked by "+r.By, r.Reason) }

func withReason(what, reason string) string {
	if reason == "" {
		return what
	}
	return what + ": " + reason
}

// Active reports whether what was approved is in force at a moment, as far as it was
// written down.
func Active(l v1alpha1.Life, now time.Time) bool {
	return l.ApprovedAt != nil && l.EndedAt == nil && (l.Expires == nil || now.Before(l.Expires.Time))
}
