package triage

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finding"
)

// loadBalancers are Services of that type without one: DM210 and DM211.
func loadBalancers(w *world) (all []found) {
	for _, s := range w.services {
		if s.Spec.Type != corev1.ServiceTypeLoadBalancer || s.DeletionTimestamp != nil || len(s.Status.LoadBalancer.Ingress) > 0 {
			continue
		}
		ref := refOf(serviceKind, s)
		if e, ok := w.lately(ref, string(s.UID), because("SyncLoadBalancerFailed")); ok {
			all = append(all, found{id: "DM210", object: ref, message: fmt.Sprintf("no load balancer can be made for service %s: %s", s.Name, said(e.message)), evidence: []finding.Evidence{e.evidence()}})
			continue
		}
		if w.since(s.CreationTimestamp.Time) > slow {
			all = append(all, found{id: "DM211", object: ref, message: fmt.Sprintf("service %s waits for its load balancer, and nothing says why", s.Name),
				evidence: []finding.Evidence{{Object: ref, Field: "status.loadBalancer", Value: "empty", Time: s.CreationTimestamp.Time}}})
		}
	}
	return all
}
