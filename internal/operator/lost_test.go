package operator_test

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/testenv"
)

// The API server may carry out a deletion that began before our finalizer was put on.
// What was made for an owner that was lost so is taken down again.
func TestOwnerLostWhileItsFinalizerWasPutOn(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team := tenant("moment")
	create(t, env, team)
	ready(t, env, team, "TenantReady")
	service := lose(t, "claim", func(n int) client.Object { return claim(fmt.Sprintf("moment-%d", n), "moment") },
		func(o client.Object) client.Object {
			return kube.Named(argocd.ApplicationKind, "argocd", "moment."+o.GetName())
		})
	isGone(t, kube.Named(argocd.ApplicationKind, "argocd", "moment."+service))
	isGone(t, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-moment", Name: service}})

	lost := lose(t, "tenant", func(n int) client.Object { return tenant(fmt.Sprintf("moment-%d", n)) },
		func(o client.Object) client.Object {
			return kube.Named(argocd.ProjectKind, "argocd", "team-"+o.GetName())
		})
	isGone(t, kube.Named(argocd.ProjectKind, "argocd", "team-"+lost))
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-" + lost}}
	testenv.Eventually(t, func() error { // a bare API server has nobody who empties it
		if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(ns), ns); err != nil || ns.DeletionTimestamp == nil {
			return fmt.Errorf("namespace %s stays: %v", ns.Name, err)
		}
		return nil
	})
}

// lose makes owners until one is gone at once although the operator has made something
// for it, as in that race, and returns its name.
func lose(t *testing.T, kind string, owner func(int) client.Object, made func(client.Object) client.Object) string {
	t.Helper()
	for n := range 30 {
		o := owner(n)
		create(t, env, o)
		testenv.Eventually(t, func() error {
			m := made(o)
			return env.Client.Get(t.Context(), client.ObjectKeyFromObject(m), m)
		})
		if err := env.Client.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
			t.Fatal(err)
		}
		if err := env.Client.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o); apierrors.IsNotFound(err) {
			return o.GetName()
		}
	}
	t.Fatalf("no %s could be lost: the operator put its finalizer on again each time", kind)
	return ""
}
