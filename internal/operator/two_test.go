package operator_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
)

// Two operators by mistake, neither with a lead to wait for, keep the same objects: all become Ready, nothing flaps,
// and when they are done both are quiet. A team goes down once.
func TestTwoOperatorsByMistake(t *testing.T) {
	env.StandIn(t)
	var a, b recorded
	a.env(env).Operator(t, clock.RealClock{})
	b.env(env).Operator(t, clock.RealClock{})
	var objects []client.Object
	for i := range 4 {
		name := fmt.Sprintf("twice-%d", i)
		objects = append(objects, tenant(name), claim(name+"-a", name), claim(name+"-b", name))
	}
	flaps := followReady(t)
	create(t, env, objects...)
	for _, o := range objects {
		becomesReady(t, o)
	}
	a.quiet(t, 10*time.Second)
	b.quiet(t, 10*time.Second)
	if seen := flaps(); len(seen) > 0 {
		t.Errorf("these were Ready and were not any more: %v", seen)
	}

	for _, c := range objects[:3] {
		remove(t, c)
	}
	isGone(t, objects[1])
	isGone(t, objects[2])
	isGone(t, kube.Named(argocd.ProjectKind, "argocd", "team-twice-0"))
	condition(t, env, objects[0], "ClaimsDrained", "NamespaceDeleting")
	for _, o := range objects[3:] {
		becomesReady(t, o)
	}
}

func becomesReady(t *testing.T, o client.Object) {
	t.Helper()
	reason := "Running"
	if _, ok := o.(*v1alpha1.Tenant); ok {
		reason = "TenantReady"
	}
	ready(t, env, o, reason)
}

// followReady watches Tenants and claims, and tells which lost their Ready.
func followReady(t *testing.T) (flaps func() []string) {
	t.Helper()
	watching, err := client.NewWithWatch(env.Config, client.Options{Scheme: env.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	wasReady := map[string]bool{}
	var lost []string
	for _, list := range []client.ObjectList{&v1alpha1.TenantList{}, &v1alpha1.ServiceClaimList{}} {
		w, err := watching.Watch(context.Background(), list)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Stop)
		go func() {
			for event := range w.ResultChan() {
				o, ok := event.Object.(client.Object)
				if !ok || o.GetDeletionTimestamp() != nil {
					continue
				}
				name := fmt.Sprintf("%T %s", o, o.GetName())
				is := meta.IsStatusConditionTrue(conditions(o), "Ready")
				mu.Lock()
				if wasReady[name] && !is {
					lost = append(lost, fmt.Sprintf("%s: %+v", name, meta.FindStatusCondition(conditions(o), "Ready")))
				}
				wasReady[name] = is
				mu.Unlock()
			}
		}()
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		if len(wasReady) == 0 {
			t.Error("the watch saw nothing")
		}
		return append([]string{}, lost...)
	}
}
