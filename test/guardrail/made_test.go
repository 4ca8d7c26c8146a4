package guardrail

import (
	"errors"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/testenv"
)

var kubeSystem = []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"}

// What Kubernetes' controllers make from a template is not judged a second time. Who
// claims to have done so and is a person is judged, and so is a controller that makes
// something of no owner.
func TestMadeFromATemplate(t *testing.T) {
	r, _ := guardrail.Find("privileged")
	pods := template(t, example(t, r.Bad))
	owned := func(apiVersion, kind string) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: "web", UID: "0c9e4a0e-0000-4000-8000-000000000000", Controller: ptr.To(true)}
	}
	plain := func(r metav1.OwnerReference) metav1.OwnerReference { r.Controller = nil; return r }
	for _, c := range []struct {
		name, user string
		groups     []string
		makes      int // of shapes
		owner      *metav1.OwnerReference
		passes     bool
	}{
		{"the pods of a ReplicaSet", "system:serviceaccount:kube-system:replicaset-controller", kubeSystem, 0, ptr.To(owned("apps/v1", "ReplicaSet")), true},
		{"the pods of a StatefulSet", "system:serviceaccount:kube-system:statefulset-controller", kubeSystem, 0, ptr.To(owned("apps/v1", "StatefulSet")), true},
		{"the pods of a DaemonSet", "system:serviceaccount:kube-system:daemon-set-controller", kubeSystem, 0, ptr.To(owned("apps/v1", "DaemonSet")), true},
		{"the pods of a Job", "system:serviceaccount:kube-system:job-controller", kubeSystem, 0, ptr.To(owned("batch/v1", "Job")), true},
		{"the pods of a ReplicationController", "system:serviceaccount:kube-system:replication-controller", kubeSystem, 0, ptr.To(owned("v1", "ReplicationController")), true},
		{"the ReplicaSets of a Deployment", "system:serviceaccount:kube-system:deployment-controller", kubeSystem, 5, ptr.To(owned("apps/v1", "Deployment")), true},
		{"the Jobs of a CronJob", "system:serviceaccount:kube-system:cronjob-controller", kubeSystem, 6, ptr.To(owned("batch/v1", "CronJob")), true},
		{"all controllers as one user", "system:kube-controller-manager", []string{"system:masters"}, 0, ptr.To(owned("apps/v1", "ReplicaSet")), true},
		{"a person with the same owner", "mallory", []string{"system:masters"}, 0, ptr.To(owned("apps/v1", "ReplicaSet")), false},
		{"a person's ReplicaSet with an owner", "mallory", []string{"system:masters"}, 5, ptr.To(owned("apps/v1", "Deployment")), false},
		{"another account of kube-system", "system:serviceaccount:kube-system:helper", append(kubeSystem, "system:masters"), 0, ptr.To(owned("apps/v1", "ReplicaSet")), false},
		{"an account of the same name elsewhere", "system:serviceaccount:team-x:replicaset-controller", []string{"system:masters"}, 0, ptr.To(owned("apps/v1", "ReplicaSet")), false},
		{"a controller without an owner", "system:serviceaccount:kube-system:replicaset-controller", append(kubeSystem, "system:masters"), 0, nil, false},
		{"an owner that does not control", "system:serviceaccount:kube-system:replicaset-controller", append(kubeSystem, "system:masters"), 0, ptr.To(plain(owned("apps/v1", "ReplicaSet"))), false},
		{"an owner whose template nobody judged", "system:serviceaccount:kube-system:job-controller", append(kubeSystem, "system:masters"), 0, ptr.To(owned("example.com/v1", "ReplicaSet")), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := shapes[c.makes].of(pods)
			o.SetNamespace(v1alpha1.NamespaceOf(r.ID))
			if c.owner != nil {
				o.SetOwnerReferences([]metav1.OwnerReference{*c.owner})
			}
			by, _ := as(t, c.user, c.groups...)
			err := by.Create(t.Context(), o, client.DryRunAll)
			switch {
			case c.passes && err != nil:
				t.Errorf("refused: %v", err)
			case !c.passes && !refusedBy(r.ID, err):
				t.Errorf("not refused: %v", err)
			}
		})
	}
}

