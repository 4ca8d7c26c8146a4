package guardrail

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/testenv"
)

// filling is a namespace of a team to which no rule applies, in which pods are filled in.
func filling(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "filling-", Labels: map[string]string{v1alpha1.LabelTenant: "filling"}}}
	must(t, env.Client.Create(t.Context(), ns))
	p := &v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	must(t, env.Client.Create(t.Context(), p))
	t.Cleanup(func() { // other tests have pods without requests
		ctx := context.Background()
		must(t, env.Client.Delete(ctx, p))
		empty := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "filling-", Labels: ns.Labels}}
		must(t, env.Client.Create(ctx, empty))
		testenv.Eventually(t, func() error {
			bare := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: empty.Name}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "x"}}}}
			if err := env.Client.Create(ctx, bare, client.DryRunAll); err != nil || len(bare.Spec.Containers[0].Resources.Requests) > 0 {
				return fmt.Errorf("it is filled in still: %v", err)
			}
			return nil
		})
	})
	testenv.Eventually(t, func() error {
		p := filled(t, ns.Name, corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "x"}}}, nil)
		if p.Labels[v1alpha1.LabelTeam] == "" || len(p.Spec.Containers[0].Resources.Requests) != 2 || p.Spec.SecurityContext.SeccompProfile == nil {
			return fmt.Errorf("nothing is filled in yet: %v %v", p.Labels, p.Spec)
		}
		return nil
	})
	return ns.Name
}

func filled(t *testing.T, ns string, spec corev1.PodSpec, labels map[string]string) *corev1.Pod {
	t.Helper()
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: ns, Labels: labels}, Spec: spec}
	must(t, env.Client.Create(t.Context(), p, client.DryRunAll))
	return p
}

// Pods of teams get what they do not say, and keep what they say.
func TestFilledIn(t *testing.T) {
	ns := filling(t)
	one := func(c corev1.Container) corev1.PodSpec {
		c.Name, c.Image = "c", "x"
		return corev1.PodSpec{Containers: []corev1.Container{c}}
	}
	list := func(pairs ...string) corev1.ResourceList {
		l := corev1.ResourceList{}
		for i := 0; i < len(pairs); i += 2 {
			l[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
		}
		return l
	}
	runtimeDefault := &corev1.SeccompProfile{Type: "RuntimeDefault"}
	type outcome struct {
		Team      string
		Seccomp   *corev1.SeccompProfile
		Requests  map[string]map[string]string
		Limits    map[string]string
		Container *corev1.SeccompProfile
	}
	of := func(p *corev1.Pod) outcome {
		o := outcome{Team: p.Labels[v1alpha1.LabelTeam], Requests: map[string]map[string]string{}}
		if p.Spec.SecurityContext != nil {
			o.Seccomp = p.Spec.SecurityContext.SeccompProfile
		}
		words := func(l corev1.ResourceList) map[string]string {
			out := map[string]string{}
			for name, q := range l {
				out[string(name)] = q.String()
			}
			return out
		}
		for _, c := range append(p.Spec.InitContainers, p.Spec.Containers...) {
			o.Requests[c.Name] = words(c.Resources.Requests)
			if c.SecurityContext != nil {
				o.Container = c.SecurityContext.SeccompProfile
			}
			if len(c.Resources.Limits) > 0 {
				o.Limits = words(c.Resources.Limits)
			}
		}
		return o
	}
	both := map[string]string{"cpu": "100m", "memory": "128Mi"}
	for name, c := range map[string]struct {
		spec   corev1.PodSpec
		labels map[string]string
		want   outcome
	}{
		"nothing said": {one(corev1.Container{}), nil, outcome{Team: "filling", Seccomp: runtimeDefault, Requests: map[string]map[string]string{"c": both}}},
		"its own team": {one(corev1.Container{}), map[string]string{v1alpha1.LabelTeam: "filling", "a": "b"},
			outcome{Team: "filling", Seccomp: runtimeDefault, Requests: map[string]map[string]string{"c": both}}},
		"one request": {one(corev1.Container{Resources: corev1.ResourceRequirements{Requests: list("cpu", "2")}}), nil,
			outcome{Team: "filling", Seccomp: runtimeDefault, Requests: map[string]map[string]string{"c": {"cpu": "2", "memory": "128Mi"}}}},
		"a limit alone": {one(corev1.Container{Resources: corev1.ResourceRequirements{Limits: list("memory", "64Mi")}}), nil,
			outcome{Team: "filling", Seccomp: runtimeDefault, Requests: map[string]map[string]string{"c": {"cpu": "100m", "memory": "64Mi"}}, Limits: map[string]string{"memory": "64Mi"}}},
		"requests of the pod as a whole": {corev1.PodSpec{Resources: &corev1.ResourceRequirements{Requests: list("cpu", "1", "memory", "1Gi")}, Containers: one(corev1.Container{}).Containers}, nil,
			outcome{Team: "filling", Seccomp: runtimeDefault, Requests: map[string]map[string]string{"c": {}}}},
		"one of the pod as a whole": {corev1.PodSpec{Resources: &corev1.ResourceRequirements{Requests: list("cpu", "1")}, Containers: one(corev1.Container{}).Containers}, nil,
			outcome{Team: "filling", Seccomp: runtimeDefault, Requests: map[string]map[string]string{"c": {"memory": "128Mi"}}}},
		"an init container": {corev1.PodSpec{InitContainers: []corev1.Container{{Name: "i", Image: "x"}}, Containers: one(corev1.Container{Resources: corev1.ResourceRequirements{Requests: list("cpu", "1", "memory", "1Gi")}}).Containers}, nil,
			outcome{Team: "filling", Seccomp: runtimeDefault, Requests: map[string]map[string]string{"i": both, "c": {"cpu": "1", "memory": "1Gi"}}}},
		"another profile": {corev1.PodSpec{SecurityContext: &corev1.PodSecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: "Unconfined"}}, Containers: one(corev1.Container{}).Containers}, nil,
			outcome{Team: "filling", Seccomp: &corev1.SeccompProfile{Type: "Unconfined"}, Requests: map[string]map[string]string{"c": both}}},
		"a container's own profile": {one(corev1.Container{SecurityContext: &corev1.SecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: "Localhost", LocalhostProfile: ptr.To("a")}}}), nil,
			outcome{Team: "filling", Seccomp: runtimeDefault, Requests: map[string]map[string]string{"c": both}, Container: &corev1.SeccompProfile{Type: "Localhost", LocalhostProfile: ptr.To("a")}}},
		"of Windows": {corev1.PodSpec{OS: &corev1.PodOS{Name: "windows"}, Containers: one(corev1.Container{}).Containers}, nil,
			outcome{Team: "filling", Requests: map[string]map[string]string{"c": both}}},
		"what a list has twice": {one(corev1.Container{Env: []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "A", Value: "2"}},
			Ports: []corev1.ContainerPort{{ContainerPort: 53, Protocol: "TCP"}, {ContainerPort: 53, Protocol: "UDP"}}}), nil,
			outcome{Team: "filling", Seccomp: runtimeDefault, Requests: map[string]map[string]string{"c": both}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := filled(t, ns, c.spec, c.labels)
			if diff := cmp.Diff(c.want, of(p)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			// What was said is as it was.
			if diff := cmp.Diff(c.spec.Containers[0].Env, p.Spec.Containers[0].Env); diff != "" {
				t.Errorf("its environment changed: %s", diff)
			}
		})
	}
}

