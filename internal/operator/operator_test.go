package operator_test

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/testenv"
)

var env *testenv.Env

func TestMain(m *testing.M) {
	testenv.Main(m, func(e *testenv.Env) {
		env = e
		prepare(e)
	})
}

// prepare makes what the platform brings: Argo CD's namespace and settings, and
// the Platform.
func prepare(e *testenv.Env) {
	ctx := context.Background()
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "argocd"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: argocd.ConfigMap}, Data: map[string]string{argocd.ImpersonationKey: "true"}},
		&v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: "default"}, Spec: v1alpha1.PlatformSpec{
			Chart: &v1alpha1.PlatformChart{RepoURL: "file:///platform.git", TargetRevision: "v1"}}},
	} {
		if err := e.Client.Create(ctx, o); err != nil {
			panic(err)
		}
	}
}

func tenant(name string) *v1alpha1.Tenant {
	cpu, memory := intstr.FromInt32(2), intstr.FromString("4Gi")
	return &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.TenantSpec{
		Resources: &v1alpha1.Budget{CPU: &cpu, Memory: &memory, Pods: ptr.To[int64](10)}}}
}

func claim(name, team string) *v1alpha1.ServiceClaim {
	return &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.ServiceClaimSpec{
		Team: team, Image: "nginx:1.27-alpine", Replicas: ptr.To[int32](2)}}
}

func create(t *testing.T, e *testenv.Env, objects ...client.Object) {
	t.Helper()
	for _, o := range objects {
		if err := e.Client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

// ready waits until the condition Ready of an object has a reason.
func ready(t *testing.T, e *testenv.Env, o client.Object, reason string) metav1.Condition {
	t.Helper()
	return condition(t, e, o, "Ready", reason)
}

func condition(t *testing.T, e *testenv.Env, o client.Object, kind, reason string) (found metav1.Condition) {
	t.Helper()
	testenv.Eventually(t, func() error {
		if err := e.Client.Get(context.Background(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		c := meta.FindStatusCondition(conditions(o), kind)
		if c == nil || c.Reason != reason {
			return fmt.Errorf("%s: %s is %+v, want the reason %s", o.GetName(), kind, c, reason)
		}
		found = *c
		return nil
	})
	return found
}

func conditions(o client.Object) []metav1.Condition {
	switch o := o.(type) {
	case *v1alpha1.Tenant:
		return o.Status.Conditions
	case *v1alpha1.ServiceClaim:
		return o.Status.Conditions
	case *v1alpha1.Platform:
		return o.Status.Conditions
	case *v1alpha1.OwnershipContract:
		return o.Status.Conditions
	case *v1alpha1.AccessGrant:
		return o.Status.Conditions
	case *v1alpha1.BudgetRequest:
		return o.Status.Conditions
	case *v1alpha1.GuardrailException:
		return o.Status.Conditions
	}
	return nil
}

// O2: claims an hour before their Tenant, with the clock moved and not slept.
func TestO2ClaimsAnHourBeforeTheirTenant(t *testing.T) {
	start := time.Now().Truncate(time.Second)
	now := clocktesting.NewFakePassiveClock(start)
	env.Operator(t, now)
	env.StandIn(t)
	claims := []*v1alpha1.ServiceClaim{claim("early-a", "early"), claim("early-b", "early"), claim("early-c", "early")}
	for _, c := range claims {
		create(t, env, c)
		ready(t, env, c, "TenantNotFound")
	}
	now.SetTime(start.Add(time.Hour))
	late := tenant("early")
	create(t, env, late)
	ready(t, env, late, "TenantReady")
	for _, c := range claims {
		became := ready(t, env, c, "Running")
		if took := became.LastTransitionTime.Sub(start); took != time.Hour {
			t.Errorf("%s became Ready %s after it was made", c.Name, took)
		}
	}
}

// O1: what is somebody else's is not written to, is named, and the Tenant goes on
// by itself when it is gone.
func TestO1ForeignObjects(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-squatted", Labels: map[string]string{"app.kubernetes.io/managed-by": "terraform"}}}
	project := kube.Named(argocd.ProjectKind, "argocd", "team-projected")
	project.Object["spec"] = map[string]any{"description": "somebody's"}
	create(t, env, ns, project)

	squatted, projected := tenant("squatted"), tenant("projected")
	create(t, env, squatted, projected)
	taken := ready(t, env, squatted, "NamespaceTaken")
	if want := "namespace/team-squatted exists and belongs to terraform; nothing was written to it"; taken.Message[:len(want)] != want {
		t.Errorf("got %q", taken.Message)
	}
	ready(t, env, projected, "ProjectTaken")
	unchanged(t, ns, project)

	if err := env.Client.Delete(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	ready(t, env, projected, "TenantReady")
}

func unchanged(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, o := range objects {
		before := o.GetResourceVersion()
		if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			t.Fatal(err)
		}
		if o.GetResourceVersion() != before {
			t.Errorf("%s was written to", kube.Name(o))
		}
	}
}

// O7: a restart writes nothing.
func TestO7RestartWritesNothing(t *testing.T) {
	stop := env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	const objects = 4
	for i := range objects {
		name := fmt.Sprintf("calm-%d", i)
		team, service := tenant(name), claim(name, name)
		team.Spec.Contacts = v1alpha1.Contacts{OnCall: name, Channel: "#" + name}
		create(t, env, team, service)
		ready(t, env, service, "Running")
	}
	stop()
	before := map[string]string{}
	for i := range objects {
		maps.Copy(before, versions(t, fmt.Sprintf("calm-%d", i)))
	}
	looked := reconciles(t)
	env.Operator(t, clock.RealClock{})
	testenv.Eventually(t, func() error {
		for _, controller := range []string{"tenant", "serviceclaim"} {
			if reconciles(t)[controller] < looked[controller]+objects {
				return fmt.Errorf("%s has not looked at everything yet", controller)
			}
		}
		return nil
	})
	after := map[string]string{}
	for i := range objects {
		maps.Copy(after, versions(t, fmt.Sprintf("calm-%d", i)))
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("a restart wrote (-before +after):\n%s", diff)
	}
}

// reconciles counts the reconciles of each controller in this process.
func reconciles(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		if f.GetName() != "demarc_reconcile_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "controller" {
					out[l.GetValue()] += m.GetCounter().GetValue()
				}
			}
		}
	}
	return out
}

