package triage

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/internal/finding"
)

// quiet says that no pod of a workload came or changed its readiness for long: what is
// missing is not on its way.
func (w *world) quiet(top finding.Object, made time.Time) (time.Time, bool) {
	last := made
	for _, p := range w.podsOf[top] {
		at := p.CreationTimestamp.Time
		if c := podCondition(p, corev1.PodReady); c != nil && c.LastTransitionTime.After(at) {
			at = c.LastTransitionTime.Time
		}
		if at.After(last) {
			last = at
		}
	}
	return last, w.since(last) >= slow
}

// statefulSets: DM134 and DM143.
func statefulSets(w *world) (all []found) {
	for _, s := range w.statefulSets {
		if s.DeletionTimestamp != nil {
			continue
		}
		ref, want := refOf(statefulSetKind, s), ptr.Deref(s.Spec.Replicas, 1)
		if s.Spec.ServiceName != "" && w.still(statefulSetKind, s) && w.absent(serviceKind, s.Namespace, s.Spec.ServiceName) {
			all = append(all, found{id: "DM134", object: ref, args: map[string]string{"service": s.Spec.ServiceName}, message: fmt.Sprintf("%s gives its pods names in DNS by the Service %s, which is not there", words(ref), s.Spec.ServiceName),
				evidence: []finding.Evidence{{Object: ref, Field: "spec.serviceName", Value: s.Spec.ServiceName}}})
		}
		if s.Status.AvailableReplicas >= want {
			continue
		}
		if last, quiet := w.quiet(ref, s.CreationTimestamp.Time); quiet {
			all = append(all, short(ref, s.Status.AvailableReplicas, want, last, "status.availableReplicas"))
		}
	}
	return all
}

// daemonSets: DM143.
func daemonSets(w *world) (all []found) {
	for _, d := range w.daemonSets {
		if d.DeletionTimestamp != nil || d.Status.NumberUnavailable == 0 {
			continue
		}
		ref := refOf(daemonSetKind, d)
		if last, quiet := w.quiet(ref, d.CreationTimestamp.Time); quiet {
			all = append(all, short(ref, d.Status.NumberAvailable, d.Status.DesiredNumberScheduled, last, "status.numberUnavailable"))
		}
	}
	return all
}