// Where a LimitRange fills in it comes first; templates, other namespaces and what is there
// already are left alone.
func TestNotFilledIn(t *testing.T) {
	ns := filling(t)
	must(t, env.Client.Create(t.Context(), &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "l", Namespace: ns}, Spec: corev1.LimitRangeSpec{
		Limits: []corev1.LimitRangeItem{{Type: "Container", DefaultRequest: corev1.ResourceList{"cpu": resource.MustParse("7m")}, Default: corev1.ResourceList{"cpu": resource.MustParse("9")}}}}}))
	testenv.Eventually(t, func() error {
		p := filled(t, ns, corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "x"}}}, nil)
		if cpu := p.Spec.Containers[0].Resources.Requests.Cpu().String(); cpu != "7m" {
			return fmt.Errorf("cpu is %s and not the LimitRange's", cpu)
		}
		if memory := p.Spec.Containers[0].Resources.Requests.Memory().String(); memory != "128Mi" {
			return fmt.Errorf("memory is %s, which the LimitRange does not fill in", memory)
		}
		return nil
	})
	d := example(t, ruleNamed(t, "image-tag").Good)
	d.SetNamespace(ns)
	want := template(t, d)["spec"].(fields)["containers"]
	must(t, env.Client.Create(t.Context(), d))
	spec := template(t, d)["spec"].(fields)
	got := spec["containers"].([]any)[0].(fields)
	if resources := got["resources"].(fields); len(resources) > 0 || len(spec["securityContext"].(fields)) > 0 {
		t.Errorf("a template was filled in: %v, was %v", spec, want)
	}
	p := filled(t, "default", corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "x"}}}, nil)
	if p.Labels[v1alpha1.LabelTeam] != "" || len(p.Spec.Containers[0].Resources.Requests) > 0 || p.Spec.SecurityContext.SeccompProfile != nil {
		t.Errorf("a pod of no team was filled in: %v %v", p.Labels, p.Spec)
	}
}
