// Package verify tampers with a cluster on which Demarc is installed, and asks demarc
// contract verify what was done to it.
package verify

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/survey"
	"demarc.dev/demarc/internal/testenv"
	"demarc.dev/demarc/internal/verify"
)

const (
	installedIn = "demarc-system"
	argoCD      = "argocd"
	patience    = 3 * time.Minute
)

// env is the API server, operator the same one as the operator's account.
var env, operator *testenv.Env

func TestMain(m *testing.M) {
	testenv.Main(m, func(e *testenv.Env) {
		env = e
		as, err := asAccount(e, installedIn, "demarc-operator")
		if err != nil {
			panic(err)
		}
		operator = as
	})
}

// asAccount is the API server to a ServiceAccount.
func asAccount(e *testenv.Env, namespace, name string) (*testenv.Env, error) {
	as := *e
	as.Config = rest.CopyConfig(e.Config)
	as.Config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + namespace + ":" + name,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"}}
	c, err := client.New(as.Config, client.Options{Scheme: e.Client.Scheme()})
	as.Client = c
	return &as, err
}

// platformsOwn is what the platform brings: Argo CD's settings, its own, and two teams.
func platformsOwn() []client.Object {
	quantity := func(s string) *v1alpha1.Quantity { return ptr.To(intstr.FromString(s)) }
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
	return []client.Object{
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: argoCD, Name: argocd.ConfigMap}, Data: map[string]string{argocd.ImpersonationKey: "true"}},
		&v1alpha1.Platform{ObjectMeta: named("default"), Spec: v1alpha1.PlatformSpec{
			Team:  v1alpha1.PlatformTeam{Groups: []string{"platform-engineers"}, Contacts: v1alpha1.Contacts{Channel: "#platform"}},
			Chart: &v1alpha1.PlatformChart{RepoURL: "file:///platform.git", TargetRevision: "v1"}}},
		&v1alpha1.Tenant{ObjectMeta: named("payments"), Spec: v1alpha1.TenantSpec{
			Access: []v1alpha1.TenantAccess{{Group: "payments-viewers", Role: "view"}, {Group: "payments-oncall", Role: "operate"}, {Group: "payments-devs", Role: "edit"},
				{User: "lee", Role: "edit"}},
			Resources: &v1alpha1.Budget{CPU: quantity("4"), Memory: quantity("8Gi"), Pods: ptr.To(int64(20))}}},
		&v1alpha1.Tenant{ObjectMeta: named("shop")},
		&v1alpha1.ServiceClaim{ObjectMeta: named("checkout"), Spec: v1alpha1.ServiceClaimSpec{Team: "payments", Image: "nginx:1.27-alpine"}},
	}
}

// install makes what the chart makes and lets an operator bring it all about; then it is
// stopped, so that what is tampered with stays so.
func install(t *testing.T) {
	t.Helper()
	for _, ns := range []string{installedIn, argoCD} {
		must(t, env.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}))
	}
	chart, err := testenv.Chart(installedIn, argoCD)
	must(t, err)
	for _, o := range chart {
		must(t, env.Client.Create(t.Context(), o))
	}
	stop := operator.Operator(t, clock.RealClock{})
	done := env.StandIn(t)
	for _, o := range platformsOwn() {
		// A policy whose parameter's kind is new refuses for a while.
		testenv.EventuallyWithin(t, patience, func() error { return env.Client.Create(t.Context(), o) })
	}
	testenv.EventuallyWithin(t, patience, func() error {
		claim := &v1alpha1.ServiceClaim{}
		if err := env.Client.Get(t.Context(), types.NamespacedName{Name: "checkout"}, claim); err != nil {
			return err
		}
		for _, name := range []string{"payments", "shop"} {
			tenant := &v1alpha1.Tenant{}
			if err := env.Client.Get(t.Context(), types.NamespacedName{Name: name}, tenant); err != nil {
				return err
			}
			if err := isReady(name, tenant.Status.Conditions); err != nil {
				return err
			}
		}
		return errors.Join(isReady("checkout", claim.Status.Conditions), clean(t))
	})
	stop()
	done()
}

func isReady(name string, conditions []metav1.Condition) error {
	for _, c := range conditions {
		if c.Type == "Ready" {
			if c.Status == metav1.ConditionTrue {
				return nil
			}
			return fmt.Errorf("%s is not ready: %s: %s", name, c.Reason, c.Message)
		}
	}
	return fmt.Errorf("%s says nothing yet", name)
}

func read(t *testing.T) (*snapshot.Set, verify.Question) {
	t.Helper()
	d, err := discovery.NewDiscoveryClientForConfig(env.Config)
	must(t, err)
	set, kinds, err := survey.Cluster{Client: env.Client, Discovery: d}.Verify(context.WithoutCancel(t.Context()), time.Now())
	must(t, err)
	return set, verify.Question{Kinds: kinds}
}

func check(t *testing.T) verify.Report {
	t.Helper()
	set, q := read(t)
	return verify.Check(set, q)
}

// clean is nil where nothing is to be done.
func clean(t *testing.T) error {
	t.Helper()
	report := check(t)
	var errs []error
	for _, f := range report.Findings {
		if f.Counts() {
			errs = append(errs, fmt.Errorf("%s %s %s: %s\n    mend: %s: %s", f.ID, f.Severity, f.Object, f.Message, f.Mend.Says, f.Mend.Command))
		}
	}
	for _, u := range report.Unread {
		errs = append(errs, fmt.Errorf("not read: %s", u))
	}
	return errors.Join(errs...)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
