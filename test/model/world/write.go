package world

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Create makes an object that is not there.
func (w *World) Create(actor string, o Object) (Object, error) {
	k := KeyOf(o)
	gr := resourceOf(o.GroupVersionKind())
	if !w.served(o.GroupVersionKind()) {
		return nil, apierrors.NewNotFound(gr, "")
	}
	if w.Going(k.Kind) {
		return nil, apierrors.NewMethodNotSupported(gr, "create")
	}
	if w.objects[k] != nil {
		return nil, apierrors.NewAlreadyExists(gr, k.Name)
	}
	if err := w.inNamespace(gr, k); err != nil {
		return nil, err
	}
	made := o.DeepCopy()
	made.SetUID(w.uid())
	made.SetGeneration(1)
	made.SetCreationTimestamp(metav1.NewTime(time.Now()))
	made.SetDeletionTimestamp(nil)
	if k.Kind == "Namespace" {
		_ = unstructured.SetNestedStringSlice(made.Object, []string{"kubernetes"}, "spec", "finalizers")
	}
	w.commit(actor, k, made)
	return made, nil
}

// inNamespace refuses what its namespace cannot take.
func (w *World) inNamespace(gr schema.GroupResource, k Key) error {
	if slices.Contains(clusterKinds, k.Kind) {
		return nil
	}
	ns := w.objects[Key{"Namespace", "", k.Namespace}]
	if ns == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, k.Namespace)
	}
	if ns.GetDeletionTimestamp() == nil {
		return nil
	}
	err := apierrors.NewForbidden(gr, k.Name, fmt.Errorf("unable to create new content in namespace %s because it is being terminated", k.Namespace))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: "NamespaceTerminating"})
	return err
}

// Update stores what change makes of an object, under the preconditions that it states.
func (w *World) Update(actor string, k Key, change func(Object) error) (Object, error) {
	before := w.objects[k]
	if before == nil {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: strings.ToLower(k.Kind) + "s"}, k.Name)
	}
	after := before.DeepCopy()
	if err := change(after); err != nil {
		return nil, err
	}
	gr := resourceOf(before.GroupVersionKind())
	if v := after.GetResourceVersion(); v != "" && v != before.GetResourceVersion() {
		return nil, apierrors.NewConflict(gr, k.Name, fmt.Errorf("the object has been modified; please apply your changes to the latest version"))
	}
	if uid := after.GetUID(); uid != "" && uid != before.GetUID() {
		return nil, apierrors.NewConflict(gr, k.Name, fmt.Errorf("Precondition failed: UID in precondition: %s, UID in object meta: %s", uid, before.GetUID()))
	}
	after.SetUID(before.GetUID())
	after.SetResourceVersion(before.GetResourceVersion())
	if before.GetDeletionTimestamp() != nil {
		for _, f := range after.GetFinalizers() {
			if !slices.Contains(before.GetFinalizers(), f) {
				return nil, apierrors.NewForbidden(gr, k.Name, fmt.Errorf("no new finalizers can be added if the object is being deleted, found new finalizers []string{%q}", f))
			}
		}
	}
	if !equality.Semantic.DeepEqual(before.Object["spec"], after.Object["spec"]) {
		after.SetGeneration(before.GetGeneration() + 1)
	}
	if equality.Semantic.DeepEqual(before.Object, after.Object) {
		return before, nil
	}
	if gone(after) {
		w.commit(actor, k, nil)
		return after, nil
	}
	w.commit(actor, k, after)
	return after, nil
}

// gone says that nothing holds an object any more that is being deleted.
func gone(o Object) bool {
	if o.GetDeletionTimestamp() == nil || len(o.GetFinalizers()) > 0 {
		return false
	}
	held, _, _ := unstructured.NestedStringSlice(o.Object, "spec", "finalizers")
	return o.GetKind() != "Namespace" || len(held) == 0
}

// MergePatch applies one to an object.
func (w *World) MergePatch(actor string, k Key, patch []byte) (Object, error) {
	var content map[string]any
	if err := json.Unmarshal(patch, &content); err != nil {
		return nil, err
	}
	return w.Update(actor, k, func(o Object) error {
		merge(o.Object, normal(content).(map[string]any))
		return nil
	})
}

