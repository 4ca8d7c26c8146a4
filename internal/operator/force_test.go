package operator_test

import (
	"fmt"
	"strings"
	"testing"

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

func annotate(t *testing.T, o client.Object, key, value string) {
	t.Helper()
	patch := []byte(`{"metadata":{"annotations":{"` + key + `":"` + value + `"}}}`)
	if err := env.Client.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, patch)); err != nil {
		t.Fatal(err)
	}
}

// A claim that is released leaves its Application, with nothing of ours on it, and
// the service runs on.
func TestReleasedClaimKeepsItsApplication(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team, service := tenant("handed"), claim("handed", "handed")
	team.Spec.Contacts = v1alpha1.Contacts{OnCall: "rota", Channel: "#handed"}
	create(t, env, team, service)
	ready(t, env, service, "Running")
	annotate(t, service, v1alpha1.AnnotationRelease, "moves to another tool")
	ready(t, env, service, "Running") // the annotation alone does nothing
	remove(t, service)
	isGone(t, service)

	app := kube.Named(argocd.ApplicationKind, "argocd", "handed.handed")
	get(t, app)
	for _, marks := range []map[string]string{app.GetLabels(), app.GetAnnotations()} {
		for key := range marks {
			if strings.HasPrefix(key, "demarc.dev/") {
				t.Errorf("it still carries %s", key)
			}
		}
	}
	if app.GetDeletionTimestamp() != nil || len(app.GetFinalizers()) != 1 {
		t.Errorf("it is %v, held by %v", app.GetDeletionTimestamp(), app.GetFinalizers())
	}
	get(t, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-handed", Name: "handed"}})
	if note := event(t, service, "Released"); !strings.Contains(note, "moves to another tool") {
		t.Errorf("the Event says %q", note)
	}
	// The name is taken until the Application goes, and the team's Tenant waits for it.
	next := claim("handed", "handed")
	create(t, env, next)
	condition(t, env, next, "DeliveryReady", "ApplicationTaken")
	remove(t, next)
	isGone(t, next)
	remove(t, team)
	condition(t, env, team, "ClaimsDrained", "ApplicationsRemain")
	remove(t, app)
	isGone(t, kube.Named(argocd.ProjectKind, "argocd", "team-handed"))
}

// A claim that is forced goes although Argo CD does not act; what it leaves is named.
func TestForcedClaim(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	stopArgoCD := env.StandIn(t)
	team, service := tenant("pushed"), claim("pushed", "pushed")
	create(t, env, team, service)
	ready(t, env, service, "Running")
	stopArgoCD()
	app := kube.Named(argocd.ApplicationKind, "argocd", "pushed.pushed")
	get(t, app)
	app.SetFinalizers(append(app.GetFinalizers(), "post-delete-finalizer.argocd.argoproj.io/cleanup"))
	if err := env.Client.Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	remove(t, service)
	testenv.Eventually(t, func() error {
		said := condition(t, env, service, "Drained", "ApplicationDeleting")
		for _, want := range []string{argocd.FinalizerForeground + " of Argo CD's application controller", "still live: deployment/pushed"} {
			if !strings.Contains(said.Message, want) {
				return fmt.Errorf("it says %q, want %q", said.Message, want)
			}
		}
		return nil
	})
	annotate(t, service, v1alpha1.AnnotationForce, "Argo CD is lost")
	isGone(t, service)
	isGone(t, app)
	get(t, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-pushed", Name: "pushed"}})
	if note := event(t, service, "Forced"); !strings.Contains(note, "Argo CD is lost") || !strings.Contains(note, "deployment/pushed") {
		t.Errorf("the Event says %q", note)
	}
}

// A Tenant that is forced lets go of all that blocks it, and takes nothing down.
func TestForcedTenant(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team, service := tenant("dropped"), claim("dropped", "dropped")
	create(t, env, team, service)
	ready(t, env, service, "Running")
	remove(t, team)
	condition(t, env, team, "ClaimsDrained", "ClaimsRemain")
	annotate(t, team, v1alpha1.AnnotationForce, "  ") // no reason
	condition(t, env, team, "ClaimsDrained", "ClaimsRemain")
	annotate(t, team, v1alpha1.AnnotationForce, "the cluster is rebuilt")
	isGone(t, team)
	note := event(t, team, "Forced")
	for _, want := range []string{"the cluster is rebuilt", "serviceclaim/dropped", "application/dropped.dropped", "appproject/team-dropped", "namespace/team-dropped"} {
		if !strings.Contains(note, want) {
			t.Errorf("the Event says %q, want %q in it", note, want)
		}
	}
	get(t, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-dropped", Name: "dropped"}})
	get(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-dropped"}})
	isGone(t, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "demarc:claims:dropped"}})
	// The next Tenant of the name finds all of it again.
	next := tenant("dropped")
	create(t, env, next)
	ready(t, env, next, "TenantReady")
	ready(t, env, service, "Running")
}

// Access in a namespace that goes after its Tenant went by force is let go too.
func TestAccessIsLetGoWithoutATenant(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team := tenant("behind")
	create(t, env, team)
	ready(t, env, team, "TenantReady")
	remove(t, team)
	annotate(t, team, v1alpha1.AnnotationForce, "test")
	isGone(t, team)
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "team-behind", Name: "demarc-edit"}}
	get(t, binding)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-behind"}}
	remove(t, ns)
	get(t, ns)
	// The namespace controller, which a bare API server has not, counts what is left.
	ns.Status.Conditions = []corev1.NamespaceCondition{
		{Type: corev1.NamespaceContentRemaining, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now(),
			Message: "Some resources are remaining: rolebindings.rbac.authorization.k8s.io has 2 resource instances"},
		{Type: corev1.NamespaceFinalizersRemaining, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now(),
			Message: "Some content in the namespace has finalizers remaining: demarc.dev/access in 2 resource instances"},
	}
	if err := env.Client.Status().Update(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	isGone(t, binding)
}
