package guardrail

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

// pod that runs in a team's namespace.
func pod(t *testing.T, team string, spec corev1.PodSpec) *corev1.Pod {
	t.Helper()
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "p-", Namespace: v1alpha1.NamespaceOf(team)}, Spec: spec}
	must(t, env.Client.Create(t.Context(), p))
	return p
}

// A container that is put into a running pod is judged as the others are, and not once
// more when something else is put in.
func TestEphemeralContainers(t *testing.T) {
	t.Parallel()
	p := pod(t, "image-registry", corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}})
	with := func(p *corev1.Pod, image string) *corev1.Pod {
		p = p.DeepCopy()
		p.Spec.EphemeralContainers = append(p.Spec.EphemeralContainers, corev1.EphemeralContainer{
			EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Image: image}})
		return p
	}
	into := func(p *corev1.Pod) error { return env.Client.SubResource("ephemeralcontainers").Update(t.Context(), p) }
	err := into(with(p, "evil.example/debug:1"))
	if !refusedBy("image-registry", err) || !strings.Contains(err.Error(), "spec.ephemeralContainers[debug].image is evil.example/debug:1") {
		t.Errorf("a bad one: %v", err)
	}
	if err := into(with(p, "registry.example/debug:1")); err != nil {
		t.Errorf("a good one: %v", err)
	}
}

// Ephemeral containers are judged by every rule about containers that they can break.
func TestEphemeralContainersByEveryRule(t *testing.T) {
	for rule, c := range map[string]corev1.EphemeralContainerCommon{
		"image-tag":            {Image: "x:latest"},
		"privileged":           {Image: "x:1", SecurityContext: &corev1.SecurityContext{Privileged: ptr.To(true)}},
		"privilege-escalation": {Image: "x:1"},
		"capabilities":         {Image: "x:1", SecurityContext: &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"SYS_PTRACE"}}}},
		"capabilities-dropped": {Image: "x:1"},
		"capabilities-kept":    {Image: "x:1", SecurityContext: &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"CHOWN"}}}},
		"run-as-non-root":      {Image: "x:1", SecurityContext: &corev1.SecurityContext{RunAsUser: ptr.To(int64(0))}},
		"seccomp":              {Image: "x:1", SecurityContext: &corev1.SecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: "Unconfined"}}},
		"pod-security":         {Image: "x:1", SecurityContext: &corev1.SecurityContext{AppArmorProfile: &corev1.AppArmorProfile{Type: "Unconfined"}}},
		"env-secret":           {Image: "x:1", Env: []corev1.EnvVar{{Name: "API_KEY", Value: "open-sesame"}}},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			good := &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false), RunAsUser: ptr.To(int64(1000)), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}
			p := pod(t, rule, corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "x:1", SecurityContext: good}}})
			c.Name = "debug"
			p.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: c}}
			err := env.Client.SubResource("ephemeralcontainers").Update(t.Context(), p)
			if !refusedBy(rule, err) || !strings.Contains(err.Error(), "spec.ephemeralContainers[debug].") {
				t.Errorf("%v", err)
			}
		})
	}
}

// A running pod is not made larger than one may be made.
func TestResize(t *testing.T) {
	t.Parallel()
	cpu := func(q string) corev1.ResourceRequirements {
		return corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse(q), "memory": resource.MustParse("1Gi")}}
	}
	p := pod(t, "request-max", corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "x:1", Resources: cpu("1")}}})
	to := func(q string) error {
		sized := p.DeepCopy()
		sized.Spec.Containers[0].Resources = cpu(q)
		return env.Client.SubResource("resize").Update(t.Context(), sized)
	}
	if err := to("5"); !refusedBy("request-max", err) || !strings.Contains(err.Error(), "spec.containers[web].resources.requests.cpu is 5") {
		t.Errorf("to more than is allowed: %v", err)
	}
	if err := to("4"); err != nil {
		t.Errorf("to as much as is allowed: %v", err)
	}
}

// What is scaled is judged as if the number had been written; an autoscaler is judged at
// its own bounds and not again when it scales.
func TestScale(t *testing.T) {
	one := map[string]string{"app": "web"}
	pods := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: one}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "x:1"}}}}
	of := func(rule string) []client.Object {
		m := metav1.ObjectMeta{GenerateName: "s-", Namespace: v1alpha1.NamespaceOf(rule)}
		by := &metav1.LabelSelector{MatchLabels: one}
		return []client.Object{
			&appsv1.Deployment{ObjectMeta: m, Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](2), Selector: by, Template: pods}},
			&appsv1.StatefulSet{ObjectMeta: m, Spec: appsv1.StatefulSetSpec{Replicas: ptr.To[int32](2), Selector: by, Template: pods}},
			&appsv1.ReplicaSet{ObjectMeta: m, Spec: appsv1.ReplicaSetSpec{Replicas: ptr.To[int32](2), Selector: by, Template: pods}},
			&corev1.ReplicationController{ObjectMeta: m, Spec: corev1.ReplicationControllerSpec{Replicas: ptr.To[int32](2), Selector: one, Template: &pods}},
		}
	}
	scale := func(c client.Client, o client.Object, to int32) error {
		return c.SubResource("scale").Update(t.Context(), o.DeepCopyObject().(client.Object), client.WithSubResourceBody(&autoscalingv1.Scale{
			ObjectMeta: metav1.ObjectMeta{Name: o.GetName(), Namespace: o.GetNamespace()}, Spec: autoscalingv1.ScaleSpec{Replicas: to}}))
	}
	autoscaler, _ := as(t, "system:serviceaccount:kube-system:horizontal-pod-autoscaler", append(kubeSystem, "system:masters")...)
	for _, o := range of("replica-max") {
		must(t, env.Client.Create(t.Context(), o))
		if err := scale(env.Client, o, 21); !refusedBy("replica-max", err) || !strings.Contains(err.Error(), "spec.replicas is 21; at most 20") {
			t.Errorf("%T to 21: %v", o, err)
		}
		if err := scale(env.Client, o, 20); err != nil {
			t.Errorf("%T to 20: %v", o, err)
		}
		if err := scale(env.Client, o, 0); err != nil {
			t.Errorf("%T to 0: %v", o, err)
		}
		if err := scale(autoscaler, o, 30); err != nil {
			t.Errorf("%T to 30 by the autoscaler: %v", o, err)
		}
		if err := scale(env.Client, o, 25); err != nil {
			t.Errorf("%T from 30 to 25: %v", o, err)
		}
		if err := scale(env.Client, o, 26); !refusedBy("replica-max", err) {
			t.Errorf("%T from 25 to 26: %v", o, err)
		}
	}
	d := of("min-replicas")[0]
	must(t, env.Client.Create(t.Context(), d))
	if err := scale(env.Client, d, 1); !refusedBy("min-replicas", err) {
		t.Errorf("to 1: %v", err)
	}
	for _, to := range []int32{0, 2} {
		if err := scale(env.Client, d, to); err != nil {
			t.Errorf("to %d: %v", to, err)
		}
	}
	if err := scale(autoscaler, d, 1); err != nil {
		t.Errorf("to 1 by the autoscaler: %v", err)
	}
}

// Status is nobody's to judge: a kubelet, or a controller, says what is.
func TestStatus(t *testing.T) {
	d := example(t, ruleNamed(t, "privileged").Bad)
	before(t, "privileged", d)
	live := &appsv1.Deployment{}
	must(t, env.Client.Get(t.Context(), client.ObjectKeyFromObject(d), live))
	live.Status.Replicas = 3
	if err := env.Client.Status().Update(t.Context(), live); err != nil {
		t.Error(err)
	}
}
