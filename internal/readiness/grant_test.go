package readiness_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/readiness"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func moment(minutes int) *metav1.Time {
	return &metav1.Time{Time: noon.Add(time.Duration(minutes) * time.Minute)}
}

// asked at noon for two hours.
func asked(edits ...func(*readiness.Asked)) readiness.Asked {
	a := readiness.Asked{What: "operate in team payments for user ana", Team: "payments", Reason: "incident 7", RequestedBy: "ana",
		Approve: "demarc access approve payments-orders-x7k2p", Created: noon, For: 2 * time.Hour}
	for _, edit := range edits {
		edit(&a)
	}
	return a
}

func approved(a *readiness.Asked) { a.Approval = &v1alpha1.Approval{By: "bo"} }
func revoked(a *readiness.Asked)  { a.Revocation = &v1alpha1.Revocation{By: "bo", Reason: "done"} }
func endless(a *readiness.Asked)  { a.For = 0 }
func tooLong(a *readiness.Asked) {
	a.Refused = &readiness.Trouble{Reason: "DurationAboveLimit", Message: "too long"}
}
func until(minutes int) func(*readiness.Asked) {
	return func(a *readiness.Asked) { a.For, a.Until = 0, moment(minutes) }
}

// life from one minute on to another, as it was written down; -1 is never.
func life(from, to, ended int) v1alpha1.Life {
	l := v1alpha1.Life{TenantUID: "t1"}
	for _, m := range []struct {
		at   int
		into **metav1.Time
	}{{from, &l.ApprovedAt}, {to, &l.Expires}, {ended, &l.EndedAt}} {
		if m.at >= 0 {
			*m.into = moment(m.at)
		}
	}
	return l
}

func TestGrant(t *testing.T) {
	here := &readiness.TeamSeen{UID: "t1"}
	none := v1alpha1.Life{}
	for name, c := range map[string]struct {
		asked readiness.Asked
		was   v1alpha1.Life
		team  *readiness.TeamSeen
		at    int    // minutes after noon
		want  string // holds, soon, or a reason; then when to look again
	}{
		"asked":                                 {asked(), none, here, 1, "AwaitingApproval, again at 1440"},
		"forgotten":                             {asked(), none, here, 24 * 60, "RequestLapsed"},
		"approved, and first seen a day later":  {asked(approved), none, here, 24 * 60, "RequestLapsed"},
		"too long":                              {asked(tooLong), none, here, 1, "DurationAboveLimit"},
		"too long, and approved":                {asked(tooLong, approved), none, here, 1, "DurationAboveLimit"},
		"approved":                              {asked(approved), none, here, 5, "holds, again at 110"},
		"approved while the operator was down":  {asked(approved), none, here, 300, "holds, again at 405"},
		"holds":                                 {asked(approved), life(5, 125, -1), here, 60, "holds, again at 110"},
		"holds, and the limit came down":        {asked(approved, tooLong), life(5, 125, -1), here, 60, "holds, again at 110"},
		"ends soon":                             {asked(approved), life(5, 125, -1), here, 110, "soon, again at 125"},
		"ends":                                  {asked(approved), life(5, 125, -1), here, 125, "Expired"},
		"ended while the operator was down":     {asked(approved), life(5, 125, -1), here, 9999, "Expired"},
		"ended, and the clock was put back":     {asked(approved), life(5, 125, 125), here, 60, "over"},
		"holds, and the clock was put back":     {asked(approved), life(5, 125, -1), here, 2, "holds, again at 110"},
		"holds, and the clock was put forward":  {asked(approved), life(5, 125, -1), here, 600, "Expired"},
		"an end that somebody wrote later":      {asked(approved), life(5, 9000, -1), here, 125, "Expired"},
		"an end that somebody took away":        {asked(approved), life(5, -1, -1), here, 125, "Expired"},
		"too short to end soon":                 {asked(approved, func(a *readiness.Asked) { a.For = 10 * time.Minute }), none, here, 5, "holds, again at 15"},
		"revoked before it was approved":        {asked(revoked), none, here, 5, "Revoked"},
		"revoked":                               {asked(approved, revoked), life(5, 125, -1), here, 60, "Revoked"},
		"revoked for a team that is gone":       {asked(approved, revoked), life(5, 125, -1), nil, 60, "Revoked"},
		"no team":                               {asked(approved), none, nil, 5, "TeamNotFound"},
		"for a team that goes":                  {asked(approved), none, &readiness.TeamSeen{UID: "t1", Going: true}, 5, "TeamGone"},
		"its team goes":                         {asked(approved), life(5, 125, -1), &readiness.TeamSeen{UID: "t1", Going: true}, 60, "TeamGone"},
		"its team is gone":                      {asked(approved), life(5, 125, -1), nil, 60, "TeamGone"},
		"another team of the same name":         {asked(approved), life(5, 125, -1), &readiness.TeamSeen{UID: "t2"}, 60, "TeamGone"},
		"without an end":                        {asked(approved, endless), none, here, 5, "holds"},
		"without an end, a year later":          {asked(approved, endless), life(5, -1, -1), here, 600_000, "holds"},
		"until":                                 {asked(approved, until(300)), none, here, 5, "holds, again at 285"},
		"until, and approved later":             {asked(approved, until(300)), none, here, 300, "RequestLapsed"},
		"until, and nobody approved it by then": {asked(until(300)), none, here, 5, "AwaitingApproval, again at 300"},
	} {
		t.Run(name, func(t *testing.T) {
			now := noon.Add(time.Duration(c.at) * time.Minute)
			g := readiness.Grant(c.asked, c.was, c.team, now)
			if got := words(g); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if g.Holds && !readiness.Active(g.Life, now) {
				t.Errorf("it holds, and what is written down (%+v) says otherwise", g.Life)
			}
			if g.Trouble != nil && g.Trouble.Reason != "AwaitingApproval" {
				after := readiness.Grant(asked(approved), g.Life, here, noon)
				if after.Holds || !after.Over() {
					t.Error("what ended began again")
				}
			}
		})
	}
}

