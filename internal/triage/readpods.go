package triage

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/finding"
)

// pod is one pod with what it belongs to.
type pod struct {
	*corev1.Pod
	ref finding.Object
	// top is the workload that a person wrote, or the pod itself.
	top finding.Object
	// well is that nothing is to be said of it; then it was not decoded whole.
	well bool
}

func (w *world) readPods() {
	w.podsIn, w.podsOn, w.podsOf, w.podsBy = map[string][]*pod{}, map[string][]*pod{}, map[finding.Object][]*pod{}, map[labelled][]*pod{}
	for _, o := range w.objects[podKind] {
		p, well := lean(o)
		if !well {
			if p = decodeOne[corev1.Pod](w, podKind, o); p == nil {
				continue
			}
		}
		one := &pod{Pod: p, ref: refOf(podKind, p), well: well}
		one.top = w.topOwner(one.ref, p)
		w.pods = append(w.pods, one)
		w.podsIn[p.Namespace] = append(w.podsIn[p.Namespace], one)
		w.podsOf[one.top] = append(w.podsOf[one.top], one)
		for k, v := range p.Labels {
			by := labelled{p.Namespace, k, v}
			w.podsBy[by] = append(w.podsBy[by], one)
		}
		if p.Spec.NodeName != "" {
			w.podsOn[p.Spec.NodeName] = append(w.podsOn[p.Spec.NodeName], one)
		}
	}
}

// readOwners are the owners of pods that are owned themselves.
func (w *world) readOwners() {
	w.owners = map[finding.Object]metav1.Object{}
	for _, r := range w.replicaSets {
		w.owners[refOf(replicaSetKind, r)] = r
	}
	for _, j := range w.jobs {
		w.owners[refOf(jobKind, j)] = j
	}
}

// topOwner is the end of the chain of controllers above an object: what a person wrote.
func (w *world) topOwner(ref finding.Object, o metav1.Object) finding.Object {
	for range 4 { // no chain of Kubernetes' own is longer
		c := metav1.GetControllerOf(o)
		if c == nil || c.Kind == "Node" { // a static pod is nobody's but its own
			return ref
		}
		group, _, grouped := strings.Cut(c.APIVersion, "/")
		if !grouped {
			group = ""
		}
		ref = finding.Object{Group: group, Kind: c.Kind, Namespace: o.GetNamespace(), Name: c.Name}
		next, known := w.owners[ref]
		if !known {
			return ref
		}
		o = next
	}
	return ref
}

// newest of some times.
func newest(times ...metav1.Time) metav1.Time {
	return slices.MaxFunc(times, func(a, b metav1.Time) int { return cmp.Compare(a.Unix(), b.Unix()) })
}
