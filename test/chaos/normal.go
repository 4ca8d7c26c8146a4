package main

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/render"
)

// normal is what of an object must be the same in every run: no times, versions or UIDs, nothing of other controllers.
func normal(u *unstructured.Unstructured) map[string]any {
	out := map[string]any{}
	for field, value := range u.Object {
		switch field {
		case "apiVersion", "kind", "metadata", "status", "operation": // the last is Argo CD's, while it syncs
		default:
			out[field] = value
		}
	}
	if u.GetKind() == "Namespace" {
		delete(out, "spec") // the finalizer of the namespace controller
	}
	labels := u.GetLabels()
	delete(labels, "kubernetes.io/metadata.name")
	set(out, "labels", labels)
	set(out, "annotations", marks(u))
	if finalizers := slices.Sorted(slices.Values(u.GetFinalizers())); len(finalizers) > 0 {
		out["finalizers"] = finalizers
	}
	if u.GetDeletionTimestamp() != nil {
		out["going"] = true
	}
	return out
}

// marks are Demarc's annotations. The hash of what was applied stands for itself: what was applied is compared.
func marks(u *unstructured.Unstructured) map[string]string {
	out := map[string]string{}
	for name, value := range u.GetAnnotations() {
		if !strings.HasPrefix(name, v1alpha1.GroupName+"/") {
			continue
		}
		if name == v1alpha1.AnnotationApplied {
			value = "(a hash)"
		}
		out[name] = value
	}
	return out
}

func set(out map[string]any, field string, values map[string]string) {
	if len(values) > 0 {
		out[field] = values
	}
}

// rendered is the same of an object as render makes it; the Ensurer adds the hash.
func rendered(o render.Object) map[string]any {
	o = o.DeepCopy()
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[v1alpha1.AnnotationApplied] = ""
	o.SetAnnotations(annotations)
	return normal(o)
}

// asked is what must be the same of one of Demarc's own objects: what was asked, and what is said of it.
func asked(o metav1.Object, spec any, observed int64, conditions []metav1.Condition) map[string]any {
	out := map[string]any{"spec": fields(spec), "says": says(conditions)}
	if len(o.GetFinalizers()) > 0 {
		out["finalizers"] = o.GetFinalizers()
	}
	if o.GetDeletionTimestamp() != nil {
		out["going"] = true
	}
	for _, c := range conditions {
		if c.ObservedGeneration != o.GetGeneration() || observed != o.GetGeneration() {
			out["stale"] = fmt.Sprintf("%s speaks of generation %d, the status of %d, and it is %d", c.Type, c.ObservedGeneration, observed, o.GetGeneration())
		}
	}
	return out
}

func fields(spec any) map[string]any {
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(spec)
	if err != nil {
		panic(err) // a type of ours that is no JSON
	}
	return out
}

// says are conditions without their times and words.
func says(conditions []metav1.Condition) []string {
	var out []string
	for _, c := range conditions {
		out = append(out, said(c.Type, c.Status, c.Reason))
	}
	slices.Sort(out)
	return out
}

func said(kind string, status metav1.ConditionStatus, reason string) string {
	return fmt.Sprintf("%s=%s %s", kind, status, reason)
}

// running is what must be the same of a service's Deployment.
func running(image string, replicas, available int32, env []string) map[string]any {
	return map[string]any{"image": image, "replicas": replicas, "available": available, "env": env}
}

func deployment(d *appsv1.Deployment) map[string]any {
	c := d.Spec.Template.Spec.Containers[0]
	var env []string
	for _, e := range c.Env {
		env = append(env, e.Name+"="+e.Value)
	}
	out := running(c.Image, *d.Spec.Replicas, d.Status.AvailableReplicas, env)
	if d.DeletionTimestamp != nil {
		out["going"] = true
	}
	return out
}
