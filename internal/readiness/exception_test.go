package readiness_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/readiness"
)

const minutesOfDay = 24 * 60

// onDay is a moment some days after noon of the first.
func onDay(days int) metav1.Time { return *moment(days * minutesOfDay) }

// excepted asks at noon of the first day for thirty days.
func excepted(edits ...func(*v1alpha1.GuardrailException)) *v1alpha1.GuardrailException {
	e := &v1alpha1.GuardrailException{ObjectMeta: metav1.ObjectMeta{Name: "old-db", CreationTimestamp: onDay(0)},
		Spec: v1alpha1.GuardrailExceptionSpec{Team: "payments", Rules: []string{"host-path", "image-tag"}, Reason: "the old database", RequestedBy: "ana", Expires: onDay(30)}}
	for _, edit := range edits {
		edit(e)
	}
	return e
}

func agreed(e *v1alpha1.GuardrailException) { e.Spec.Approval = &v1alpha1.Approval{By: "bo"} }
func withdrawn(e *v1alpha1.GuardrailException) {
	e.Spec.Revocation = &v1alpha1.Revocation{By: "bo", Reason: "done"}
}
func endsOn(day int) func(*v1alpha1.GuardrailException) {
	return func(e *v1alpha1.GuardrailException) { e.Spec.Expires = onDay(day) }
}
func lived(from, ended int) func(*v1alpha1.GuardrailException) {
	return func(e *v1alpha1.GuardrailException) {
		e.Status.Life = life(from*minutesOfDay, int(e.Spec.Expires.Sub(noon).Minutes()), ended)
	}
}

var terms = guardrail.TermsOf(nil)

