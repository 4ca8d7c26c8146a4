// Package latency measures what all rules of the guardrails add to the creation of a Pod,
// on two real API servers at once: one has Demarc's chart, the other nothing.
package latency

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/compile"
	"demarc.dev/demarc/internal/testenv"
	"demarc.dev/demarc/test/poll"
)

// scale of a platform: how many teams, each with two domains, and how many exceptions are
// in force, of a team each in turn.
type scale struct{ teams, exceptions int }

var scales = []scale{{1, 0}, {100, 0}, {1000, 0}, {100, 100}}

// BenchmarkPodCreate makes Pods on both servers by turns, and says how long half of them,
// and all but a hundredth, took at most.
//
//	go test ./test/latency -run '^$' -bench . -benchtime 300x
func BenchmarkPodCreate(b *testing.B) {
	with, without := start(b), start(b)
	install(b, with)
	for _, s := range scales {
		b.Run(fmt.Sprintf("teams=%d/exceptions=%d", s.teams, s.exceptions), func(b *testing.B) {
			settle(b, with, s)
			b.ResetTimer()
			measure(b, with, without, s, b.N)
		})
	}
}

// The short form: a Pod is made on both, and what the rules refuse is refused on the one.
func TestPodCreate(t *testing.T) {
	with, without := start(t), start(t)
	install(t, with)
	settle(t, with, scales[0])
	create(t, with, pod(scales[0])) // it fails where the Pod is refused
	bad := pod(scales[0])
	bad.Spec.HostNetwork = true
	create(t, without, bad.DeepCopy())
	if err := with.Client.Create(t.Context(), bad); !apierrors.IsForbidden(err) {
		t.Errorf("the rules let %v pass: %v", bad.Spec, err)
	}
}

func start(tb testing.TB) *testenv.Env {
	tb.Helper()
	ctrl.SetLogger(logr.Discard())
	env, err := testenv.Start(true)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := env.Stop(); err != nil {
			tb.Error(err)
		}
	})
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.NamespaceOf(team(0)), Labels: map[string]string{v1alpha1.LabelTenant: team(0)}}}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: ns.Name}}
	for _, o := range []client.Object{ns, account} {
		if err := env.Client.Create(tb.Context(), o); err != nil {
			tb.Fatal(err)
		}
	}
	return env
}

func team(i int) string { return fmt.Sprintf("team-%d", i) }

// measure makes n Pods on each, by turns.
func measure(b *testing.B, with, without *testenv.Env, s scale, n int) {
	b.Helper()
	took := map[*testenv.Env][]time.Duration{}
	for range n {
		for _, env := range []*testenv.Env{with, without} {
			took[env] = append(took[env], create(b, env, pod(s)))
		}
	}
	for _, of := range []struct {
		name string
		part float64
	}{{"p50", 0.5}, {"p99", 0.99}} {
		a, z := quantile(took[with], of.part), quantile(took[without], of.part)
		b.ReportMetric(ms(a), of.name+"-with-ms")
		b.ReportMetric(ms(z), of.name+"-without-ms")
		b.ReportMetric(ms(a-z), of.name+"-added-ms")
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func quantile(took []time.Duration, part float64) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[min(len(sorted)-1, int(part*float64(len(sorted))))]
}

// create makes a Pod and takes it away again; what it says is how long making it took.
func create(tb testing.TB, env *testenv.Env, p *corev1.Pod) time.Duration {
	tb.Helper()
	begun := time.Now()
	if err := env.Client.Create(tb.Context(), p); err != nil {
		tb.Fatal(err)
	}
	took := time.Since(begun)
	if err := env.Client.Delete(tb.Context(), p, client.GracePeriodSeconds(0)); err != nil {
		tb.Fatal(err)
	}
	return took
}

// settle writes the sets of a platform of this scale under the profile strict, and waits
// until the policies read them: a label that pods must have names the scale.
func settle(tb testing.TB, env *testenv.Env, s scale) {
	tb.Helper()
	p := &v1alpha1.Platform{}
	p.Spec.Guardrails.Profile = v1alpha1.ProfileStrict
	p.Spec.Guardrails.Limits.Labels = []string{s.label()}
	for _, set := range guardrail.Sets(p, tenants(s), exceptions(s)) {
		live := &v1alpha1.GuardrailSet{ObjectMeta: metav1.ObjectMeta{Name: set.Name}}
		_, err := controllerutil.CreateOrUpdate(tb.Context(), env.Client, live, func() error { live.Spec = set.Spec; return nil })
		if err != nil {
			tb.Fatal(err)
		}
	}
	bad := pod(s)
	bad.Labels = nil
	err := poll.Until(tb.Context(), 100*time.Millisecond, 3*time.Minute, "the policies read the sets", func(ctx context.Context) (bool, error) {
		err := env.Client.Create(ctx, bad.DeepCopy(), client.DryRunAll)
		return apierrors.IsForbidden(err) && strings.Contains(err.Error(), s.label()), err
	})
	if err != nil {
		tb.Fatal(err)
	}
}

func (s scale) label() string { return fmt.Sprintf("scale-%d-%d", s.teams, s.exceptions) }

func tenants(s scale) (list []v1alpha1.Tenant) {
	for i := range s.teams {
		t := v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: team(i)}}
		t.Spec.Domains = []string{team(i) + ".example", "shop." + team(i) + ".example.org"}
		list = append(list, t)
	}
	return list
}

func exceptions(s scale) (list []v1alpha1.GuardrailException) {
	for i := range s.exceptions {
		e := v1alpha1.GuardrailException{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("exception-%d", i)}}
		e.Spec.Team, e.Spec.Rules = team(1+i%max(1, s.teams-1)), []string{"host-path", "image-registry"}
		e.Spec.Approval, e.Spec.Expires = &v1alpha1.Approval{By: "olga"}, metav1.NewTime(time.Now().Add(24*time.Hour))
		e.Spec.Selector = &v1alpha1.GuardrailSelector{MatchLabels: map[string]v1alpha1.ClaimLabelValue{"app": "agent"}}
		list = append(list, e)
	}
	return list
}

// pod passes every rule.
func pod(s scale) *corev1.Pod {
	is, not, user := true, false, int64(10001)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "web-", Namespace: v1alpha1.NamespaceOf(team(0)), Labels: map[string]string{s.label(): "yes", "app": "web"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "1", Controller: &is}}},
		Spec: corev1.PodSpec{
			ServiceAccountName: "web", AutomountServiceAccountToken: &not,
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: &is, RunAsUser: &user, SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
			Containers: []corev1.Container{{
				Name: "web", Image: "registry.example/shop/web:1.4", Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
				ReadinessProbe:  &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromString("http")}}},
				SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: &not, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")},
					Limits:   corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("128Mi")}},
			}},
		},
	}
}

// install makes the policies of all rules and what fills Pods in, as the chart ships them.
func install(tb testing.TB, env *testenv.Env) {
	tb.Helper()
	chart, err := testenv.Chart("demarc-system", "argocd")
	if err != nil {
		tb.Fatal(err)
	}
	for _, o := range chart {
		if !strings.HasPrefix(o.GetName(), compile.Prefix) && !strings.HasPrefix(o.GetKind(), "MutatingAdmissionPolicy") {
			continue
		}
		if err := env.Client.Create(tb.Context(), o); err != nil {
			tb.Fatalf("%s: %v", o.GetName(), err)
		}
	}
}
