package readiness_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/readiness"
)

func TestAccessAsked(t *testing.T) {
	spec := v1alpha1.AccessGrantSpec{Team: "payments", Role: "operate", RequestedBy: "ana", Duration: "2h", Reason: "incident 7"}
	for name, c := range map[string]struct {
		edit    func(*v1alpha1.AccessGrantSpec)
		what    string
		lasts   time.Duration
		refused string
	}{
		"for a user":  {func(s *v1alpha1.AccessGrantSpec) { s.User = "ana" }, "operate in team payments for user ana", 2 * time.Hour, ""},
		"for a group": {func(s *v1alpha1.AccessGrantSpec) { s.Group = "on-call" }, "operate in team payments for group on-call", 2 * time.Hour, ""},
		"for an account": {func(s *v1alpha1.AccessGrantSpec) {
			s.ServiceAccount = &v1alpha1.TenantServiceAccount{Namespace: "ci", Name: "d"}
		}, "operate in team payments for account ci/d", 2 * time.Hour, ""},
		"past the schema":    {func(*v1alpha1.AccessGrantSpec) {}, "operate in team payments for nobody", 2 * time.Hour, ""},
		"as long as it goes": {func(s *v1alpha1.AccessGrantSpec) { s.User, s.Duration = "ana", "8h" }, "operate in team payments for user ana", 8 * time.Hour, ""},
		"too long":           {func(s *v1alpha1.AccessGrantSpec) { s.User, s.Duration = "ana", "8h30m" }, "operate in team payments for user ana", 510 * time.Minute, "DurationAboveLimit: it asks for 8h30m, and the platform gives access for 8h at most"},
		"no duration":        {func(s *v1alpha1.AccessGrantSpec) { s.User, s.Duration = "ana", "soon" }, "operate in team payments for user ana", time.Minute, `RequestUnreadable: spec.duration "soon" is no duration`},
	} {
		g := &v1alpha1.AccessGrant{ObjectMeta: metav1.ObjectMeta{Name: "payments-x7k2p"}, Spec: spec}
		c.edit(&g.Spec)
		a := readiness.AccessAsked(g, 8*time.Hour)
		if a.What != c.what || a.For != c.lasts || said(a.Refused) != c.refused || a.Approve != "demarc access approve payments-x7k2p" {
			t.Errorf("%s: it asks for %q during %s by %q, refused with %q; want %q, %s, %q", name, a.What, a.For, a.Approve, said(a.Refused), c.what, c.lasts, c.refused)
		}
	}
}

func TestBudgetAsked(t *testing.T) {
	team := &v1alpha1.Tenant{Spec: v1alpha1.TenantSpec{Resources: budgetOf("2", "4Gi", 10)}}
	for name, c := range map[string]struct {
		team     *v1alpha1.Tenant
		asks     *v1alpha1.Budget
		duration string
		refused  string
	}{
		"more":                {team, budgetOf("4", "", 0), "", ""},
		"as much":             {team, budgetOf("2", "", 0), "", "NotARaise: it asks for no more than the Tenant's spec.resources gives (cpu 2, memory 4Gi, pods 10); a key that is not set there is not limited"},
		"above the ceiling":   {team, budgetOf("9", "", 0), "", "AboveCeiling: it asks for more than the platform's ceiling: cpu 9 (ceiling 8)"},
		"of no team":          {nil, budgetOf("9", "", 0), "", ""},
		"no duration":         {team, budgetOf("4", "", 0), "soon", `RequestUnreadable: spec.duration "soon" is no duration`},
		"that does not parse": {team, budgetOf("lots", "", 0), "72h", `RequestUnreadable: cpu "lots" is not a quantity such as 2, 500m or 4Gi`},
	} {
		b := &v1alpha1.BudgetRequest{ObjectMeta: metav1.ObjectMeta{Name: "b"}, Spec: v1alpha1.BudgetRequestSpec{Team: "payments", Resources: *c.asks, Duration: c.duration}}
		a := readiness.BudgetAsked(b, c.team, budgetOf("8", "", 0))
		if said(a.Refused) != c.refused || a.Approve != "demarc budget approve b" || (a.For != 0) != (c.duration != "") {
			t.Errorf("%s: refused with %q for %s, want %q", name, said(a.Refused), a.For, c.refused)
		}
	}
}

func said(trouble *readiness.Trouble) string {
	if trouble == nil {
		return ""
	}
	return trouble.Reason + ": " + trouble.Message
}

func TestHours(t *testing.T) {
	for d, want := range map[time.Duration]string{
		2 * time.Hour: "2h", 90 * time.Minute: "1h30m", time.Minute: "1m", 30 * 24 * time.Hour: "720h", 70 * time.Minute: "1h10m", 10 * time.Minute: "10m",
	} {
		if got := readiness.Hours(d); got != want {
			t.Errorf("%s is written %s, want %s", d, got, want)
		}
	}
}

// Who acts on a request is named, and a name is no part that changes: the command by which
// it is approved stands in the condition as it is typed.
func TestAwaitingApproval(t *testing.T) {
	g := readiness.Grant(asked(), v1alpha1.Life{}, &readiness.TeamSeen{UID: "t1"}, noon)
	const want = "ana asks for operate in team payments for user ana; demarc access approve payments-orders-x7k2p approves it. " +
		"Next, ana: have somebody else do so who holds the verb approve."
	if got := find(g.Conditions(nil, nil), "Ready").Message; got != want {
		t.Errorf("Ready says %q, want %q", got, want)
	}
	g = readiness.Grant(asked(tooLong), v1alpha1.Life{}, &readiness.TeamSeen{UID: "t1"}, noon)
	if got := find(g.Conditions(nil, nil), "Stalled").Message; got != "too long. Next, ana: ask anew for less time, or have the platform raise spec.access.maxHours of Platform default first." {
		t.Errorf("Stalled says %q", got)
	}
}
