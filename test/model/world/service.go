package world

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Stateful ends the names of claims whose chart brings a ConfigMap, which the operator may
// not look at, and asks Argo CD to keep a volume.
const Stateful = "-data"

// Delivered are the kinds of what Applications bring.
var Delivered = []string{"ConfigMap", "Deployment", "PersistentVolumeClaim"}

// desired is what an Application renders to.
func desired(app Object) []Object {
	values, _, _ := unstructured.NestedMap(app.Object, "spec", "source", "helm", "valuesObject")
	namespace, _, _ := unstructured.NestedString(app.Object, "spec", "destination", "namespace")
	name, _ := values["claim"].(string)
	labels := map[string]any{"demarc.dev/claim": name}
	template := map[string]any{"metadata": map[string]any{"labels": labels},
		"spec": map[string]any{"containers": []any{map[string]any{"name": name, "image": values["image"],
			"ports": []any{map[string]any{"containerPort": values["port"]}}}}}}
	deployment := object("apps/v1", "Deployment", namespace, name, map[string]any{
		"replicas": values["replicas"], "selector": map[string]any{"matchLabels": labels}, "template": template})
	deployment.SetLabels(map[string]string{"demarc.dev/claim": name})
	all := []Object{deployment}
	if strings.HasSuffix(name, Stateful) {
		volume := object("v1", "PersistentVolumeClaim", namespace, name, map[string]any{"accessModes": []any{"ReadWriteOnce"}})
		volume.SetAnnotations(map[string]string{"argocd.argoproj.io/sync-options": "Delete=false"})
		all = append(all, object("v1", "ConfigMap", namespace, name, nil), volume)
	}
	for _, o := range all {
		annotations := o.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations["argocd.argoproj.io/tracking-id"] = app.GetName() + ":/" + o.GetKind() + ":" + namespace + "/" + o.GetName()
		o.SetAnnotations(annotations)
	}
	return all
}

func object(apiVersion, kind, namespace, name string, spec map[string]any) Object {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	if spec != nil {
		o.Object["spec"] = spec
	}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

func sameSpec(a, b Object) bool {
	return equality.Semantic.DeepEqual(a.Object["spec"], b.Object["spec"])
}

// Deployments lets the nodes and the controllers of workloads do their next write: a pod
// for each Deployment, and then its status.
func (w *World) Deployments() bool {
	for _, d := range w.Now("Deployment") {
		if d.GetDeletionTimestamp() != nil {
			continue
		}
		if w.objects[Key{"Pod", d.GetNamespace(), d.GetName()}] == nil {
			if _, err := w.Create("nodes", pod(d)); err == nil {
				return true
			}
			continue
		}
		before := d.GetResourceVersion()
		after, err := w.Update("nodes", KeyOf(d), func(o Object) error {
			n, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
			o.Object["status"] = map[string]any{"observedGeneration": o.GetGeneration(),
				"replicas": n, "updatedReplicas": n, "readyReplicas": n, "availableReplicas": n}
			return nil
		})
		if err == nil && after.GetResourceVersion() != before {
			return true
		}
	}
	return false
}

// pod stands for all of a Deployment's.
func pod(d Object) Object {
	spec, _, _ := unstructured.NestedMap(d.Object, "spec", "template", "spec")
	p := object("v1", "Pod", d.GetNamespace(), d.GetName(), spec)
	p.SetLabels(d.GetLabels())
	controller := true
	p.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: d.GetName() + "-1", UID: d.GetUID(), Controller: &controller}})
	p.Object["status"] = map[string]any{"phase": "Running", "conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}
	return p
}
