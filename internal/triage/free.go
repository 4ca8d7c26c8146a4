package triage

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	reshelp "k8s.io/component-helpers/resource"
)

// free is what the pods of a node leave of it.
func (w *world) free(n *corev1.Node) corev1.ResourceList {
	if left, counted := w.room[n.Name]; counted {
		return left
	}
	left := n.Status.Allocatable.DeepCopy()
	if left == nil { // a node that joins says nothing yet
		left = corev1.ResourceList{}
	}
	for _, p := range w.podsOn[n.Name] {
		if podOver(p) {
			continue
		}
		for name, q := range asksOf(p) {
			have := left[name]
			have.Sub(q)
			left[name] = have
		}
	}
	if w.room == nil {
		w.room = map[string]corev1.ResourceList{}
	}
	w.room[n.Name] = left
	return left
}

// freeBack is what a node that is down would have if it came back: what is being deleted on it
// goes then.
func (w *world) freeBack(n *corev1.Node) corev1.ResourceList {
	left := w.free(n).DeepCopy()
	for _, p := range w.podsOn[n.Name] {
		if p.DeletionTimestamp == nil || podOver(p) {
			continue
		}
		for name, q := range asksOf(p) {
			have := left[name]
			have.Add(q)
			left[name] = have
		}
	}
	return left
}

// asksOf is what a pod takes of a node, itself among it.
func asksOf(p *pod) corev1.ResourceList {
	asks := reshelp.PodRequests(p.Pod, reshelp.PodResourcesOptions{})
	asks[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
	return asks
}