// Apply is a server-side apply by a manager whose fields these are and who is not
// contested: maps are merged, lists replaced, finalizers added. Status alone is the
// status as a whole.
func (w *World) Apply(actor string, o Object, status bool) (Object, error) {
	k := KeyOf(o)
	if w.objects[k] == nil {
		if o.GetUID() != "" {
			return nil, apierrors.NewConflict(resourceOf(o.GroupVersionKind()), k.Name,
				fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", o.GetUID()))
		}
		return w.Create(actor, o)
	}
	return w.Update(actor, k, func(live Object) error {
		if o.GetUID() != "" {
			live.SetUID(o.GetUID())
		}
		if v := o.GetResourceVersion(); v != "" {
			live.SetResourceVersion(v)
		}
		if status {
			live.Object["status"] = normal(o.Object["status"])
			return nil
		}
		finalizers := live.GetFinalizers()
		merge(live.Object, normal(o.Object).(map[string]any))
		for _, f := range o.GetFinalizers() {
			if !slices.Contains(finalizers, f) {
				finalizers = append(finalizers, f)
			}
		}
		live.SetFinalizers(finalizers)
		return nil
	})
}

// Delete begins an object's deletion, and ends it where nothing holds it.
func (w *World) Delete(actor string, k Key, uid types.UID, extra ...string) error {
	before := w.objects[k]
	if before == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: strings.ToLower(k.Kind) + "s"}, k.Name)
	}
	gr := resourceOf(before.GroupVersionKind())
	if uid != "" && uid != before.GetUID() {
		return apierrors.NewConflict(gr, k.Name, fmt.Errorf("Precondition failed: UID in precondition: %s, UID in object meta: %s", uid, before.GetUID()))
	}
	if err := w.mayDelete(gr, before); err != nil {
		w.Refused = append(w.Refused, actor+": "+err.Error())
		return err
	}
	w.delete(actor, k, extra...)
	return nil
}

// delete is past admission, as the CRDs' own controller does it.
func (w *World) delete(actor string, k Key, extra ...string) {
	after := w.objects[k].DeepCopy()
	if after.GetDeletionTimestamp() != nil {
		return
	}
	now := metav1.NewTime(time.Now())
	after.SetDeletionTimestamp(&now)
	after.SetGeneration(after.GetGeneration() + 1)
	after.SetFinalizers(append(after.GetFinalizers(), extra...))
	if gone(after) {
		after = nil
	}
	w.commit(actor, k, after)
}

// mayDelete is the policies demarc-deletion and demarc-argocd; nobody in this world
// holds the verb force.
func (w *World) mayDelete(gr schema.GroupResource, o Object) error {
	if o.GetKind() == "Namespace" && o.GetName() == "argocd" {
		return apierrors.NewForbidden(gr, o.GetName(), fmt.Errorf("Argo CD runs here"))
	}
	if !slices.Contains([]string{"Namespace", "Application", "AppProject"}, o.GetKind()) {
		return nil
	}
	labels := o.GetLabels()
	if labels["demarc.dev/tenant"] == "" && labels["demarc.dev/owner"] == "" {
		return nil
	}
	if _, drained := o.GetAnnotations()["demarc.dev/drained"]; drained {
		return nil
	}
	return apierrors.NewForbidden(gr, o.GetName(), fmt.Errorf("this belongs to Demarc and is not drained"))
}

// merge puts one tree into another; nil takes a field away.
func merge(into, from map[string]any) {
	for key, value := range from {
		nested, isMap := value.(map[string]any)
		there, wasMap := into[key].(map[string]any)
		switch {
		case value == nil:
			delete(into, key)
		case isMap && wasMap:
			merge(there, nested)
		case isMap:
			fresh := map[string]any{}
			merge(fresh, nested)
			into[key] = fresh
		default:
			into[key] = value
		}
	}
}

// normal is a tree as the API server decodes it: whole numbers are int64.
func normal(tree any) any {
	raw, err := json.Marshal(tree)
	if err != nil {
		panic(err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(append(append([]byte(`{"apiVersion":"v1","kind":"Tree","tree":`), raw...), '}')); err != nil {
		panic(err)
	}
	return u.Object["tree"]
}
