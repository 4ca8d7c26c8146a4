package operator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/testenv"
)

var setNames = []string{"deny", "warn", "audit"}

func guardrailSet(name string) *v1alpha1.GuardrailSet {
	return &v1alpha1.GuardrailSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// setSays waits until a set is as check wants it.
func setSays(t *testing.T, name string, check func(v1alpha1.GuardrailSetSpec) error) *v1alpha1.GuardrailSet {
	t.Helper()
	set := guardrailSet(name)
	testenv.Eventually(t, func() error {
		if err := env.Client.Get(context.Background(), client.ObjectKeyFromObject(set), set); err != nil {
			return err
		}
		if err := check(set.Spec); err != nil {
			return fmt.Errorf("GuardrailSet %s: %w", name, err)
		}
		return nil
	})
	return set
}

// refuses wants the set deny to hold a rule for a team, or not.
func refuses(rule, team string, want bool) func(v1alpha1.GuardrailSetSpec) error {
	return func(s v1alpha1.GuardrailSetSpec) error {
		if got := guardrail.Covers(guardrail.Read(s).Rules[rule], team); got != want {
			return fmt.Errorf("%s holds for team %s: %v, want %v", rule, team, got, want)
		}
		return nil
	}
}

// except wants a set to name these exceptions of a team.
func except(team string, names ...string) func(v1alpha1.GuardrailSetSpec) error {
	return func(s v1alpha1.GuardrailSetSpec) error {
		var have []string
		for _, e := range guardrail.Read(s).Exceptions[team] {
			have = append(have, e.Name)
		}
		if !slices.Equal(have, names) {
			return fmt.Errorf("exceptions of team %s are %v, want %v", team, have, names)
		}
		return nil
	}
}

// guarded changes the Platform's guardrails, until the test ends.
func guarded(t *testing.T, edit func(*v1alpha1.PlatformGuardrails)) {
	t.Helper()
	change := func(ctx context.Context, edit func(*v1alpha1.PlatformGuardrails)) {
		testenv.Eventually(t, func() error {
			p := &v1alpha1.Platform{}
			if err := env.Client.Get(ctx, types.NamespacedName{Name: v1alpha1.PlatformName}, p); err != nil {
				return err
			}
			edit(&p.Spec.Guardrails)
			return env.Client.Update(ctx, p)
		})
	}
	change(t.Context(), edit)
	t.Cleanup(func() {
		change(context.Background(), func(g *v1alpha1.PlatformGuardrails) { *g = v1alpha1.PlatformGuardrails{} })
	})
}

// The sets say what the Platform says, and the documented defaults without one; what
// somebody does to them by hand is undone.
func TestGuardrailSets(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	putBack := withoutPlatform(t)
	for _, name := range setNames {
		setSays(t, name, func(s v1alpha1.GuardrailSetSpec) error {
			if s.Limits.LimitRatio == nil || *s.Limits.LimitRatio != guardrail.DefaultLimitRatio {
				return fmt.Errorf("limits are %+v", s.Limits)
			}
			return refuses("privileged", "anybody", name == "deny")(s)
		})
	}
	putBack()
	platform := &v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.PlatformName}}
	guarded(t, func(g *v1alpha1.PlatformGuardrails) {
		g.Rules = []v1alpha1.GuardrailRule{{ID: "privileged", Mode: v1alpha1.GuardrailWarn}}
		g.Teams = []v1alpha1.TeamGuardrails{{Team: "fenced", Rules: []v1alpha1.GuardrailRule{{ID: "privileged", Mode: v1alpha1.GuardrailDeny}}}}
		g.Limits.Registries = []string{"registry.example"}
	})
	setSays(t, "deny", refuses("privileged", "fenced", true))
	setSays(t, "deny", refuses("privileged", "anybody", false))
	setSays(t, "warn", refuses("privileged", "anybody", true))
	waits := condition(t, env, platform, "GuardrailsReady", "GuardrailsReady")
	if !strings.Contains(waits.Message, "of no effect until there is a Tenant of that name: spec.guardrails.teams of fenced") {
		t.Errorf("it says %q", waits.Message)
	}
	team := tenant("fenced")
	team.Spec.Domains = []string{"fenced.example"}
	create(t, env, team)
	setSays(t, "deny-hosts", func(s v1alpha1.GuardrailSetSpec) error {
		if names := guardrail.Read(s).Domains["fenced"]; !slices.Equal(names, []string{"fenced.example"}) {
			return fmt.Errorf("domains are %v", s.Domains)
		}
		return nil
	})
	before := setSays(t, "deny", refuses("privileged", "fenced", true))

	// Somebody lets a team off, adds an exception, and takes the mark away.
	patch := `{"metadata":{"labels":null},"spec":{"rules":["spread"],"teams":"privileged/other\\n",
	  "exceptions":"fenced mine 2099-01-01T00:00:00Z privileged\\n"}}`
	if err := env.Client.Patch(t.Context(), before.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		t.Fatal(err)
	}
	after := setSays(t, "deny", func(s v1alpha1.GuardrailSetSpec) error {
		if len(s.Rules) != len(before.Spec.Rules) {
			return fmt.Errorf("rules are %v", s.Rules)
		}
		return errors.Join(except("fenced")(s), refuses("privileged", "fenced", true)(s), refuses("privileged", "other", false)(s))
	})
	if after.Labels[v1alpha1.LabelOwner] != "platform.default" {
		t.Errorf("its labels are %v", after.Labels)
	}
	if err := env.Client.Delete(t.Context(), guardrailSet("audit")); err != nil {
		t.Fatal(err)
	}
	setSays(t, "audit", func(v1alpha1.GuardrailSetSpec) error { return nil })
	condition(t, env, platform, "GuardrailsReady", "GuardrailsReady")

	guarded(t, func(g *v1alpha1.PlatformGuardrails) {
		g.Rules = []v1alpha1.GuardrailRule{{ID: "no-such-rule", Mode: v1alpha1.GuardrailOff}}
	})
	slip := ready(t, env, platform, "RuleUnknown")
	if !strings.Contains(slip.Message, "spec.guardrails.rules[no-such-rule]: there is no rule no-such-rule") {
		t.Errorf("it says %q", slip.Message)
	}
	setSays(t, "deny", refuses("privileged", "anybody", true))
}