func words(g readiness.Granted) (out string) {
	switch {
	case g.Trouble != nil:
		out = g.Trouble.Reason
	case g.Soon:
		out = "soon"
	case g.Holds:
		out = "holds"
	default:
		out = "over"
	}
	if !g.Next.IsZero() {
		out += fmt.Sprintf(", again at %d", int(g.Next.Sub(noon).Minutes()))
	}
	return out
}

// Two grants for one person end each at its own time, whichever began first.
func TestGrantsAreApart(t *testing.T) {
	here := &readiness.TeamSeen{UID: "t1"}
	long, short := asked(approved), asked(approved, func(a *readiness.Asked) { a.For = time.Hour })
	longer, shorter := readiness.Grant(long, v1alpha1.Life{}, here, noon), readiness.Grant(short, v1alpha1.Life{}, here, noon)
	at := noon.Add(90 * time.Minute)
	if g := readiness.Grant(long, longer.Life, here, at); !g.Holds {
		t.Errorf("the longer one: %s", words(g))
	}
	if g := readiness.Grant(short, shorter.Life, here, at); g.Holds || g.Trouble.Reason != "Expired" {
		t.Errorf("the shorter one: %s", words(g))
	}
}

// Every step is told once, with who and why, and the conditions tell where it stands.
func TestGrantSteps(t *testing.T) {
	here := &readiness.TeamSeen{UID: "t1"}
	var conditions []metav1.Condition
	var was v1alpha1.Life
	for _, step := range []struct {
		at    int
		asked readiness.Asked
		waits *readiness.Trouble
		said  string
		ready string
	}{
		{0, asked(), nil, "Requested: ana asks for operate in team payments for user ana: incident 7", "AwaitingApproval"},
		{1, asked(), nil, "", "AwaitingApproval"},
		{5, asked(approved), &readiness.Trouble{Reason: "BeingGranted", Message: "it is being given"},
			"Approved: bo approves operate in team payments for user ana for ana until 2026-03-01T14:05:00Z", "BeingGranted"},
		{5, asked(approved), nil, "Active: operate in team payments for user ana is in force until 2026-03-01T14:05:00Z: incident 7", "Active"},
		{50, asked(approved), nil, "", "Active"},
		{60, asked(approved), &readiness.Trouble{Reason: "ObjectTaken", Message: "it is somebody else's"}, "ObjectTaken: it is somebody else's. Next, platform: delete or rename the object that is not Demarc's.", "ObjectTaken"},
		{61, asked(approved), nil, "Active: operate in team payments for user ana is in force until 2026-03-01T14:05:00Z: incident 7", "Active"},
		{110, asked(approved), nil, "ExpiringSoon: operate in team payments for user ana ends at 2026-03-01T14:05:00Z; what is to go on is asked for anew", "ExpiringSoon"},
		{111, asked(approved), nil, "", "ExpiringSoon"},
		{125, asked(approved), nil, "Ended: operate in team payments for user ana for ana ended: its time is over", "Expired"},
		{130, asked(approved, revoked), nil, "", "Expired"},
	} {
		now := noon.Add(time.Duration(step.at) * time.Minute)
		g := readiness.Grant(step.asked, was, here, now)
		after, _ := readiness.Merge(conditions, g.Conditions(conditions, step.waits), 1, metav1.NewTime(now))
		if said := told(g.Steps(conditions, after, was)); said != step.said {
			t.Errorf("after %d minutes it tells %q, want %q", step.at, said, step.said)
		}
		if ready := find(after, "Ready"); ready.Reason != step.ready {
			t.Errorf("after %d minutes Ready is %+v, want %s", step.at, ready, step.ready)
		}
		conditions, was = after, g.Life
	}
	if c := find(conditions, "Approved"); c.Status != metav1.ConditionTrue || c.Message != "approved by bo" {
		t.Errorf("it no longer says who approved: %+v", c)
	}
}

// What never began is refused, and what somebody ended is revoked.
func TestGrantEndsOtherwise(t *testing.T) {
	here := &readiness.TeamSeen{UID: "t1"}
	for want, g := range map[string]readiness.Granted{
		"Refused: operate in team payments for user ana for ana is refused: too long. Next, ana: ask anew": readiness.Grant(asked(tooLong), v1alpha1.Life{}, here, noon),
		"Revoked: operate in team payments for user ana: revoked by bo: done":                              readiness.Grant(asked(approved, revoked), life(5, 125, -1), here, noon),
		"Ended: operate in team payments for user ana for ana ended: Tenant payments is being deleted":     readiness.Grant(asked(approved), life(5, 125, -1), &readiness.TeamSeen{UID: "t1", Going: true}, noon),
	} {
		before := []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Active"}}
		was := v1alpha1.Life{ApprovedAt: g.Life.ApprovedAt}
		if said := told(g.Steps(before, g.Conditions(before, nil), was)); !strings.HasPrefix(said, want) {
			t.Errorf("it tells %q, want %q", said, want)
		}
	}
}

func told(said []readiness.Said) string {
	var out []string
	for _, s := range said {
		out = append(out, s.Reason+": "+s.Note)
	}
	return strings.Join(out, " | ")
}

func find(conditions []metav1.Condition, kind string) metav1.Condition {
	for _, c := range conditions {
		if c.Type == kind {
			return c
		}
	}
	return metav1.Condition{}
}
