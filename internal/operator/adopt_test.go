package operator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/testenv"
)

// settler is a namespace as somebody had it before there was a Tenant.
func settler(team string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-" + team,
		Labels:      map[string]string{"pod-security.kubernetes.io/enforce": "privileged", "cost": "42"},
		Annotations: map[string]string{"note": "theirs"}}}
}

// What was adopted is kept like what was made, and stays when the Tenant goes.
func TestAdoption(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	ns := settler("settled")
	theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "theirs"}}
	create(t, env, ns, theirs)
	before := ns.DeepCopy()

	team := tenant("settled")
	create(t, env, team)
	taken := condition(t, env, team, "NamespaceReady", "NamespaceTaken")
	if !strings.Contains(taken.Message, "spec.adopt: true") {
		t.Errorf("it does not say how to take it over: %q", taken.Message)
	}
	same(t, before)

	team.Spec.Adopt = true
	if err := env.Client.Update(t.Context(), team); err != nil {
		t.Fatal(err)
	}
	ready(t, env, team, "TenantReady")
	get(t, ns)
	if ns.Labels["pod-security.kubernetes.io/enforce"] != "baseline" || ns.Labels["cost"] != "42" || ns.Annotations["note"] != "theirs" {
		t.Errorf("adopted as %v %v", ns.Labels, ns.Annotations)
	}

	remove(t, team)
	isGone(t, team)
	get(t, ns)
	if diff := cmp.Diff(before.Labels, ns.Labels); diff != "" {
		t.Errorf("labels (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(before.Annotations, ns.Annotations); diff != "" {
		t.Errorf("annotations (-before +after):\n%s", diff)
	}
	if ns.DeletionTimestamp != nil {
		t.Error("it is being deleted")
	}
	get(t, theirs)
	for _, o := range []client.Object{
		&corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "demarc"}},
		&corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "demarc"}},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "demarc-deliver"}},
		&networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "demarc-isolation"}},
		&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "demarc-edit"}},
	} {
		isGone(t, o)
	}
}

// A second life: a namespace that was let go can be adopted again.
func TestAdoptionTwice(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	create(t, env, settler("again"))
	for range 2 {
		team := tenant("again")
		team.Spec.Adopt = true
		create(t, env, team)
		ready(t, env, team, "TenantReady")
		remove(t, team)
		isGone(t, team)
	}
}

// Adoption takes what is nobody's: another Tenant's namespace, or one that is going, is not.
func TestAdoptionTakesNothingOfAnothers(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	ns := settler("foreign")
	ns.Labels[v1alpha1.LabelOwner] = "tenant.other"
	create(t, env, ns)
	before := ns.DeepCopy()
	team := tenant("foreign")
	team.Spec.Adopt = true
	create(t, env, team)
	if said := condition(t, env, team, "NamespaceReady", "NamespaceTaken"); !strings.Contains(said.Message, "Demarc's tenant.other") {
		t.Errorf("it says %q", said.Message)
	}
	same(t, before)
	// Not adopted, so not let go with marks of ours taken off: nothing is written to it.
	remove(t, team)
	isGone(t, team)
	same(t, before)

	going := settler("leaving")
	going.Finalizers = []string{"example.com/hold"}
	create(t, env, going)
	remove(t, going)
	late := tenant("leaving")
	late.Spec.Adopt = true
	create(t, env, late)
	condition(t, env, late, "NamespaceReady", "NamespaceTerminating")
}

// Objects in an adopted namespace that have our names are not ours: adoption of a
// namespace is not adoption of what is in it.
func TestAdoptionLeavesObjectsOfOurNames(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	ns := settler("mixed")
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "demarc"}}
	create(t, env, ns, quota)
	team := tenant("mixed")
	team.Spec.Adopt = true
	create(t, env, team)
	condition(t, env, team, "QuotaReady", "ObjectTaken")
	remove(t, team)
	isGone(t, team)
	get(t, quota)
}

func get(t *testing.T, o client.Object) {
	t.Helper()
	if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
		t.Fatal(err)
	}
}

// same fails where an object was written to.
func same(t *testing.T, before *corev1.Namespace) {
	t.Helper()
	now := before.DeepCopy()
	get(t, now)
	if now.ResourceVersion != before.ResourceVersion {
		t.Errorf("namespace %s was written to: %v", now.Name, now.Labels)
	}
}

// event waits for an Event of a reason about an object and returns its words.
func event(t *testing.T, about client.Object, reason string) (note string) {
	t.Helper()
	testenv.Eventually(t, func() error {
		var list corev1.EventList
		if err := env.Client.List(context.Background(), &list); err != nil {
			return err
		}
		for _, e := range list.Items {
			if e.InvolvedObject.Name == about.GetName() && e.Reason == reason {
				note = e.Message
				return nil
			}
		}
		return fmt.Errorf("no Event %s about %s", reason, about.GetName())
	})
	return note
}