// A mirror pod says what a node runs already, from a file of its own.
func TestMirrorPods(t *testing.T) {
	r, _ := guardrail.Find("privileged")
	o := shapes[0].of(template(t, example(t, r.Bad)))
	o.SetNamespace(v1alpha1.NamespaceOf(r.ID))
	o.SetAnnotations(map[string]string{"kubernetes.io/config.mirror": "x"})
	must(t, unstructured.SetNestedField(o.Object, "one", "spec", "nodeName"))
	if err := env.Client.Create(t.Context(), o.DeepCopy(), client.DryRunAll); !refusedBy(r.ID, err) {
		t.Errorf("a person's: %v", err)
	}
	node, _ := as(t, "system:node:one", "system:nodes", "system:masters")
	if err := node.Create(t.Context(), o.DeepCopy(), client.DryRunAll); err != nil {
		t.Errorf("a node's: %v", err)
	}
}

// Namespaces that are no team's are nobody's to judge here.
func TestOtherNamespaces(t *testing.T) {
	must(t, client.IgnoreAlreadyExists(env.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "foreign"}})))
	for _, r := range guardrail.Catalogue() {
		for _, ns := range []string{"kube-system", "default", "foreign"} {
			o := example(t, r.Bad)
			o.SetNamespace(ns)
			err := env.Client.Create(t.Context(), o, client.DryRunAll)
			if r.ID == "priority-class" && apierrors.IsForbidden(err) {
				continue // Kubernetes' own classes are refused by Kubernetes itself
			}
			if err != nil {
				t.Errorf("%s in %s: %v", r.ID, ns, err)
			}
		}
	}
}

// A rule that an old Deployment breaks freezes none of Kubernetes' own controllers: it can
// be scaled, and one of its faults mended while the other stays. (Day 2, 0.5.)
func TestControllersAreNotFrozen(t *testing.T) {
	d := example(t, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - {name: web, image: "evil.example/web:1"}
        - {name: log, image: "evil.example/log:1"}
`)
	controllers(t, "deployment-controller,replicaset-controller")
	before(t, "image-registry", d)
	grown := func(replicas int32, generation int64) error {
		var live appsv1.Deployment
		if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(d), &live); err != nil {
			return err
		}
		if live.Status.ObservedGeneration < generation || live.Status.UpdatedReplicas != replicas {
			return fmt.Errorf("generation %d of %d, %d updated of %d: %+v", live.Status.ObservedGeneration, live.Generation, live.Status.UpdatedReplicas, replicas, live.Status.Conditions)
		}
		return nil
	}
	testenv.Eventually(t, func() error { return grown(2, 1) })
	must(t, change(t, d, func(o *unstructured.Unstructured) {
		must(t, unstructured.SetNestedField(o.Object, int64(3), "spec", "replicas"))
	}))
	testenv.Eventually(t, func() error { return grown(3, 2) })
	must(t, change(t, d, func(o *unstructured.Unstructured) {
		must(t, unstructured.SetNestedSlice(o.Object, []any{fields{"name": "web", "image": "registry.example/web:1"}, fields{"name": "log", "image": "evil.example/log:1"}},
			"spec", "template", "spec", "containers"))
	}))
	testenv.Eventually(t, func() error { return errors.Join(grown(1, 3), imagesOf(t, d.GetNamespace())) })
}

// imagesOf is nil once a pod runs the image that was mended.
func imagesOf(t *testing.T, ns string) error {
	t.Helper()
	var pods corev1.PodList
	if err := env.Client.List(t.Context(), &pods, client.InNamespace(ns)); err != nil {
		return err
	}
	for i := range pods.Items {
		if pods.Items[i].Spec.Containers[0].Image == "registry.example/web:1" {
			return nil
		}
	}
	return fmt.Errorf("none of %d pods has the image that was mended", len(pods.Items))
}
