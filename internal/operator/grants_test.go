package operator_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/testenv"
)

// grantsPolicy puts the chart's policy on grants into the API server. Of the template only
// the labels are filled in.
func grantsPolicy(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile("../../charts/demarc/templates/policies/grants.yaml")
	if err != nil {
		t.Fatal(err)
	}
	admitted := func() error {
		return env.Client.Create(context.Background(), grant("probe", "probe", "nobody", "view", "1h"), client.DryRunAll)
	}
	t.Cleanup(func() { testenv.Eventually(t, admitted) }) // nor does it go at once, and the next test would meet it
	const labels = "  labels:\n    {{- include \"demarc.labels\" . | nindent 4 }}\n"
	for _, doc := range strings.Split(strings.ReplaceAll(string(text), labels, ""), "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(doc), &u.Object); err != nil {
			t.Fatal(err)
		}
		if err := env.Client.Create(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = env.Client.Delete(context.Background(), u) })
	}
	testenv.Eventually(t, func() error { // a policy holds some moments after it was written
		if err := admitted(); !apierrors.IsForbidden(err) {
			return fmt.Errorf("the policy does not hold yet: %v", err)
		}
		return nil
	})
}

// person is a client of somebody of some groups.
func person(t *testing.T, name string, groups ...string) client.Client {
	t.Helper()
	config := rest.CopyConfig(env.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: name, Groups: append(groups, "system:authenticated")}
	c, err := client.New(config, client.Options{Scheme: env.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// platformPeople makes a group the platform's.
func platformPeople(t *testing.T, group string) {
	t.Helper()
	set := func(groups ...string) {
		p := &v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.PlatformName}}
		patch := fmt.Sprintf(`{"spec":{"team":{"groups":[%q]}}}`, strings.Join(groups, ""))
		if len(groups) == 0 {
			patch = `{"spec":{"team":null}}`
		}
		if err := env.Client.Patch(context.Background(), p, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
			t.Error(err)
		}
	}
	set(group)
	t.Cleanup(func() { set() })
}

func grant(name, team, by, role, duration string) *v1alpha1.AccessGrant {
	return &v1alpha1.AccessGrant{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.AccessGrantSpec{
		Team: team, User: by, Role: role, Reason: "incident 7", Duration: duration, RequestedBy: by}}
}

// words sets spec.approval or spec.revocation of something that was asked for.
func words(c client.Client, o client.Object, field, by string) error {
	patch := fmt.Sprintf(`{"spec":{%q:{"by":%q}}}`, field, by)
	return c.Patch(context.Background(), o.DeepCopyObject().(client.Object), client.RawPatch(types.MergePatchType, []byte(patch)))
}

func refusedWith(err error, text string) error {
	if !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), text) {
		return fmt.Errorf("got %v, want it refused with %q", err, text)
	}
	return nil
}

// team makes a Tenant whose people are the group team-<name>, and waits for their rights.
func people(t *testing.T, name string) {
	t.Helper()
	team := tenant(name)
	create(t, env, team)
	ready(t, env, team, "TenantReady")
}