// versions lists what belongs to a team with its resource versions.
func versions(t *testing.T, team string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, gvk := range []string{
		"v1/Namespace", "v1/ServiceAccount", "v1/ResourceQuota", "v1/LimitRange", "networking.k8s.io/v1/NetworkPolicy",
		"rbac.authorization.k8s.io/v1/RoleBinding", "rbac.authorization.k8s.io/v1/ClusterRoleBinding",
		"argoproj.io/v1alpha1/AppProject", "argoproj.io/v1alpha1/Application",
	} {
		list := &unstructured.UnstructuredList{}
		cut := len(gvk) - 1
		for gvk[cut] != '/' {
			cut--
		}
		list.SetAPIVersion(gvk[:cut])
		list.SetKind(gvk[cut+1:] + "List")
		if err := env.Client.List(t.Context(), list, client.MatchingLabels{v1alpha1.LabelTeam: team}); err != nil {
			t.Fatal(err)
		}
		if len(list.Items) == 0 {
			t.Errorf("nothing of kind %s belongs to team %s", gvk, team)
		}
		for _, o := range list.Items {
			out[team+"/"+gvk+"/"+o.GetName()] = o.GetResourceVersion()
		}
	}
	for _, o := range []client.Object{&v1alpha1.Tenant{}, &v1alpha1.ServiceClaim{}} {
		if err := env.Client.Get(t.Context(), types.NamespacedName{Name: team}, o); err != nil {
			t.Fatal(err)
		}
		out[fmt.Sprintf("%s/%T", team, o)] = o.GetResourceVersion()
	}
	return out
}

// A restored backup gives owners new UIDs: what they keep is found again, nothing
// is made anew or collected.
func TestOwnershipIsFoundAgain(t *testing.T) {
	stop := env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team, service := tenant("restored"), claim("restored", "restored")
	create(t, env, team, service)
	ready(t, env, service, "Running")
	ns := &corev1.Namespace{}
	if err := env.Client.Get(t.Context(), types.NamespacedName{Name: "team-restored"}, ns); err != nil {
		t.Fatal(err)
	}
	stop()
	forget(t, team, service)
	team, service = tenant("restored"), claim("restored", "restored")
	create(t, env, team, service)
	env.Operator(t, clock.RealClock{})
	ready(t, env, service, "Running")
	ready(t, env, team, "TenantReady")
	again := &corev1.Namespace{}
	if err := env.Client.Get(t.Context(), types.NamespacedName{Name: "team-restored"}, again); err != nil {
		t.Fatal(err)
	}
	if again.UID != ns.UID || again.Annotations[v1alpha1.AnnotationOwnerUID] != string(team.UID) {
		t.Errorf("namespace %s of owner %s became %s of owner %s; Tenant is %s", ns.UID, ns.Annotations[v1alpha1.AnnotationOwnerUID],
			again.UID, again.Annotations[v1alpha1.AnnotationOwnerUID], team.UID)
	}
}

// forget deletes objects past their finalizers, as a lost etcd would.
func forget(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, o := range objects {
		if err := env.Client.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if err := env.Client.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":[]}}`))); client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
	}
}

