package operator_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/testenv"
)

// calls waits until an object says whom to call, and where; empty is that it says nothing.
func calls(t *testing.T, o client.Object, onCall, channel string) {
	t.Helper()
	want := map[string]string{}
	for key, value := range map[string]string{"demarc.dev/on-call": onCall, "demarc.dev/channel": channel} {
		if value != "" {
			want[key] = value
		}
	}
	testenv.Eventually(t, func() error {
		if err := env.Client.Get(context.Background(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		got := map[string]string{}
		for _, key := range []string{"demarc.dev/on-call", "demarc.dev/channel"} {
			if value, there := o.GetAnnotations()[key]; there {
				got[key] = value
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("%T %s (-want +got):\n%s", o, o.GetName(), diff)
		}
		return nil
	})
}

// contact changes whom a Tenant or the Platform names, as a merge patch of its spec.
func contact(t *testing.T, o client.Object, spec string) {
	t.Helper()
	if err := env.Client.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(`{"spec":`+spec+`}`))); err != nil {
		t.Fatal(err)
	}
}

// Whom a team has on call stands on what Demarc made for it, follows its Tenant, and goes
// with it; nothing of what runs is touched.
func TestOnCall(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team, service := tenant("called"), claim("called", "called")
	team.Spec.Contacts = v1alpha1.Contacts{OnCall: "rota", Channel: "#called"}
	create(t, env, team, service)
	ready(t, env, service, "Running")

	app := kube.Named(argocd.ApplicationKind, "argocd", "called.called")
	carriers := []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-called"}},
		&corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "team-called", Name: "demarc"}},
		&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "team-called", Name: "demarc-edit"}},
		kube.Named(argocd.ProjectKind, "argocd", "team-called"), app,
	}
	says := func(onCall, channel string) {
		t.Helper()
		for _, o := range carriers {
			calls(t, o, onCall, channel)
		}
	}
	says("rota", "#called")
	runs := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-called", Name: "called"}}
	get(t, runs)
	spec, deployed := app.DeepCopy().Object["spec"], runs.DeepCopy()

	contact(t, team, `{"contacts":{"onCall":"the other rota"}}`)
	says("the other rota", "#called")
	contact(t, team, `{"contacts":{"onCall":null}}`)
	says("", "#called")
	annotate(t, carriers[0], v1alpha1.AnnotationChannel, "#somebody-elses") // is put back
	says("", "#called")
	contact(t, team, `{"contacts":null}`)
	says("", "")

	get(t, app)
	get(t, runs)
	if diff := cmp.Diff(spec, app.Object["spec"]); diff != "" {
		t.Errorf("the Application asks for something else (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(deployed.ResourceVersion, runs.ResourceVersion); diff != "" {
		t.Errorf("the Deployment was written to: %+v", runs.Spec)
	}
}

// An adopted namespace is no exception: what the team no longer names goes from it, and all
// goes when the namespace is let go.
func TestOnCallOfAnAdoptedNamespace(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	ns := settler("rung")
	create(t, env, ns)
	team := tenant("rung")
	team.Spec.Adopt, team.Spec.Contacts = true, v1alpha1.Contacts{OnCall: "rota", Channel: "#rung"}
	create(t, env, team)
	ready(t, env, team, "TenantReady")
	calls(t, ns, "rota", "#rung")
	contact(t, team, `{"contacts":{"onCall":null}}`)
	calls(t, ns, "", "#rung")
	remove(t, team)
	isGone(t, team)
	get(t, ns)
	if diff := cmp.Diff(map[string]string{"note": "theirs"}, ns.Annotations); diff != "" {
		t.Errorf("annotations that are left (-want +got):\n%s", diff)
	}
}

// What is no team's says whom the platform has on call.
func TestOnCallOfThePlatform(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	platform := &v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "demarc:edit"}}
	nobody := `{"team":null}`
	t.Cleanup(func() {
		if err := env.Client.Patch(context.Background(), platform, client.RawPatch(types.MergePatchType, []byte(`{"spec":`+nobody+`}`))); err != nil {
			t.Error(err)
		}
	})
	contact(t, platform, `{"team":{"contacts":{"onCall":"platform rota","channel":"#platform"}}}`)
	calls(t, role, "platform rota", "#platform")
	if role.Annotations["demarc.dev/purpose"] == "" {
		t.Error("what the role is for is not said any more")
	}
	contact(t, platform, nobody)
	calls(t, role, "", "")
}
