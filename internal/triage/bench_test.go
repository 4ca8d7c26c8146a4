package triage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// many is a cluster of 50 teams with so many pods, a tenth as many services, half as many
// events, and one pod in twenty that loops.
func many(tb testing.TB, pods int) *snapshot.Set {
	tb.Helper()
	set := &snapshot.Set{At: now}
	for i := range 50 {
		add(tb, set, "v1", "Namespace", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: teamSpace(i), Labels: map[string]string{v1alpha1.LabelTenant: fmt.Sprintf("t%02d", i)}}})
	}
	for i := range pods / 100 {
		add(tb, set, "v1", "Node", aNode(i))
	}
	for i := range pods / 10 {
		service(tb, set, i)
	}
	for i := range pods / 2 {
		e := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("e%d", i), Namespace: teamSpace(i / 10)}, Reason: "BackOff", Message: "Back-off restarting failed container app in pod",
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: teamSpace(i / 10), Name: podName(i/10, i%10)}, LastTimestamp: metav1.NewTime(now.Add(-time.Minute))}
		add(tb, set, "v1", "Event", e)
	}
	return set
}

func teamSpace(i int) string        { return fmt.Sprintf("team-t%02d", i%50) }
func podName(service, n int) string { return fmt.Sprintf("s%04d-6c8d9f7b54-%d", service, n) }

// service is a Service with its Deployment, ReplicaSet, ten pods and their slice.
func service(tb testing.TB, set *snapshot.Set, i int) {
	name, ns, labels := fmt.Sprintf("s%04d", i), teamSpace(i), map[string]string{"app": fmt.Sprintf("s%04d", i)}
	meta := func(n string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: n, Namespace: ns, Labels: labels, UID: types.UID(ns + n), CreationTimestamp: metav1.NewTime(now.Add(-time.Hour))}
	}
	owned := func(n, group, kind, owner string) metav1.ObjectMeta {
		m := meta(n)
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: group, Kind: kind, Name: owner, Controller: ptr.To(true)}}
		return m
	}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: aPod()}
	add(tb, set, "v1", "Service", &corev1.Service{ObjectMeta: meta(name), Spec: corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromString("http")}}}})
	add(tb, set, "apps/v1", "Deployment", &appsv1.Deployment{ObjectMeta: meta(name), Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](10), Template: template}, Status: appsv1.DeploymentStatus{Replicas: 10, AvailableReplicas: 10}})
	add(tb, set, "apps/v1", "ReplicaSet", &appsv1.ReplicaSet{ObjectMeta: owned(name+"-6c8d9f7b54", "apps/v1", "Deployment", name), Spec: appsv1.ReplicaSetSpec{Replicas: ptr.To[int32](10), Template: template}, Status: appsv1.ReplicaSetStatus{Replicas: 10}})
	slice := &discoveryv1.EndpointSlice{ObjectMeta: meta(name + "-x")}
	slice.Labels = map[string]string{discoveryv1.LabelServiceName: name}
	for n := range 10 {
		p := &corev1.Pod{ObjectMeta: owned(podName(i, n), "apps/v1", "ReplicaSet", name+"-6c8d9f7b54"), Spec: aPod(), Status: aStatus(n == 0 && i%2 == 0)}
		p.Spec.NodeName = fmt.Sprintf("node-%d", (i*10+n)/100)
		add(tb, set, "v1", "Pod", p)
		slice.Endpoints = append(slice.Endpoints, discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}, Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(n != 0)}})
	}
	add(tb, set, "discovery.k8s.io/v1", "EndpointSlice", slice)
}

func aNode(i int) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%d", i)}}
	n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("64"), "memory": resource.MustParse("256Gi"), "pods": resource.MustParse("250")}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return n
}

func aPod() corev1.PodSpec {
	c := corev1.Container{Name: "app", Image: "registry.example.com/app:1", Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}}}
	c.Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")}
	c.ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromString("http")}}}
	c.VolumeMounts = []corev1.VolumeMount{{Name: "kube-api-access", MountPath: "/var/run/secrets"}}
	spec := corev1.PodSpec{RestartPolicy: corev1.RestartPolicyAlways, Volumes: []corev1.Volume{{Name: "kube-api-access", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}}}}
	spec.Containers = []corev1.Container{c, c}
	spec.Containers[1].Name = "proxy"
	spec.Tolerations = []corev1.Toleration{{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists}, {Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists}}
	return spec
}

