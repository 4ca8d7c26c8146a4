package triage

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/finding"
)

// servicesWithout are Services behind which nothing serves: DM201 and DM202.
func servicesWithout(w *world) (all []found) {
	for _, s := range w.services {
		if len(s.Spec.Selector) == 0 || s.Spec.Type == corev1.ServiceTypeExternalName || s.DeletionTimestamp != nil || !w.still(serviceKind, s) || !w.knows(podKind, s.Namespace) {
			continue
		}
		ref := refOf(serviceKind, s)
		behind := w.behind(s)
		switch tops, asleep := w.makersBehind(s); {
		case len(behind) == 0 && len(tops) == 0 && !asleep:
			if f := w.selectsNone(s, ref); f != nil {
				all = append(all, *f)
			}
		case !s.Spec.PublishNotReadyAddresses && !w.servedBy(ref, behind) && !asleep && w.longWithout(behind):
			all = append(all, w.noneReady(s, ref, behind, tops))
		}
	}
	return all
}

// servedBy says that one endpoint is ready, by the EndpointSlices, or by the pods where these
// were not read.
func (w *world) servedBy(ref finding.Object, behind []*pod) bool {
	for _, s := range w.slicesOf[ref] {
		for _, e := range s.Endpoints {
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				return true
			}
		}
	}
	if len(w.slicesOf[ref]) > 0 {
		return false
	}
	return slices.ContainsFunc(behind, podReady)
}

// longWithout says that none of the pods has just come or just lost its readiness.
func (w *world) longWithout(behind []*pod) bool {
	for _, p := range behind {
		if !w.late(p) {
			return false
		}
	}
	return true
}

// DM201: no pod carries what it selects; the nearest that does in part is named.
func (w *world) selectsNone(s *corev1.Service, ref finding.Object) *found {
	if !w.knowsWorkloads(s.Namespace) {
		return nil
	}
	f := &found{id: "DM201", object: ref, args: map[string]string{"selector": pairs(s.Spec.Selector)},
		message:  fmt.Sprintf("service %s selects %s, and no pod and no workload in %s carries that", s.Name, pairs(s.Spec.Selector), s.Namespace),
		evidence: []finding.Evidence{{Object: ref, Field: "spec.selector", Value: pairs(s.Spec.Selector)}}}
	best, near := 0, workload{}
	for _, wl := range w.workloadsIn[s.Namespace] {
		n := 2*alike(s.Spec.Selector, wl.labels) + alike(map[string]string{"": s.Name}, map[string]string{"": wl.ref.Name})
		if lacksOnly(s.Spec.Selector, wl.labels) {
			n++ // it may yet come to carry the rest
		}
		if n > best {
			best, near = n, wl
		}
	}
	if best > 0 {
		if live := w.set.Get(schema.GroupKind{Group: near.ref.Group, Kind: near.ref.Kind}, near.ref.Namespace, near.ref.Name); live != nil && !w.still(live.GroupVersionKind().GroupKind(), live) {
			return nil // the two are changed one after the other
		}
		f.message += fmt.Sprintf("; the nearest is %s, whose pods differ in %s", words(near.ref), difference(s.Spec.Selector, near.labels))
		// What programs set on their pods while they run is set on a StatefulSet's, or on an
		// operator's own: of a Deployment all pods are alike, and the label was forgotten.
		if near.ref.Kind != "Deployment" && lacksOnly(s.Spec.Selector, near.labels) {
			f.severity = finding.Note
			f.message += ", which a program may set while it runs, as databases do to tell their replicas"
		}
		f.evidence = append(f.evidence, finding.Evidence{Object: near.ref, Field: "spec.template.metadata.labels", Value: pairs(near.labels)})
	}
	return f
}

// DM202: pods are there, or are to be, and none of them is ready.
func (w *world) noneReady(s *corev1.Service, ref finding.Object, behind []*pod, tops []finding.Object) found {
	f := found{id: "DM202", object: ref, args: map[string]string{"selector": pairs(s.Spec.Selector)},
		message: fmt.Sprintf("no pod behind service %s is ready, so it answers nobody", s.Name)}
	if len(behind) == 0 {
		f.message = fmt.Sprintf("no pod is behind service %s, so it answers nobody", s.Name)
	}
	for _, p := range behind {
		tops = append(tops, p.top)
		if len(f.evidence) < 3 {
			f.evidence = append(f.evidence, p.seen("status.conditions[Ready]", "False", readySince(p)))
		}
	}
	if len(f.evidence) == 0 {
		f.evidence = []finding.Evidence{{Object: ref, Field: "spec.selector", Value: pairs(s.Spec.Selector)}}
	}
	for _, top := range unique(slices.Clone(tops)) {
		f.after = append(f.after, cause{top, nil}, cause{top, symptoms})
	}
	return f
}
