package operator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/testenv"
)

// What triage finds stands in the claim's condition and its Events, is counted by the Tenant
// and measured, outlives the operator, and goes when it is mended.
func TestClaimCarriesItsRootFinding(t *testing.T) {
	now := clocktesting.NewFakePassiveClock(time.Now())
	stop := env.Operator(t, now)
	env.StandIn(t)
	team, web := tenant("sick"), claim("sick-web", "sick")
	create(t, env, team, web)
	ready(t, env, web, "Running")

	broken := cannotPull(t, web)
	passes(t, now) // until the pods are no news any more, and it is time to look
	found := condition(t, env, web, "Diagnosed", "DM109")
	for _, want := range []string{"of deployment sick-web in team-sick is not in its registry", "registry.example/web:nope", "Next, team: "} {
		if !strings.Contains(found.Message, want) {
			t.Errorf("it does not say %q: %s", want, found.Message)
		}
	}
	if f := web.Status.Findings; len(f) == 0 || f[0].ID != "DM109" || f[0].Owner != v1alpha1.PartyTeam || f[0].Severity != "error" {
		t.Errorf("the claim lists %+v", f)
	}
	// No controller runs here that would take up the Deployment, which triage tells too.
	counts(t, team, int32(len(web.Status.Findings)))
	const opened = "DM109 of Deployment/sick-web in team-sick, for the team: "
	testenv.Eventually(t, func() error {
		if n := eventsOf(t, web, "FindingOpened", opened); n != 1 {
			return fmt.Errorf("%d Events say %q", n, opened)
		}
		return nil
	})
	const figure = "application-deployment DM109 team error sick 1"
	measured(t, figure, true)

	stop()
	measured(t, figure, false)
	stop = env.Operator(t, now)
	measured(t, figure, true)
	condition(t, env, web, "Diagnosed", "DM109")

	for _, o := range broken {
		if err := env.Client.Delete(t.Context(), o, client.GracePeriodSeconds(0)); err != nil {
			t.Fatal(err)
		}
	}
	testenv.Eventually(t, func() error {
		if err := env.Client.Get(context.Background(), client.ObjectKeyFromObject(web), web); err != nil {
			return err
		}
		if c := meta.FindStatusCondition(web.Status.Conditions, "Diagnosed"); c != nil || len(web.Status.Findings) > 0 {
			return fmt.Errorf("it still says %+v and lists %+v", c, web.Status.Findings)
		}
		return nil
	})
	event(t, web, "FindingClosed")
	if n := eventsOf(t, web, "FindingOpened", opened); n != 1 {
		t.Errorf("%d Events say that it opened, want that of the first operator alone", n)
	}
	counts(t, team, 0)
	measured(t, figure, false)
	stop()
}

// passes has a clock go on for the rest of a test, a minute in a fifth of a second: a jump in
// the middle of a look would have it ended in a time that never passes.
func passes(t *testing.T, now *clocktesting.FakePassiveClock) {
	t.Helper()
	over, done := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(over); <-done })
	go func() {
		defer close(done)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				now.SetTime(now.Now().Add(time.Minute))
			}
		}
	}()
}

// cannotPull makes a pod of a claim's Deployment as the kubelet leaves one whose image is not
// there.
func cannotPull(t *testing.T, of *v1alpha1.ServiceClaim) []client.Object {
	t.Helper()
	owned := metav1.ObjectMeta{Namespace: v1alpha1.NamespaceOf(of.Spec.Team), Name: of.Name}
	d := &appsv1.Deployment{}
	if err := env.Client.Get(t.Context(), types.NamespacedName{Namespace: owned.Namespace, Name: owned.Name}, d); err != nil {
		t.Fatal(err)
	}
	owned.Labels = d.Spec.Template.Labels
	template := d.Spec.Template.DeepCopy()
	template.Spec.Containers[0].Image = "registry.example/web:nope"
	owned.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))}
	set := &appsv1.ReplicaSet{ObjectMeta: owned, Spec: appsv1.ReplicaSetSpec{Selector: d.Spec.Selector, Template: *template}}
	create(t, env, set)
	owned.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))}
	pod := &corev1.Pod{ObjectMeta: owned, Spec: template.Spec}
	pod.Spec.NodeName = "sick-node"
	create(t, env, pod)
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ContainersNotReady", LastTransitionTime: metav1.Now()}},
		ContainerStatuses: []corev1.ContainerStatus{{Name: pod.Spec.Containers[0].Name, Image: pod.Spec.Containers[0].Image,
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff",
				Message: `Back-off pulling image "registry.example/web:nope": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/web:nope": failed to resolve reference "registry.example/web:nope": registry.example/web:nope: not found`}}}}}
	if err := env.Client.Status().Update(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	return []client.Object{pod, set}
}

// counts waits until a Tenant counts so many open findings.
func counts(t *testing.T, team *v1alpha1.Tenant, want int32) {
	t.Helper()
	testenv.Eventually(t, func() error {
		if err := env.Client.Get(context.Background(), client.ObjectKeyFromObject(team), team); err != nil {
			return err
		}
		if f := team.Status.Findings; (f == nil) != (want == 0) || f != nil && (f.Open != want || f.Errors != want) {
			return fmt.Errorf("the Tenant counts %+v, want %d", f, want)
		}
		return nil
	})
}

// measured waits until the operator's figure of a finding of a team is there, or is not.
func measured(t *testing.T, labels string, want bool) {
	t.Helper()
	testenv.Eventually(t, func() error {
		families, err := metrics.Registry.Gather()
		if err != nil {
			return err
		}
		var have []string
		for _, f := range families {
			if f.GetName() != "demarc_findings" {
				continue
			}
			for _, m := range f.GetMetric() {
				var values []string
				for _, l := range m.GetLabel() {
					values = append(values, l.GetValue())
				}
				have = append(have, fmt.Sprint(strings.Join(values, " "), " ", m.GetGauge().GetValue()))
			}
		}
		if slices.Contains(have, labels) != want {
			return fmt.Errorf("the figures are %q, want %v for %s", have, want, labels)
		}
		return nil
	})
}

// eventsOf counts the Events of a reason about an object that begin so.
func eventsOf(t *testing.T, about client.Object, reason, says string) (n int32) {
	t.Helper()
	var list eventsv1.EventList
	if err := env.Client.List(t.Context(), &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Items {
		if e.Regarding.Name == about.GetName() && e.Reason == reason && strings.HasPrefix(e.Note, says) {
			n++
			if e.Series != nil {
				n += e.Series.Count - 1
			}
		}
	}
	return n
}