// settled waits until the sets say what the Platform says.
func settled(t *testing.T) {
	t.Helper()
	testenv.Eventually(t, func() error {
		p := &v1alpha1.Platform{}
		var tenants v1alpha1.TenantList
		var live v1alpha1.GuardrailSetList
		err := errors.Join(env.Client.Get(t.Context(), types.NamespacedName{Name: v1alpha1.PlatformName}, p), env.Client.List(t.Context(), &tenants), env.Client.List(t.Context(), &live))
		if err != nil {
			return err
		}
		step := readiness.Guardrails("", guardrail.Sets(p, tenants.Items, nil), live.Items, nil)
		if step.Trouble != nil {
			return errors.New(step.Trouble.Message)
		}
		return nil
	})
}

// O7: with nothing changing the sets are not written, and a restart writes nothing.
func TestO7GuardrailSetsAreLeft(t *testing.T) {
	stop := env.Operator(t, clock.RealClock{})
	e := exception("calm-except", "nobodys", time.Now().Add(time.Hour))
	create(t, env, e)
	ready(t, env, e, "TeamNotFound")
	settled(t)
	seen := func() (out []string) {
		for _, name := range setNames {
			out = append(out, version(t, setSays(t, name, func(v1alpha1.GuardrailSetSpec) error { return nil })))
		}
		return append(out, version(t, e))
	}
	before := seen()
	stop()
	looked := reconciles(t)
	env.Operator(t, clock.RealClock{})
	testenv.Eventually(t, func() error {
		for _, controller := range []string{"guardrail", "guardrailexception"} {
			if reconciles(t)[controller] == looked[controller] {
				return fmt.Errorf("%s has not looked yet", controller)
			}
		}
		return nil
	})
	if after := seen(); !slices.Equal(before, after) {
		t.Errorf("a restart wrote: versions are %v, were %v", after, before)
	}
}

func exception(name, team string, until time.Time, rules ...string) *v1alpha1.GuardrailException {
	if len(rules) == 0 {
		rules = []string{"privileged"}
	}
	return &v1alpha1.GuardrailException{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.GuardrailExceptionSpec{
		Team: team, Rules: rules, Reason: "the old agent", RequestedBy: "ana", Expires: metav1.NewTime(until)}}
}

// workload is a Deployment whose container is privileged, or not.
func workload(name, team string, privileged bool) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-" + team, Name: name, Labels: labels}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "c", Image: "nginx:1.27-alpine", SecurityContext: &corev1.SecurityContext{Privileged: &privileged}}}}}}}
}