func aStatus(loops bool) corev1.PodStatus {
	s := corev1.PodStatus{Phase: corev1.PodRunning, StartTime: ptr.To(metav1.NewTime(now.Add(-time.Hour)))}
	ready := corev1.ConditionTrue
	running := corev1.ContainerStatus{Name: "app", Image: "registry.example.com/app:1", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	s.ContainerStatuses = []corev1.ContainerStatus{running, running}
	s.ContainerStatuses[1].Name = "proxy"
	if loops {
		ready = corev1.ConditionFalse
		s.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
		s.ContainerStatuses[0].LastTerminationState = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}}
		s.ContainerStatuses[0].RestartCount = 9
	}
	for _, kind := range []corev1.PodConditionType{corev1.PodReady, corev1.ContainersReady} {
		s.Conditions = append(s.Conditions, corev1.PodCondition{Type: kind, Status: ready, LastTransitionTime: metav1.NewTime(now.Add(-time.Hour))})
	}
	return s
}

func add(tb testing.TB, set *snapshot.Set, version, kind string, o any) {
	tb.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		tb.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetAPIVersion(version)
	u.SetKind(kind)
	set.Add(u)
}

// With many pods the same is found as with few: each workload that loops, once.
func TestMany(t *testing.T) {
	report := triage.Check(many(t, 2000), triage.Question{})
	if len(report.Findings) != 100 || len(report.Unread) > 0 || slices.ContainsFunc(ids(report), func(id string) bool { return id != "DM103" }) {
		t.Errorf("%d findings, %v", len(report.Findings), report.Unread)
	}
}

// BenchmarkCheck is 10,000 pods, 1,000 services and 5,000 events; in many namespaces, in one,
// and with half of the pods waiting for a node.
func BenchmarkCheck(b *testing.B) {
	for name, change := range map[string]func(snapshot.Object){
		"many namespaces": func(snapshot.Object) {},
		"one namespace": func(o snapshot.Object) {
			if o.GetNamespace() != "" {
				o.SetNamespace(teamSpace(0))
			}
		},
		"half of them pending": pend,
	} {
		b.Run(name, func(b *testing.B) {
			set := &snapshot.Set{At: now}
			for _, o := range many(b, 10_000).All() {
				change(o)
				set.Add(o)
			}
			b.ReportAllocs()
			for b.Loop() {
				triage.Check(set, triage.Question{})
			}
		})
	}
}

// BenchmarkFloor is the least that reading the same takes: each object decoded once into the type
// of its kind.
func BenchmarkFloor(b *testing.B) {
	set := many(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		for _, o := range set.All() {
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, typed(o.GetKind())); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func typed(kind string) any {
	switch kind {
	case "Pod":
		return &corev1.Pod{}
	case "Node":
		return &corev1.Node{}
	case "Namespace":
		return &corev1.Namespace{}
	case "Service":
		return &corev1.Service{}
	case "Event":
		return &corev1.Event{}
	case "Deployment":
		return &appsv1.Deployment{}
	case "ReplicaSet":
		return &appsv1.ReplicaSet{}
	}
	return &discoveryv1.EndpointSlice{}
}

// pend takes the node of every other pod away.
func pend(o snapshot.Object) {
	if o.GetKind() != "Pod" || strings.ContainsAny(o.GetName()[len(o.GetName())-1:], "02468") {
		return
	}
	unstructured.RemoveNestedField(o.Object, "spec", "nodeName")
	o.Object["status"] = map[string]any{"phase": "Pending", "conditions": []any{map[string]any{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
		"message": "0/100 nodes are available: 100 Insufficient cpu.", "lastTransitionTime": "2026-03-02T11:00:00Z"}}}
	containers, _, _ := unstructured.NestedSlice(o.Object, "spec", "containers")
	containers[0].(map[string]any)["resources"] = map[string]any{"requests": map[string]any{"cpu": "100"}}
	_ = unstructured.SetNestedSlice(o.Object, containers, "spec", "containers")
}