func TestException(t *testing.T) {
	here := &readiness.TeamSeen{UID: "t1"}
	unlimited := terms
	unlimited.Warn = 0
	for name, c := range map[string]struct {
		exception *v1alpha1.GuardrailException
		terms     guardrail.Terms
		unknown   []string
		team      *readiness.TeamSeen
		day       int
		want      string // as of Grant; then when to look again, in days
	}{
		"asked":                           {excepted(), terms, nil, here, 1, "AwaitingApproval, again on 30"},
		"asked, and days go by":           {excepted(), terms, nil, here, 20, "AwaitingApproval, again on 30"},
		"nobody approved it by its end":   {excepted(), terms, nil, here, 30, "RequestLapsed"},
		"approved":                        {excepted(agreed), terms, nil, here, 2, "holds, again on 23"},
		"approved late":                   {excepted(agreed), terms, nil, here, 25, "soon, again on 30"},
		"approved after its end":          {excepted(agreed), terms, nil, here, 30, "RequestLapsed"},
		"ends soon":                       {excepted(agreed, lived(2, -1)), terms, nil, here, 23, "soon, again on 30"},
		"shorter than the warning":        {excepted(agreed, endsOn(3)), terms, nil, here, 1, "soon, again on 3"},
		"without a warning":               {excepted(agreed, lived(2, -1)), unlimited, nil, here, 29, "holds, again on 30"},
		"lapses":                          {excepted(agreed, lived(2, -1)), terms, nil, here, 30, "Expired"},
		"lapsed while the operator slept": {excepted(agreed, lived(2, -1)), terms, nil, here, 99, "Expired"},
		"lapsed, and the clock goes back": {excepted(agreed, lived(2, 30*minutesOfDay)), terms, nil, here, 5, "over"},
		"revoked":                         {excepted(agreed, withdrawn, lived(2, -1)), terms, nil, here, 5, "Revoked"},
		"taken back":                      {excepted(withdrawn), terms, nil, here, 5, "Revoked"},
		"the longest that there may be":   {excepted(endsOn(90)), terms, nil, here, 1, "AwaitingApproval, again on 90"},
		"too long":                        {excepted(endsOn(91)), terms, nil, here, 1, "ExpiryAboveLimit"},
		"too long, and approved":          {excepted(agreed, endsOn(91)), terms, nil, here, 1, "ExpiryAboveLimit"},
		"holds, and the limit came down":  {excepted(agreed, endsOn(91), lived(2, -1)), terms, nil, here, 5, "holds, again on 84"},
		"of a rule that there is not":     {excepted(agreed), terms, []string{"host-pth"}, here, 1, "RuleUnknown"},
		"of a team that there is not":     {excepted(agreed), terms, nil, nil, 1, "TeamNotFound"},
		"its team goes":                   {excepted(agreed, lived(2, -1)), terms, nil, &readiness.TeamSeen{UID: "t1", Going: true}, 5, "TeamGone"},
		"another team of its name":        {excepted(agreed, lived(2, -1)), terms, nil, &readiness.TeamSeen{UID: "t2"}, 5, "TeamGone"},
	} {
		t.Run(name, func(t *testing.T) {
			now := onDay(c.day).Time
			g := readiness.Grant(readiness.ExceptionAsked(c.exception, c.terms, c.unknown), c.exception.Status.Life, c.team, now)
			got, _, _ := strings.Cut(words(g), ", again")
			if !g.Next.IsZero() {
				got += fmt.Sprintf(", again on %g", g.Next.Sub(noon).Hours()/24)
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if g.Holds && !g.Life.Expires.Time.Equal(c.exception.Spec.Expires.Time) {
				t.Errorf("it ends at %s, and was asked for until %s", g.Life.Expires, c.exception.Spec.Expires)
			}
		})
	}
}

// A clock of who asks that runs ahead of the cluster's makes the longest not too long.
func TestExceptionOfAnotherClock(t *testing.T) {
	e := excepted(endsOn(90))
	e.Spec.Expires.Time = e.Spec.Expires.Add(2 * time.Minute)
	if a := readiness.ExceptionAsked(e, terms, nil); a.Refused != nil {
		t.Errorf("refused: %+v", a.Refused)
	}
}

// Every step is told once, to its end and after.
func TestExceptionSteps(t *testing.T) {
	here := &readiness.TeamSeen{UID: "t1"}
	two := &readiness.Living{Objects: []string{"Deployment web", "StatefulSet db"}}
	one := &readiness.Living{Objects: []string{"StatefulSet db"}}
	waits := &readiness.Trouble{Reason: "BeingExcepted", Message: "it is being written"}
	const what = "an exception from host-path, image-tag for team payments"
	var conditions []metav1.Condition
	e := excepted()
	for _, step := range []struct {
		day    int
		edit   func(*v1alpha1.GuardrailException)
		waits  *readiness.Trouble
		living *readiness.Living
		said   string
		ready  string
		state  string
	}{
		{0, nil, nil, nil, "Requested: ana asks for " + what + ": the old database", "AwaitingApproval", "requested"},
		{2, agreed, waits, nil, "Approved: bo approves " + what + " for ana until 2026-03-31T12:00:00Z", "BeingExcepted", "requested"},
		{2, nil, nil, nil, "Active: " + what + " is in force until 2026-03-31T12:00:00Z: the old database", "Active", "active"},
		{23, nil, nil, nil, "ExpiringSoon: " + what + " ends at 2026-03-31T12:00:00Z; what is to go on is asked for anew", "ExpiringSoon", "ending"},
		{24, nil, nil, nil, "", "ExpiringSoon", "ending"},
		{30, nil, nil, two, "Ended: " + what + " for ana ended: its time is over | StillRunning: " + what +
			" ended: these break the rules that it was an exception from: Deployment web, StatefulSet db. Next, team: put right what is named: it runs on, but what replaces it is refused; or ask for another exception (demarc exception request).", "Expired", "lapsed"},
		{31, nil, nil, one, "", "Expired", "lapsed"},
		{32, nil, nil, nil, "", "Expired", "lapsed"},
		{33, nil, nil, &readiness.Living{}, "NothingLeft: " + what + " ended, and nothing runs on it any more", "Expired", "ended"},
		{34, nil, nil, nil, "", "Expired", "ended"},
	} {
		if step.edit != nil {
			step.edit(e)
		}
		now := onDay(step.day)
		was := e.Status.Life
		g := readiness.Grant(readiness.ExceptionAsked(e, terms, nil), was, here, now.Time)
		after, _ := readiness.Merge(conditions, readiness.ExceptionConditions(g, conditions, step.waits, step.living), 1, now)
		if said := told(readiness.ExceptionSteps(g, conditions, after, was)); said != step.said {
			t.Errorf("on day %d it tells %q, want %q", step.day, said, step.said)
		}
		if ready := find(after, "Ready"); ready.Reason != step.ready {
			t.Errorf("on day %d Ready is %+v, want %s", step.day, ready, step.ready)
		}
		conditions, e.Status.Life, e.Status.Conditions = after, g.Life, after
		if state := readiness.ExceptionState(e); state != step.state {
			t.Errorf("on day %d it is %s, want %s", step.day, state, step.state)
		}
	}
}

// What was never in force has nothing that runs on it.
func TestExceptionRefusedLeavesNothing(t *testing.T) {
	e := excepted(endsOn(91), agreed)
	g := readiness.Grant(readiness.ExceptionAsked(e, terms, nil), e.Status.Life, &readiness.TeamSeen{UID: "t1"}, onDay(1).Time)
	conditions := readiness.ExceptionConditions(g, nil, nil, &readiness.Living{Objects: []string{"Deployment web"}})
	if c := find(conditions, readiness.Cleared); c.Type != "" {
		t.Errorf("it says %+v", c)
	}
	e.Status.Conditions = conditions
	if state := readiness.ExceptionState(e); state != "refused" {
		t.Errorf("it is %s", state)
	}
	if !strings.Contains(find(conditions, "Ready").Message, "it asks for 91.0 days, and the platform gives exceptions for 90 at most") {
		t.Errorf("it says %q", find(conditions, "Ready").Message)
	}
}

// The Tenant says of its team's exceptions what somebody has to know, the worst first.
func TestTeamExceptions(t *testing.T) {
	of := func(name string, day int, reason string, living ...string) v1alpha1.GuardrailException {
		e := *excepted(endsOn(day))
		e.Name, e.Status.Living = name, living
		status := metav1.ConditionFalse
		switch reason {
		case readiness.InForce, readiness.ExpiringSoon:
			status = metav1.ConditionTrue
		}
		e.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: status, Reason: reason}}
		if reason == "Expired" {
			at := onDay(day)
			e.Status.EndedAt = &at
			left := metav1.Condition{Type: readiness.Cleared, Status: metav1.ConditionTrue}
			if len(living) > 0 {
				left.Status = metav1.ConditionFalse
			}
			e.Status.Conditions = append(e.Status.Conditions, left)
		}
		return e
	}
	active, ending := of("a", 30, readiness.InForce), of("b", 20, readiness.ExpiringSoon)
	lapsed, mended := of("c", 10, "Expired", "Deployment web", "StatefulSet db"), of("d", 9, "Expired")
	waiting, refused := of("e", 30, "AwaitingApproval"), of("f", 30, "ExpiryAboveLimit")
	const rules = " (host-path, image-tag) "
	const holds, ends = "a" + rules + "holds until 2026-03-31T12:00:00Z", "b" + rules + "ends 2026-03-21T12:00:00Z"
	for name, c := range map[string]struct {
		list []v1alpha1.GuardrailException
		want string
	}{
		"none":          {nil, ""},
		"none in force": {[]v1alpha1.GuardrailException{waiting, refused, mended}, ""},
		"one in force":  {[]v1alpha1.GuardrailException{active, waiting}, "True ExceptionsHold: " + holds},
		"one ends soon": {[]v1alpha1.GuardrailException{active, ending}, "True ExceptionEndsSoon: " + ends + "; " + holds},
		"one lapsed":    {[]v1alpha1.GuardrailException{active, lapsed, mended}, "False ExceptionLapsed: c" + rules + "ended 2026-03-11T12:00:00Z, and on it still run Deployment web, StatefulSet db; " + holds},
		"many":          {[]v1alpha1.GuardrailException{active, active, active, active, active}, "True ExceptionsHold: " + holds + "; " + holds + "; " + holds + "; 2 more holds"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if said, ok := readiness.TeamExceptions(c.list); ok {
				message, _, _ := strings.Cut(said.Message, ". Next")
				got = fmt.Sprintf("%s %s: %s", said.Status, said.Reason, message)
			}
			if got != c.want {
				t.Errorf("it says\n %s, want\n %s", got, c.want)
			}
		})
	}
}