// An exception holds from its approval to its end, which the policies read themselves;
// after it, also where the operator was down then, it is said what still runs on it.
func TestExceptionEndsByItself(t *testing.T) {
	start := time.Now().Truncate(time.Second)
	now := clocktesting.NewFakePassiveClock(start)
	stop := env.Operator(t, now)
	env.StandIn(t)
	people(t, "lenient")
	team := &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "lenient"}}
	e := exception("old-agent", "lenient", start.Add(30*24*time.Hour))
	e.Spec.Selector = &v1alpha1.GuardrailSelector{MatchLabels: map[string]v1alpha1.ClaimLabelValue{"app": "agent"}}
	create(t, env, e)
	ready(t, env, e, "AwaitingApproval")
	setSays(t, "deny", except("lenient"))
	if err := words(env.Client, e, "approval", "bo"); err != nil {
		t.Fatal(err)
	}
	ready(t, env, e, "Active")
	for _, name := range setNames {
		setSays(t, name, except("lenient", "old-agent"))
	}
	condition(t, env, team, "ExceptionsValid", "ExceptionsHold")
	agent := workload("agent", "lenient", true)
	create(t, env, agent, workload("other", "lenient", true), workload("sound", "lenient", false))

	stop()
	now.SetTime(start.Add(24 * 24 * time.Hour))
	stop = env.Operator(t, now)
	ready(t, env, e, "ExpiringSoon")
	condition(t, env, team, "ExceptionsValid", "ExceptionEndsSoon")
	stop()
	now.SetTime(start.Add(31 * 24 * time.Hour))
	setSays(t, "deny", except("lenient", "old-agent")) // nobody took it away, and its end is in it
	stop = env.Operator(t, now)
	ready(t, env, e, "Expired")
	condition(t, env, e, "Cleared", "StillRunning")
	if !slices.Equal(e.Status.Living, []string{"Deployment agent"}) { // what the selector does not fit was never excepted
		t.Errorf("on it run %v", e.Status.Living)
	}
	lapsed := condition(t, env, team, "ExceptionsValid", "ExceptionLapsed")
	if !strings.Contains(lapsed.Message, "old-agent (privileged) ended") || !strings.Contains(lapsed.Message, "Deployment agent") {
		t.Errorf("the Tenant says %q", lapsed.Message)
	}
	if !meta.IsStatusConditionTrue(team.Status.Conditions, "Ready") {
		t.Error("an exception that ended took the Tenant's Ready away")
	}
	setSays(t, "deny", except("lenient", "old-agent")) // so that a refusal can say that it ended
	told(t, "old-agent", "Requested", "Approved", "Active", "ExpiringSoon", "Ended", "StillRunning")

	agent.Spec.Template.Spec.Containers[0].SecurityContext.Privileged = ptr.To(false)
	if err := env.Client.Update(t.Context(), agent); err != nil {
		t.Fatal(err)
	}
	condition(t, env, e, "Cleared", "NothingLeft")
	testenv.Eventually(t, func() error {
		if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(team), team); err != nil {
			return err
		}
		if c := meta.FindStatusCondition(team.Status.Conditions, "ExceptionsValid"); c != nil {
			return fmt.Errorf("the Tenant still says %+v", c)
		}
		return nil
	})
	told(t, "old-agent", "NothingLeft")
	stop()
	now.SetTime(start.Add(38 * 24 * time.Hour))
	env.Operator(t, now)
	setSays(t, "deny", except("lenient"))
}

// What nobody can approve is refused, and what is revoked, or whose team goes, leaves the
// sets before it is said to have ended.
func TestExceptionEndsOtherwise(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	guarded(t, func(g *v1alpha1.PlatformGuardrails) { g.Exceptions.MaxDays = ptr.To[int32](10) })
	people(t, "waived")
	soon := time.Now().Add(48 * time.Hour)
	long, unknown := exception("waived-long", "waived", time.Now().Add(11*24*time.Hour)), exception("waived-rule", "waived", soon, "privileged", "no-such-rule")
	one, two := exception("waived-one", "waived", soon), exception("waived-two", "waived", soon)
	create(t, env, long, unknown, one, two)
	ready(t, env, long, "ExpiryAboveLimit")
	if c := ready(t, env, unknown, "RuleUnknown"); !strings.Contains(c.Message, "there is no rule no-such-rule") {
		t.Errorf("it says %q", c.Message)
	}
	told(t, "waived-rule", "Requested", "Refused")
	for _, e := range []*v1alpha1.GuardrailException{one, two} {
		if err := words(env.Client, e, "approval", "bo"); err != nil {
			t.Fatal(err)
		}
		ready(t, env, e, "ExpiringSoon") // it is shorter than the warning
	}
	setSays(t, "deny", except("waived", "waived-one", "waived-two"))
	if err := words(env.Client, one, "revocation", "bo"); err != nil {
		t.Fatal(err)
	}
	ready(t, env, one, "Revoked")
	if err := except("waived", "waived-two")(setSays(t, "deny", func(v1alpha1.GuardrailSetSpec) error { return nil }).Spec); err != nil {
		t.Errorf("it is said to be revoked, and %v", err)
	}
	if err := env.Client.Delete(t.Context(), &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "waived"}}); err != nil {
		t.Fatal(err)
	}
	ready(t, env, two, "TeamGone")
	setSays(t, "deny", except("waived"))
}