// A roleRef never changes, yet a role can: the subject moves to another binding.
func TestRoleOfASubjectChanges(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team := tenant("roles")
	team.Spec.Access = []v1alpha1.TenantAccess{{Group: "/corp/roles", Role: "view"}}
	create(t, env, team)
	ready(t, env, team, "TenantReady")
	holds(t, "roles", "demarc-view", "/corp/roles")

	team.Spec.Access[0].Role = "edit"
	if err := env.Client.Update(t.Context(), team); err != nil {
		t.Fatal(err)
	}
	holds(t, "roles", "demarc-edit", "/corp/roles")
	gone(t, "roles", "demarc-view")

	team.Spec.Access = []v1alpha1.TenantAccess{}
	testenv.Eventually(t, func() error {
		fresh := &v1alpha1.Tenant{}
		if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(team), fresh); err != nil {
			return err
		}
		fresh.Spec.Access = []v1alpha1.TenantAccess{}
		return env.Client.Update(t.Context(), fresh)
	})
	gone(t, "roles", "demarc-edit")
}

func holds(t *testing.T, team, binding, group string) {
	t.Helper()
	testenv.Eventually(t, func() error {
		b := &rbacv1.RoleBinding{}
		if err := env.Client.Get(context.Background(), types.NamespacedName{Namespace: "team-" + team, Name: binding}, b); err != nil {
			return err
		}
		if len(b.Subjects) != 1 || b.Subjects[0].Name != group {
			return fmt.Errorf("%s holds %v", binding, b.Subjects)
		}
		return nil
	})
}

func gone(t *testing.T, team, binding string) {
	t.Helper()
	testenv.Eventually(t, func() error {
		err := env.Client.Get(context.Background(), types.NamespacedName{Namespace: "team-" + team, Name: binding}, &rbacv1.RoleBinding{})
		if client.IgnoreNotFound(err) != nil || err == nil {
			return fmt.Errorf("%s is still there (%v)", binding, err)
		}
		return nil
	})
}

// A Platform that is gone takes nothing from what runs; only a change waits for it.
func TestPlatformGoes(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team, service, changed := tenant("orphaned"), claim("orphaned", "orphaned"), claim("orphaned-changed", "orphaned")
	create(t, env, team, service, changed)
	ready(t, env, service, "Running")
	ready(t, env, changed, "Running")
	putBack := withoutPlatform(t)
	refused(t, changed)
	late := claim("orphaned-late", "orphaned")
	create(t, env, late)
	ready(t, env, late, "ChartNotConfigured")
	ready(t, env, service, "Running")

	putBack()
	ready(t, env, changed, "Running")
	ready(t, env, late, "Running")
}

// withoutPlatform takes the Platform away until putBack is called, or the test ends:
// the tests after this one need it.
func withoutPlatform(t *testing.T) (putBack func()) {
	t.Helper()
	platform := &v1alpha1.Platform{}
	if err := env.Client.Get(t.Context(), types.NamespacedName{Name: "default"}, platform); err != nil {
		t.Fatal(err)
	}
	putBack = sync.OnceFunc(func() {
		again := &v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: "default"}, Spec: platform.Spec}
		if err := env.Client.Create(context.Background(), again); err != nil {
			t.Errorf("the Platform is not back: %v", err)
		}
	})
	t.Cleanup(putBack)
	if err := env.Client.Delete(t.Context(), platform); err != nil {
		t.Fatal(err)
	}
	return putBack
}

// refused scales a claim until a change of it is refused for want of a chart. Up to
// then it keeps running: an operator that has not seen the Platform go still renders.
func refused(t *testing.T, c *v1alpha1.ServiceClaim) {
	t.Helper()
	testenv.Eventually(t, func() error {
		if err := env.Client.Get(context.Background(), client.ObjectKeyFromObject(c), c); err != nil {
			return err
		}
		is := meta.FindStatusCondition(c.Status.Conditions, "Ready")
		switch {
		case is.ObservedGeneration < c.Generation:
			return fmt.Errorf("%s: generation %d is not judged yet", c.Name, c.Generation)
		case is.Reason == "ChartNotConfigured":
			return nil
		}
		c.Spec.Replicas = ptr.To(*c.Spec.Replicas%4 + 1)
		if err := env.Client.Update(context.Background(), c); err != nil {
			return err
		}
		return fmt.Errorf("%s: its change is not judged yet", c.Name)
	})
}

// A budget that is taken away leaves no quota, never an empty one.
func TestBudgetComesAndGoes(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team := tenant("frugal")
	create(t, env, team)
	condition(t, env, team, "QuotaReady", "QuotaReady")
	testenv.Eventually(t, func() error {
		if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(team), team); err != nil {
			return err
		}
		team.Spec.Resources = nil
		return env.Client.Update(t.Context(), team)
	})
	condition(t, env, team, "QuotaReady", "NoBudget")
	var quotas corev1.ResourceQuotaList
	testenv.Eventually(t, func() error {
		if err := env.Client.List(t.Context(), &quotas, client.InNamespace("team-frugal")); err != nil || len(quotas.Items) == 0 {
			return err
		}
		return fmt.Errorf("quota %s is still there", quotas.Items[0].Name)
	})
}