// Who asks, who approves and who revokes is who the API server says it is, and nobody is
// both.
func TestGrantsPolicy(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	grantsPolicy(t)
	platformPeople(t, "sre")
	people(t, "pol")
	people(t, "pol-other")
	ana, eve := person(t, "ana", "team-pol"), person(t, "eve", "team-pol-other")
	bo, cy := person(t, "bo", "sre"), person(t, "cy", "sre", "on-call")

	ctx := t.Context()
	testenv.Eventually(t, func() error { return ana.Create(ctx, grant("pol-a", "pol", "ana", "operate", "2h"), client.DryRunAll) })
	testenv.Eventually(t, func() error { return bo.Create(ctx, grant("pol-b", "pol", "bo", "edit", "2h"), client.DryRunAll) })
	testenv.Eventually(t, func() error {
		return eve.Create(ctx, grant("pol-e", "pol-other", "eve", "view", "2h"), client.DryRunAll)
	})

	lies := grant("pol-lie", "pol", "ana", "operate", "2h")
	done := grant("pol-done", "pol", "ana", "operate", "2h")
	done.Spec.Approval = &v1alpha1.Approval{By: "ana"}
	held := grant("pol-held", "pol", "ana", "operate", "2h")
	held.Finalizers = []string{"x.example/y"}
	for what, r := range map[string]struct {
		err  error
		says string
	}{
		"asking as somebody else":       {eve.Create(ctx, lies), "spec.requestedBy is who asks"},
		"asking for another team":       {eve.Create(ctx, grant("pol-x", "pol", "eve", "view", "1h")), "who has a role in its Tenant may"},
		"asking with the approval":      {ana.Create(ctx, done), "comes without spec.approval"},
		"asking with a finalizer":       {ana.Create(ctx, held), "are Demarc's to set here"},
		"asking for everybody":          {ana.Create(ctx, withGroup(grant("pol-all", "pol", "ana", "view", "1h"), "system:authenticated")), "system: groups are everybody"},
		"asking without a reason":       {ana.Create(ctx, withoutReason(grant("pol-why", "pol", "ana", "view", "1h"))), "say why"},
		"asking for a role of another":  {ana.Create(ctx, grant("pol-adm", "pol", "ana", "cluster-admin", "1h")), "Unsupported value"},
		"asking for no end":             {ana.Create(ctx, grant("pol-ever", "pol", "ana", "view", "9999h")), "between 1m and 168h"},
		"the administrator asks for it": {env.Client.Create(ctx, grant("pol-root", "pol", "ana", "view", "1h")), "spec.requestedBy is who asks"},
	} {
		if err := refusedWith(r.err, r.says); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}

	asked, own := grant("pol-a", "pol", "ana", "operate", "2h"), grant("pol-own", "pol", "bo", "edit", "2h")
	forGroup := withGroup(grant("pol-group", "pol", "ana", "operate", "2h"), "on-call")
	for c, o := range map[client.Client]*v1alpha1.AccessGrant{ana: asked, bo: own} {
		if err := c.Create(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := ana.Create(ctx, forGroup); err != nil {
		t.Fatal(err)
	}
	longer := []byte(`{"spec":{"duration":"8h"}}`)
	label := []byte(`{"metadata":{"labels":{"a":"b"}}}`)
	free := []byte(`{"metadata":{"finalizers":null,"annotations":{"argocd.argoproj.io/tracking-id":"x"}}}`)
	for what, r := range map[string]struct {
		err  error
		says string
	}{
		"approving one's own":                {words(bo, own, "approval", "bo"), "nobody approves what they asked for themselves"},
		"approving without the verb":         {words(ana, own, "approval", "ana"), "you may not approve this for team pol"},
		"approving as another":               {words(cy, asked, "approval", "bo"), "spec.approval.by is who approves"},
		"approving for a group one is in":    {words(cy, forGroup, "approval", "cy"), "for a group they are in"},
		"another team revokes":               {words(eve, asked, "revocation", "eve"), "who asked for it, whom it is for and who may approve it revoke it"},
		"revoking as another":                {words(ana, asked, "revocation", "bo"), "spec.revocation.by is who revokes"},
		"asking for more afterwards":         {ana.Patch(ctx, asked.DeepCopy(), client.RawPatch(types.MergePatchType, longer)), "not prolonged"},
		"a label on it":                      {eve.Patch(ctx, asked.DeepCopy(), client.RawPatch(types.MergePatchType, label)), "stay as they were"},
		"an annotation that has it pruned":   {bo.Patch(ctx, asked.DeepCopy(), client.RawPatch(types.MergePatchType, free)), "stay as they were"},
		"deleting it, as who asked":          {ana.Delete(ctx, asked.DeepCopy()), "cannot delete"},
		"the status, as who may approve":     {bo.Status().Patch(ctx, asked.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"status":{"expires":"2099-01-01T00:00:00Z"}}`))), "cannot patch"},
		"a budget, as who has not edit":      {eve.Create(ctx, request("pol-budget", "pol", "eve", 4)), "the role edit of its Tenant may"},
		"a budget that is nothing":           {ana.Create(ctx, &v1alpha1.BudgetRequest{ObjectMeta: metav1.ObjectMeta{Name: "pol-none"}, Spec: v1alpha1.BudgetRequestSpec{Team: "pol", Reason: "r", RequestedBy: "ana"}}), "at least one of cpu, memory and pods"},
		"the administrator approves as hers": {words(env.Client, asked, "approval", "ana"), "spec.approval.by is who approves"},
	} {
		if err := refusedWith(r.err, r.says); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Whom it is for ends it where they have a role of any team, and without one cannot.
	forEve, forZed := grant("pol-eve", "pol", "ana", "view", "1h"), grant("pol-zed", "pol", "ana", "view", "1h")
	forEve.Spec.User, forZed.Spec.User = "eve", "zed"
	for _, g := range []*v1alpha1.AccessGrant{forEve, forZed} {
		if err := ana.Create(ctx, g); err != nil {
			t.Fatal(err)
		}
	}
	if err := words(eve, forEve, "revocation", "eve"); err != nil {
		t.Errorf("whom it is for, of another team, takes it back: %v", err)
	}
	if err := refusedWith(words(person(t, "zed"), forZed, "revocation", "zed"), "cannot patch"); err != nil {
		t.Errorf("whom it is for, of no team: %v", err)
	}
	if err := words(bo, asked, "approval", "bo"); err != nil {
		t.Errorf("approving what another asked for: %v", err)
	}
	if err := refusedWith(words(cy, asked, "approval", "cy"), "an approval stays as it was given"); err != nil {
		t.Errorf("approving once more: %v", err)
	}
	ready(t, env, asked, "Active")
	if err := words(ana, asked, "revocation", "ana"); err != nil {
		t.Errorf("revoking one's own: %v", err)
	}
	ready(t, env, asked, "Revoked")
}

func withGroup(g *v1alpha1.AccessGrant, group string) *v1alpha1.AccessGrant {
	g.Spec.User, g.Spec.Group = "", group
	return g
}

func withoutReason(g *v1alpha1.AccessGrant) *v1alpha1.AccessGrant {
	g.Spec.Reason = "  "
	return g
}

func request(name, team, by string, cpu int32) *v1alpha1.BudgetRequest {
	q := intstr.FromInt32(cpu)
	return &v1alpha1.BudgetRequest{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.BudgetRequestSpec{
		Team: team, Resources: v1alpha1.Budget{CPU: &q}, Reason: "a sale", RequestedBy: by}}
}

// bindings of a grant that are there.
func bindings(t *testing.T, name, team string) (there []string) {
	t.Helper()
	for _, o := range []client.Object{
		&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "team-" + team, Name: "demarc-grant-" + name}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "demarc:read:grant:" + name}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "demarc:scale:grant:" + name}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "demarc:claims:grant:" + name}},
	} {
		err := env.Client.Get(context.Background(), client.ObjectKeyFromObject(o), o)
		if err == nil {
			there = append(there, o.GetName()+" "+o.GetAnnotations()[v1alpha1.AnnotationExpires])
		} else if !apierrors.IsNotFound(err) {
			t.Error(err)
		}
	}
	return there
}

// Access is given from the approval on, ends at its time although the operator was down
// then, and does not begin again when the clock is put back.
func TestGrantEndsByItself(t *testing.T) {
	start := time.Now().Truncate(time.Second)
	now := clocktesting.NewFakePassiveClock(start)
	stop := env.Operator(t, now)
	env.StandIn(t)
	people(t, "timed")
	short, long := grant("timed-short", "timed", "ana", "operate", "1h"), grant("timed-long", "timed", "ana", "edit", "3h")
	create(t, env, short, long)
	ready(t, env, short, "AwaitingApproval")
	if there := bindings(t, "timed-short", "timed"); len(there) > 0 {
		t.Errorf("before it was approved there is %v", there)
	}
	for _, g := range []*v1alpha1.AccessGrant{short, long} {
		if err := words(env.Client, g, "approval", "bo"); err != nil {
			t.Fatal(err)
		}
		ready(t, env, g, "Active")
	}
	ends := start.Add(time.Hour).UTC().Format(time.RFC3339)
	if got, want := strings.Join(bindings(t, "timed-short", "timed"), ", "),
		fmt.Sprintf("demarc-grant-timed-short %[1]s, demarc:read:grant:timed-short %[1]s, demarc:scale:grant:timed-short %[1]s", ends); got != want {
		t.Errorf("it gave %q, want %q", got, want)
	}
	testenv.Eventually(t, func() error { return may(person(t, "ana"), "team-timed", true) })

	// Somebody takes the binding away: it is given again.
	if err := env.Client.Delete(t.Context(), &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "team-timed", Name: "demarc-grant-timed-long"}}); err != nil {
		t.Fatal(err)
	}
	testenv.Eventually(t, func() error { return count(bindings(t, "timed-long", "timed"), 3) })

	stop()
	now.SetTime(start.Add(2 * time.Hour))
	if err := count(bindings(t, "timed-short", "timed"), 3); err != nil {
		t.Fatalf("without an operator: %v", err)
	}
	stop = env.Operator(t, now)
	ready(t, env, short, "Expired")
	if err := errors.Join(count(bindings(t, "timed-short", "timed"), 0), count(bindings(t, "timed-long", "timed"), 3)); err != nil {
		t.Error(err)
	}
	stop()
	now.SetTime(start.Add(10 * time.Minute))
	stop = env.Operator(t, now)
	ready(t, env, long, "Active")
	if err := count(bindings(t, "timed-short", "timed"), 0); err != nil {
		t.Errorf("the clock was put back: %v", err)
	}

	// A new look after the warning's moment.
	stop()
	now.SetTime(start.Add(2*time.Hour + 50*time.Minute))
	stop = env.Operator(t, now)
	ready(t, env, long, "ExpiringSoon")
	versions := version(t, long)
	stop()
	env.Operator(t, now)
	testenv.Eventually(t, func() error { return may(person(t, "ana"), "team-timed", true) })
	if after := version(t, long); after != versions {
		t.Errorf("a restart wrote to it: %s, was %s", after, versions)
	}
	told(t, "timed-short", "Requested", "Approved", "Active", "Ended")
	told(t, "timed-long", "Requested", "Approved", "Active", "ExpiringSoon")
	if err := env.Client.Delete(t.Context(), long); err != nil {
		t.Fatal(err)
	}
	testenv.Eventually(t, func() error {
		if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(long), long); !apierrors.IsNotFound(err) {
			return fmt.Errorf("it is still there: %v", err)
		}
		return count(bindings(t, "timed-long", "timed"), 0)
	})
}

func count(there []string, want int) error {
	if len(there) != want {
		return fmt.Errorf("there are %v, want %d", there, want)
	}
	return nil
}

func version(t *testing.T, o client.Object) string {
	t.Helper()
	if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
		t.Fatal(err)
	}
	return o.GetResourceVersion()
}

// may says whether somebody reads pods in a namespace.
func may(c client.Client, namespace string, want bool) error {
	err := c.List(context.Background(), &corev1.PodList{}, client.InNamespace(namespace))
	if (err == nil) != want {
		return fmt.Errorf("reading pods in %s: %v, want that it may: %v", namespace, err, want)
	}
	return nil
}

// told wants Events of these reasons about an object.
func told(t *testing.T, name string, reasons ...string) {
	t.Helper()
	testenv.Eventually(t, func() error {
		var list eventsv1.EventList
		if err := env.Client.List(context.Background(), &list); err != nil {
			return err
		}
		have := map[string]bool{}
		for _, e := range list.Items {
			if e.Regarding.Name == name {
				have[e.Reason] = true
			}
		}
		for _, reason := range reasons {
			if !have[reason] {
				return fmt.Errorf("of %s no Event tells %s: %v", name, reason, have)
			}
		}
		return nil
	})
}

// What is given to a team ends with it, what asks for more than the platform gives is
// refused, and a binding whose grant is gone is taken away.
func TestGrantEndsOtherwise(t *testing.T) {
	stop := env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	people(t, "ends")
	nowhere, tooLong, given := grant("ends-nowhere", "nobodys", "ana", "view", "1h"), grant("ends-long", "ends", "ana", "view", "9h"), grant("ends-given", "ends", "ana", "view", "1h")
	create(t, env, nowhere, tooLong, given)
	ready(t, env, nowhere, "TeamNotFound")
	ready(t, env, tooLong, "DurationAboveLimit")
	told(t, "ends-long", "Requested", "Refused")
	if err := words(env.Client, given, "approval", "bo"); err != nil {
		t.Fatal(err)
	}
	ready(t, env, given, "Active")

	stop()
	left := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "demarc:read:grant:ends-lost",
		Labels: map[string]string{v1alpha1.LabelOwner: "accessgrant.ends-lost", v1alpha1.LabelTeam: "ends"}, Annotations: map[string]string{v1alpha1.AnnotationOwnerUID: "u"}},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "demarc:read"}}
	create(t, env, left)
	env.Operator(t, clock.RealClock{})
	testenv.Eventually(t, func() error { return count(bindings(t, "ends-lost", "ends"), 0) })

	team := &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "ends"}}
	if err := env.Client.Delete(t.Context(), team); err != nil {
		t.Fatal(err)
	}
	ready(t, env, given, "TeamGone")
	if err := count(bindings(t, "ends-given", "ends"), 0); err != nil {
		t.Error(err)
	}
}

// defaultMemory wants a number of pods in the quota, and what a container gets that says nothing.
func defaultMemory(t *testing.T, team, pods, memory string) error {
	t.Helper()
	q, l := &corev1.ResourceQuota{}, &corev1.LimitRange{}
	at := types.NamespacedName{Namespace: "team-" + team, Name: "demarc"}
	if err := errors.Join(env.Client.Get(t.Context(), at, q), env.Client.Get(t.Context(), at, l)); err != nil {
		return err
	}
	hard, limit := q.Spec.Hard[corev1.ResourcePods], l.Spec.Limits[0].Default[corev1.ResourceMemory]
	if hard.String() != pods || limit.String() != memory {
		return fmt.Errorf("with %s pods a container gets %s, want %s of %s", hard.String(), limit.String(), memory, pods)
	}
	return nil
}

// A budget that was approved is laid over the Tenant's, whose spec stays, until its end.
func TestBudgetIsRaised(t *testing.T) {
	start := time.Now().Truncate(time.Second)
	now := clocktesting.NewFakePassiveClock(start)
	stop := env.Operator(t, now)
	env.StandIn(t)
	people(t, "raised")
	endless, timed, small := request("raised-on", "raised", "ana", 3), request("raised-hours", "raised", "ana", 6), request("raised-less", "raised", "ana", 1)
	timed.Spec.Duration, timed.Spec.Resources.Pods = "24h", ptr.To[int64](40)
	create(t, env, endless, timed, small)
	ready(t, env, small, "NotARaise")
	for _, b := range []*v1alpha1.BudgetRequest{endless, timed} {
		ready(t, env, b, "AwaitingApproval")
		if err := words(env.Client, b, "approval", "bo"); err != nil {
			t.Fatal(err)
		}
		ready(t, env, b, "Active")
	}
	quota := func(cpu string, by ...string) {
		t.Helper()
		testenv.Eventually(t, func() error {
			q, team := &corev1.ResourceQuota{}, &v1alpha1.Tenant{}
			if err := errors.Join(env.Client.Get(t.Context(), types.NamespacedName{Namespace: "team-raised", Name: "demarc"}, q),
				env.Client.Get(t.Context(), types.NamespacedName{Name: "raised"}, team)); err != nil {
				return err
			}
			var raises []string
			for _, r := range team.Status.Raises {
				raises = append(raises, r.Request)
			}
			hard := q.Spec.Hard[corev1.ResourceRequestsCPU]
			if hard.String() != cpu || fmt.Sprint(raises) != fmt.Sprint(by) || team.Spec.Resources.CPU.String() != "2" {
				return fmt.Errorf("the quota is %s by %v, spec %s; want %s by %v, spec 2", hard.String(), raises, team.Spec.Resources.CPU, cpu, by)
			}
			return nil
		})
	}
	quota("6", "raised-hours", "raised-on")
	if err := defaultMemory(t, "raised", "40", "256Mi"); err != nil {
		t.Error(err)
	}
	stop()
	now.SetTime(start.Add(25 * time.Hour))
	env.Operator(t, now)
	quota("3", "raised-on")
	ready(t, env, timed, "Expired")
	if err := words(env.Client, endless, "revocation", "bo"); err != nil {
		t.Fatal(err)
	}
	quota("2")
	ready(t, env, endless, "Revoked")
	told(t, "raised-on", "Requested", "Approved", "Active", "Revoked")
}