// Who asks for an exception is the team, who approves it is another whom the contract
// names, and it has an end that is not too far.
func TestExceptionPolicy(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	grantsPolicy(t)
	platformPeople(t, "sre")
	people(t, "exc")
	ana, fay, bo := person(t, "ana", "team-exc"), person(t, "fay", "team-exc"), person(t, "bo", "sre")
	ctx := t.Context()
	soon := time.Now().Add(48 * time.Hour)
	testenv.Eventually(t, func() error { return ana.Create(ctx, exception("exc-a", "exc", soon), client.DryRunAll) })
	testenv.Eventually(t, func() error { // a policy whose parameter's kind is new holds later
		return refusedWith(ana.Create(ctx, exception("exc-a", "exc", time.Now().Add(92*24*time.Hour)), client.DryRunAll), "for 90 days at most")
	})
	own := exception("exc-own", "exc", soon)
	own.Spec.RequestedBy = "bo"
	testenv.Eventually(t, func() error { return bo.Create(ctx, own) })
	guarded(t, func(g *v1alpha1.PlatformGuardrails) { g.Exceptions.MaxDays = ptr.To[int32](1) })
	testenv.Eventually(t, func() error {
		return refusedWith(ana.Create(ctx, exception("exc-b", "exc", soon), client.DryRunAll), "for 1 days at most")
	})
	guarded(t, func(g *v1alpha1.PlatformGuardrails) { g.Exceptions.MaxDays = nil })
	asked := exception("exc-asked", "exc", soon)
	testenv.Eventually(t, func() error { return ana.Create(ctx, asked) })
	ready(t, env, asked, "AwaitingApproval")

	approved := exception("exc-done", "exc", soon)
	approved.Spec.Approval = &v1alpha1.Approval{By: "ana"}
	merge := func(c client.Client, patch string) error {
		return c.Patch(ctx, asked.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch)))
	}
	for what, r := range map[string]struct {
		err  error
		says string
	}{
		"asking as somebody else":        {fay.Create(ctx, exception("exc-x", "exc", soon)), "spec.requestedBy is who asks"},
		"asking with the approval":       {ana.Create(ctx, approved), "comes without spec.approval"},
		"asking for a time that is past": {ana.Create(ctx, exception("exc-past", "exc", time.Now().Add(-time.Minute))), "is past: name a time that is to come"},
		"asking for another team": {person(t, "eve", "team-nobodys").Create(ctx, func() *v1alpha1.GuardrailException {
			e := exception("exc-eve", "exc", soon)
			e.Spec.RequestedBy = "eve"
			return e
		}()), "cannot create"},
		"approving one's own":            {words(bo, own, "approval", "bo"), "nobody approves what they asked for themselves"},
		"the team approves its own":      {words(fay, asked, "approval", "fay"), "you may not approve this for team exc"},
		"approving as another":           {words(bo, asked, "approval", "fay"), "spec.approval.by is who approves"},
		"another rule afterwards":        {merge(ana, `{"spec":{"rules":["privileged","host-path"]}}`), "not prolonged"},
		"a later end":                    {merge(ana, `{"spec":{"expires":"2099-01-01T00:00:00Z"}}`), "not prolonged"},
		"a wider selector":               {merge(ana, `{"spec":{"selector":{"matchLabels":{"a":"b"}}}}`), "not prolonged"},
		"a label on it":                  {merge(ana, `{"metadata":{"labels":{"a":"b"}}}`), "stay as they were"},
		"the status, as the team":        {ana.Status().Patch(ctx, asked.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"status":{"approvedAt":"2026-01-01T00:00:00Z"}}`))), "cannot patch"},
		"deleting it, as the team":       {ana.Delete(ctx, asked.DeepCopy()), "cannot delete"},
		"writing a set, as the team":     {ana.Create(ctx, guardrailSet("deny")), "cannot create"},
		"writing a set, as the platform": {bo.Patch(ctx, guardrailSet("deny"), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"rules":null}}`))), "cannot patch"},
	} {
		if err := refusedWith(r.err, r.says); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := words(bo, asked, "approval", "bo"); err != nil {
		t.Errorf("approving what another asked for: %v", err)
	}
	if err := words(ana, asked, "revocation", "ana"); err != nil {
		t.Errorf("revoking one's own: %v", err)
	}
	ready(t, env, asked, "Revoked")
}

