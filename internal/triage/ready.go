package triage

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finding"
)

func podReady(p *pod) bool {
	c := podCondition(p, corev1.PodReady)
	return c != nil && c.Status == corev1.ConditionTrue
}

// podOver says that a pod takes nothing of its node any more.
func podOver(p *pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// passed says that what befell a pod is over: it is ready again, or others took its place. A Job
// is whole when it completes, and not by its pods.
func (w *world) passed(p *pod) bool {
	if p.Status.Phase == corev1.PodFailed {
		return p.top.Group != jobKind.Group && w.whole(p.top)
	}
	return podReady(p) && p.DeletionTimestamp == nil
}

func podCondition(p *pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

// DM119: it runs, and does not say that it is ready.
func notReady(w *world, p *pod) ([]found, bool) {
	ready := podCondition(p, corev1.PodReady)
	if p.Status.Phase != corev1.PodRunning || ready == nil || ready.Status != corev1.ConditionFalse || !w.late(p) {
		return nil, false
	}
	e, failing := w.lately(p.ref, string(p.UID), because("Unhealthy", "Readiness probe"))
	if !failing {
		return nil, false
	}
	if has(e.message, "deadline exceeded", "Client.Timeout", "i/o timeout") && w.probesTimeOut(p) {
		f := p.of("DM147", fmt.Sprintf("probes of pods on node %s time out, and of the same workload elsewhere they do not", p.Spec.NodeName), e.evidence())
		f.part, f.shares, f.after = p.Spec.NodeName, []finding.Object{p.node()}, []cause{{p.node(), nodeTrouble}}
		return []found{f}, true
	}
	f := p.of("DM119", fmt.Sprintf("%s runs and is not ready%s", words(p.top), outcome(e.message)),
		p.seen("status.conditions[Ready]", string(ready.Status)+" "+ready.Reason, ready.LastTransitionTime.Time), e.evidence())
	if !w.anyReady(p.top) {
		f.severity = finding.Error
	}
	return []found{f}, true
}

// late says that a pod should be ready by now: it was and is no more, or it had the time that
// a slow start takes.
func (w *world) late(p *pod) bool {
	at := readySince(p)
	if start := p.Status.StartTime; start != nil && at.Sub(start.Time) > settle/2 {
		return w.settled(at)
	}
	return w.since(at) >= slow/2 && w.since(p.CreationTimestamp.Time) >= slow/2
}

// probesTimeOut says that of the same workload pods on other nodes are ready: then it is
// not the program that is slow.
func (w *world) probesTimeOut(p *pod) bool {
	elsewhere := 0
	for _, other := range w.podsOf[p.top] {
		switch {
		case other.Spec.NodeName == p.Spec.NodeName:
		case podReady(other):
			elsewhere++
		default:
			return false
		}
	}
	return elsewhere > 0
}

func (w *world) anyReady(top finding.Object) bool {
	for _, p := range w.podsOf[top] {
		if podReady(p) && p.DeletionTimestamp == nil {
			return true
		}
	}
	return false
}

func readySince(p *pod) time.Time {
	if c := podCondition(p, corev1.PodReady); c != nil {
		return c.LastTransitionTime.Time
	}
	return p.CreationTimestamp.Time
}
