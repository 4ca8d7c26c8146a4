package world

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	foreground = "foregroundDeletion"
	orphan     = "orphan"
)

// Namespaces lets the namespace controller do its next write: it deletes what is in a
// namespace that is going, counts what is left, and ends it when that is nothing.
func (w *World) Namespaces() bool {
	for _, ns := range w.Now("Namespace") {
		if ns.GetDeletionTimestamp() == nil {
			continue
		}
		for _, o := range w.In(ns.GetName()) {
			if o.GetDeletionTimestamp() == nil {
				w.delete("namespaces", KeyOf(o))
				return true
			}
		}
		if w.count(ns) {
			return true
		}
		if len(w.In(ns.GetName())) == 0 {
			w.commit("namespaces", KeyOf(ns), nil)
			return true
		}
	}
	return false
}

// count says in the conditions of a namespace what is left in it.
func (w *World) count(ns Object) bool {
	resources, finalizers := map[string]int{}, map[string]int{}
	for _, o := range w.In(ns.GetName()) {
		gr := resourceOf(o.GroupVersionKind())
		resources[gr.Resource+"."+gr.Group]++
		for _, f := range o.GetFinalizers() {
			finalizers[f]++
		}
	}
	conditions := []any{
		condition("NamespaceContentRemaining", "Some resources are remaining: ", "has %d resource instances", resources),
		condition("NamespaceFinalizersRemaining", "Some content in the namespace has finalizers remaining: ", "in %d resource instances", finalizers),
	}
	before := ns.GetResourceVersion()
	after, err := w.Update("namespaces", KeyOf(ns), func(o Object) error {
		return unstructured.SetNestedSlice(o.Object, conditions, "status", "conditions")
	})
	return err == nil && after.GetResourceVersion() != before
}

func condition(kind, prefix, each string, counts map[string]int) map[string]any {
	var said []string
	for name, n := range counts {
		said = append(said, name+" "+fmt.Sprintf(each, n))
	}
	slices.Sort(said)
	if len(said) == 0 {
		return map[string]any{"type": kind, "status": "False"}
	}
	return map[string]any{"type": kind, "status": "True", "message": prefix + strings.Join(said, ", ")}
}

// Collect lets the garbage collector do its next write. In this world Deployments own
// pods, and nothing else owns anything.
func (w *World) Collect() bool {
	for _, pod := range w.Now("Pod") {
		of := w.objects[Key{"Deployment", pod.GetNamespace(), pod.GetLabels()["demarc.dev/claim"]}]
		if (of == nil || of.GetDeletionTimestamp() != nil) && pod.GetDeletionTimestamp() == nil {
			w.delete("collector", KeyOf(pod))
			return true
		}
	}
	for _, kind := range []string{"Deployment", "Tenant", "ServiceClaim"} {
		for _, o := range w.Now(kind) {
			rest := slices.DeleteFunc(slices.Clone(o.GetFinalizers()), func(f string) bool { return f == foreground || f == orphan })
			if o.GetDeletionTimestamp() == nil || len(rest) == len(o.GetFinalizers()) {
				continue
			}
			_, err := w.Update("collector", KeyOf(o), func(o Object) error { o.SetFinalizers(rest); return nil })
			return err == nil
		}
	}
	return false
}

// Quotas lets the quota controller count the next quota.
func (w *World) Quotas() bool {
	for _, quota := range w.Now("ResourceQuota") {
		hard, _, _ := unstructured.NestedMap(quota.Object, "spec", "hard")
		if _, counted, _ := unstructured.NestedMap(quota.Object, "status", "hard"); counted {
			continue
		}
		used := map[string]any{}
		for name := range hard {
			used[name] = "0"
		}
		_, err := w.Update("quotas", KeyOf(quota), func(o Object) error {
			o.Object["status"] = map[string]any{"hard": hard, "used": used}
			return nil
		})
		return err == nil
	}
	return false
}