// The sets are the operator's to write and nobody's to delete, and the Platform is not
// deleted in passing: cluster administrators are refused too.
func TestGuardrailsAreProtected(t *testing.T) {
	chart, err := testenv.Chart("demarc-system", "argocd")
	if err != nil {
		t.Fatal(err)
	}
	stop := env.Operator(t, clock.RealClock{})
	for _, name := range setNames {
		setSays(t, name, func(v1alpha1.GuardrailSetSpec) error { return nil })
	}
	stop() // it is not the account that the policy knows
	platform := &v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.PlatformName}}
	t.Cleanup(func() { // a policy holds some moments after it went
		testenv.Eventually(t, func() error { return env.Client.Delete(context.Background(), platform.DeepCopy(), client.DryRunAll) })
	})
	for _, o := range chart {
		if slices.Contains([]string{"demarc-guardrail-sets", "demarc-platform"}, o.GetName()) {
			create(t, env, o)
			t.Cleanup(func() { _ = env.Client.Delete(context.Background(), o) })
		}
	}
	ctx, deny := t.Context(), guardrailSet("deny")
	config := rest.CopyConfig(env.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:demarc-system:demarc-operator", Groups: []string{"system:masters"}}
	operator, err := client.New(config, client.Options{Scheme: env.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	nothing := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"rules":null}}`))
	for what, try := range map[string]struct {
		do   func() error
		says string
	}{
		"a set changed":                     {func() error { return env.Client.Patch(ctx, deny.DeepCopy(), nothing, client.DryRunAll) }, "Demarc's operator writes this alone"},
		"a set deleted":                     {func() error { return env.Client.Delete(ctx, deny.DeepCopy(), client.DryRunAll) }, "it is never deleted"},
		"a set deleted by the operator":     {func() error { return operator.Delete(ctx, deny.DeepCopy(), client.DryRunAll) }, "it is never deleted"},
		"all sets deleted":                  {func() error { return env.Client.DeleteAllOf(ctx, deny.DeepCopy(), client.DryRunAll) }, "it is never deleted"},
		"the Platform deleted in passing":   {func() error { return env.Client.Delete(ctx, platform.DeepCopy(), client.DryRunAll) }, "kubectl annotate platform default demarc.dev/allow-deletion=REASON"},
		"the Platform deleted by the other": {func() error { return operator.Delete(ctx, platform.DeepCopy(), client.DryRunAll) }, "allow-deletion"},
	} {
		testenv.Eventually(t, func() error {
			if err := refusedWith(try.do(), try.says); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			return nil
		})
	}
	if err := operator.Patch(ctx, deny.DeepCopy(), nothing, client.DryRunAll); err != nil {
		t.Errorf("the operator changes a set: %v", err)
	}
	annotate := func(value string) error {
		return env.Client.Patch(context.Background(), platform.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"demarc.dev/allow-deletion":`+value+`}}}`)))
	}
	t.Cleanup(func() {
		if err := annotate("null"); err != nil {
			t.Error(err)
		}
	})
	if err := annotate(`" "`); err != nil {
		t.Fatal(err)
	}
	if err := env.Client.Delete(ctx, platform.DeepCopy(), client.DryRunAll); !apierrors.IsForbidden(err) {
		t.Errorf("without a reason: %v", err)
	}
	if err := annotate(`"a new cluster"`); err != nil {
		t.Fatal(err)
	}
	if err := env.Client.Delete(ctx, platform.DeepCopy(), client.DryRunAll); err != nil {
		t.Errorf("with a reason: %v", err)
	}
}
