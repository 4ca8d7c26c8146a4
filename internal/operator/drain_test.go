package operator_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/operator"
	"demarc.dev/demarc/internal/testenv"
)

// O4: where Argo CD does not act, a claim that is deleted waits and names what is
// live; when that is gone by any hand, it goes on.
func TestO4DeletionWithoutArgoCD(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	stopArgoCD := env.StandIn(t)
	team, service := tenant("alone"), claim("alone", "alone")
	create(t, env, team, service)
	ready(t, env, service, "Running")
	stopArgoCD()
	remove(t, service)
	testenv.Eventually(t, func() error {
		if said := condition(t, env, service, "Drained", "ApplicationDeleting"); !strings.Contains(said.Message, "still live: deployment/alone") {
			return fmt.Errorf("it says %q", said.Message)
		}
		return nil
	})
	remove(t, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-alone", Name: "alone"}})
	isGone(t, service)
	isGone(t, kube.Named(argocd.ApplicationKind, "argocd", "alone.alone"))
}

// O6: what others hold is said first, and who holds it.
func TestO6HeldObjectIsSaid(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	stopArgoCD := env.StandIn(t)
	team, service := tenant("gripped"), claim("gripped", "gripped")
	create(t, env, team, service)
	ready(t, env, service, "Running")
	stopArgoCD()
	held := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-gripped", Name: "gripped"}}
	finalizers(t, held, `["example.com/hold"]`)
	remove(t, service)
	condition(t, env, service, "Drained", "ApplicationDeleting")
	remove(t, held)
	said := condition(t, env, service, "Drained", "ObjectsHeld")
	if want := "held: deployment/gripped (being deleted; held by example.com/hold of the controller of example.com"; !strings.Contains(said.Message, want) {
		t.Errorf("it says %q, want %q", said.Message, want)
	}
	finalizers(t, held, "[]")
	isGone(t, service)
}

func finalizers(t *testing.T, o client.Object, list string) {
	t.Helper()
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":`+list+`}}`))
	if err := env.Client.Patch(t.Context(), o, patch); err != nil {
		t.Fatal(err)
	}
}

// A deletion that is refused is said once, and tried again at leisure.
func TestRefusedDeletionIsQuiet(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team, service := tenant("refused"), claim("refused", "refused")
	create(t, env, team, service)
	ready(t, env, service, "Running")
	lift := refuse(t, "refused.refused")
	remove(t, service)
	said := condition(t, env, service, "Drained", "OperatorForbidden")
	if !strings.Contains(said.Message, "not today") {
		t.Errorf("it says %q", said.Message)
	}
	before := service.ResourceVersion
	quiet := time.After(3 * time.Second)
	<-quiet // nothing to poll for: what must not come is a write
	if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(service), service); err != nil {
		t.Fatal(err)
	}
	if service.ResourceVersion != before {
		t.Errorf("it was written again: %+v", service.Status.Conditions)
	}
	lift()
	isGone(t, service)
}

// refuse makes a policy of somebody's that refuses the deletion of one Application.
func refuse(t *testing.T, application string) (lift func()) {
	t.Helper()
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "refuse-" + application}, Spec: admissionv1.ValidatingAdmissionPolicySpec{
		FailurePolicy: ptr.To(admissionv1.Fail),
		MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Delete},
			Rule:       admissionv1.Rule{APIGroups: []string{"argoproj.io"}, APIVersions: []string{"v1alpha1"}, Resources: []string{"applications"}}}}}},
		Validations: []admissionv1.Validation{{Expression: "oldObject.metadata.name != '" + application + "'", Message: "not today", Reason: ptr.To(metav1.StatusReasonForbidden)}},
	}}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: policy.Name}, Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: policy.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}}}
	create(t, env, policy, binding)
	lift = func() {
		remove(t, binding)
		remove(t, policy)
	}
	app := kube.Named(argocd.ApplicationKind, "argocd", application)
	testenv.Eventually(t, func() error { // a policy takes a moment to be in force
		if err := env.Client.Delete(context.Background(), app, client.DryRunAll); err == nil {
			return fmt.Errorf("it is not refused yet")
		}
		return nil
	})
	return lift
}

// Applications whose claims were lost go with their Tenant: nobody else could.
func TestOrphansGoWithTheirTenant(t *testing.T) {
	stop := env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team, service := tenant("lost"), claim("lost", "lost")
	create(t, env, team, service)
	ready(t, env, service, "Running")
	stop()
	forget(t, service)
	env.Operator(t, clock.RealClock{})
	remove(t, team)
	isGone(t, kube.Named(argocd.ApplicationKind, "argocd", "lost.lost"))
	isGone(t, kube.Named(argocd.ProjectKind, "argocd", "team-lost"))
	condition(t, env, team, "ClaimsDrained", "NamespaceDeleting")
}

// A claim whose Tenant is gone is still held, so that it is taken down in order.
func TestClaimIsHeldWithoutItsTenant(t *testing.T) {
	stop := env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team, service := tenant("held"), claim("held", "held")
	create(t, env, team, service)
	ready(t, env, service, "Running")
	stop()
	forget(t, team, service)
	service = claim("held", "held")
	create(t, env, service)
	env.Operator(t, clock.RealClock{})
	ready(t, env, service, "Running")
	remove(t, service)
	isGone(t, service)
	isGone(t, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-held", Name: "held"}})
}

// An operator that waits for the lead is ready too, or an upgrade would never end.
func TestTheOneThatWaitsIsReady(t *testing.T) {
	for range 2 {
		address := freeAddress(t)
		env.Run(t, operator.Options{MetricsAddress: "0", ProbeAddress: address, LeaderElection: true, Namespace: "argocd"})
		testenv.Eventually(t, func() error {
			resp, err := http.Get("http://" + address + "/readyz")
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("readyz: %s", resp.Status)
			}
			return nil
		})
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func remove(t *testing.T, o client.Object) {
	t.Helper()
	if err := env.Client.Delete(context.Background(), o); err != nil {
		t.Fatal(err)
	}
}

func isGone(t *testing.T, o client.Object) {
	t.Helper()
	testenv.Eventually(t, func() error {
		err := env.Client.Get(context.Background(), client.ObjectKeyFromObject(o), o)
		if err == nil {
			return fmt.Errorf("%T %s is still there, held by %v", o, o.GetName(), o.GetFinalizers())
		}
		return client.IgnoreNotFound(err)
	})
}
