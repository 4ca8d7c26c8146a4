package admitted_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/guardrail/admitted"
)

// test/parity compares all this with a real API server, field by field; here is what is easy
// to get wrong.
func decode(t *testing.T, text string) admitted.Object {
	t.Helper()
	o, err := admitted.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},
	"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"IMAGE","resources":{"limits":{"cpu":"1000m"}}}]}}}}`

func TestDecode(t *testing.T) {
	if _, typed := decode(t, deployment).(*appsv1.Deployment); !typed {
		t.Error("a Deployment has no type")
	}
	if _, plain := decode(t, `{"apiVersion":"example.com/v1","kind":"Deployment","metadata":{"name":"d"}}`).(*unstructured.Unstructured); !plain {
		t.Error("somebody else's Deployment has a type")
	}
	pod := decode(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"hostnetwork":true,"nothing":1}}`).(*corev1.Pod)
	if pod.Spec.HostNetwork {
		t.Error("the case of a field does not count")
	}
	for _, text := range []string{`{"apiVersion":"v1","kind":"Pod","spec":{"containers":1}}`, `[]`, ``} {
		if _, err := admitted.Decode([]byte(text)); err == nil {
			t.Errorf("%q is an object", text)
		}
	}
}

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		gvk             schema.GroupVersionKind
		resource        string
		cluster, served bool
	}{
		{schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"}, "networkpolicies", false, true},
		{schema.GroupVersionKind{Version: "v1", Kind: "Endpoints"}, "endpoints", false, true},
		{schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "namespaces", true, true},
		{schema.GroupVersionKind{Group: "demarc.dev", Version: "v1alpha1", Kind: "GuardrailSet"}, "guardrailsets", true, true},
		{schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Policy"}, "policies", false, true},
		{schema.GroupVersionKind{Group: "extensions", Version: "v1beta1", Kind: "Ingress"}, "ingresses", false, false},
		{schema.GroupVersionKind{Group: "policy", Version: "v1beta1", Kind: "PodSecurityPolicy"}, "podsecuritypolicies", false, false},
	} {
		k := admitted.KindOf(c.gvk)
		if k.Resource.Resource != c.resource || k.Cluster != c.cluster || admitted.Served(c.gvk) != c.served {
			t.Errorf("%s: %+v, served %v", c.gvk, k, admitted.Served(c.gvk))
		}
	}
}

// An update keeps what was stored, and has a time of its own unless nothing changes.
func TestUpdate(t *testing.T) {
	old := admitted.Stored(decode(t, deployment), noon, admitted.Surroundings{})
	same := admitted.Update(decode(t, deployment), old, noon)
	if diff := cmp.Diff(old, same); diff != "" {
		t.Errorf("what does not change changes\n%s", diff)
	}
	other := decode(t, deployment).(*appsv1.Deployment)
	other.Spec.Replicas = new(int32)
	changed := admitted.Update(other, old, noon).(*appsv1.Deployment)
	was := old.(*appsv1.Deployment)
	if changed.Generation != 2 || was.Generation != 1 || changed.UID != was.UID || !changed.CreationTimestamp.Equal(&was.CreationTimestamp) {
		t.Errorf("generation %d after %d, made %s", changed.Generation, was.Generation, changed.CreationTimestamp)
	}
	if at := changed.ManagedFields[0].Time; !at.Time.Equal(noon) || !was.ManagedFields[0].Time.Before(at) {
		t.Errorf("it is changed at %s, and was at %s", at, was.ManagedFields[0].Time)
	}
	if *other.Spec.Replicas != 0 || other.Spec.Strategy.Type != "" {
		t.Error("what was handed in is changed")
	}
}

func TestPullPolicy(t *testing.T) {
	for image, want := range map[string]corev1.PullPolicy{
		"nginx": "Always", "nginx:latest": "Always", "registry.example:5000/x": "Always", "nginx:1": "IfNotPresent", "registry.example:5000/x:1": "IfNotPresent",
		"nginx@sha256:0123456789012345678901234567890123456789012345678901234567890123": "IfNotPresent", "Not An Image": "IfNotPresent", "": "IfNotPresent",
	} {
		pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Image: image}}}}
		admitted.Default(pod)
		if got := pod.Spec.Containers[0].ImagePullPolicy; got != want {
			t.Errorf("%q is pulled %s, want %s", image, got, want)
		}
	}
}

// Requests follow limits in a pod, and not in a template of one; quantities are canonical.
func TestRequests(t *testing.T) {
	d := decode(t, deployment).(*appsv1.Deployment)
	admitted.Default(d)
	pod := &corev1.Pod{Spec: *d.Spec.Template.Spec.DeepCopy()}
	admitted.Default(pod)
	if len(d.Spec.Template.Spec.Containers[0].Resources.Requests) > 0 {
		t.Error("a template requests what it is limited to")
	}
	if q := pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU]; q.String() != "1" {
		t.Errorf("a pod requests %s", q.String())
	}
}

// An autoscaler of the old version is one of the new.
func TestConvert(t *testing.T) {
	old := decode(t, `{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},"spec":{"maxReplicas":5,"targetCPUUtilizationPercentage":60,
		"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}`)
	admitted.Default(old)
	newer := &autoscalingv2.HorizontalPodAutoscaler{}
	if err := admitted.NewInterfaces().Convert(old, newer, nil); err != nil {
		t.Fatal(err)
	}
	if newer.Spec.MaxReplicas != 5 || *newer.Spec.MinReplicas != 1 || *newer.Spec.Metrics[0].Resource.Target.AverageUtilization != 60 || newer.Name != "a" {
		t.Errorf("it is %+v", newer.Spec)
	}
	again := &autoscalingv1.HorizontalPodAutoscaler{}
	if err := admitted.NewInterfaces().Convert(newer, again, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(old.(*autoscalingv1.HorizontalPodAutoscaler).Spec, again.Spec); diff != "" {
		t.Errorf("there and back (-want +got)\n%s", diff)
	}
}