// The Platform says whether the policies read what it says, and what of it names nothing.
func TestGuardrails(t *testing.T) {
	set := func(name string, ids ...string) v1alpha1.GuardrailSet {
		s := v1alpha1.GuardrailSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
		s.Spec.Rules = ids
		return s
	}
	limited := set("audit")
	limited.Spec.Limits.Registries = []string{"registry.example"}
	excepted := set("warn", "image-tag")
	excepted.Spec.Exceptions = "a e 2030-01-01T00:00:00Z image-tag\n"
	want := []v1alpha1.GuardrailSet{set("deny", "host-path", "privileged"), set("warn", "image-tag"), set("audit")}
	rule := guardrail.Unknown{Path: "spec.guardrails.rules[hots-path]", Name: "hots-path"}
	team := guardrail.Unknown{Path: "spec.guardrails.teams[z]", Team: true, Name: "z"}
	for name, c := range map[string]struct {
		live    []v1alpha1.GuardrailSet
		unknown []guardrail.Unknown
		want    string
	}{
		"so":                       {want, nil, "GuardrailsReady: profile baseline: 2 rules refuse, 1 warn, 0 are noted"},
		"with exceptions":          {[]v1alpha1.GuardrailSet{want[0], excepted, want[2]}, nil, "GuardrailsReady: profile baseline: 2 rules refuse, 1 warn, 0 are noted"},
		"one is missing":           {want[:2], nil, "SetsBehind: there is no GuardrailSet audit"},
		"one says less":            {[]v1alpha1.GuardrailSet{set("deny", "host-path"), want[1], want[2]}, nil, "SetsBehind: GuardrailSet deny does not say yet what the Platform says"},
		"one measures by another":  {[]v1alpha1.GuardrailSet{want[0], want[1], limited}, nil, "SetsBehind: GuardrailSet audit does not say yet what the Platform says"},
		"a rule that there is not": {want, []guardrail.Unknown{rule, team}, "RuleUnknown: spec.guardrails.rules[hots-path]: there is no rule hots-path; the setting has no effect"},
		"a team that there is not": {want, []guardrail.Unknown{team}, "GuardrailsReady: profile baseline: 2 rules refuse, 1 warn, 0 are noted; of no effect until there is a Tenant of that name: spec.guardrails.teams of z"},
	} {
		t.Run(name, func(t *testing.T) {
			step := readiness.Guardrails("", want, c.live, c.unknown)
			got := step.Reason + ": " + step.Message
			if step.Trouble != nil {
				got = step.Trouble.Reason + ": " + step.Trouble.Message
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
