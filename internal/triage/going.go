package triage

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finalizer"
	"demarc.dev/demarc/internal/finding"
)

// DM142: a pod on a node that is down says nothing that can be trusted; the node speaks for it.
func lostWithNode(w *world, p *pod) ([]found, bool) {
	n := w.node(p.Spec.NodeName)
	if n == nil {
		return w.lostByEvent(p)
	}
	if nodeReady(n) || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
		return nil, false
	}
	if !w.settled(condition(n, corev1.NodeReady).LastTransitionTime.Time) {
		return nil, true
	}
	f := p.of("DM142", fmt.Sprintf("pods of %s are on node %s, which is not ready", words(p.top), n.Name), p.seen("spec.nodeName", n.Name, time.Time{}))
	f.part, f.after = n.Name, []cause{{p.node(), nodeDown}}
	return []found{f}, true
}

// lostByEvent is the same where the node could not be read: the node's controller tells it of
// each pod.
func (w *world) lostByEvent(p *pod) ([]found, bool) {
	ready := podCondition(p, corev1.PodReady)
	if ready == nil || ready.Status != corev1.ConditionFalse || p.Status.Phase != corev1.PodRunning || !w.settled(ready.LastTransitionTime.Time) {
		return nil, false
	}
	e, lost := w.lately(p.ref, string(p.UID), because("NodeNotReady"))
	if !lost || e.at.Before(ready.LastTransitionTime.Add(-settle)) {
		return nil, false
	}
	if w.kubeletSpoke(p, e.at) {
		return nil, false // the node is back, and what is wrong is something else
	}
	f := p.of("DM142", fmt.Sprintf("pods of %s are on node %s, which is not ready", words(p.top), p.Spec.NodeName), e.evidence())
	f.part, f.shares = p.Spec.NodeName, []finding.Object{p.node()}
	return []found{f}, true
}

// kubeletSpoke says that the kubelet of a pod's node has said something of the pod since: an
// event, or that a container began or ended.
func (w *world) kubeletSpoke(p *pod, since time.Time) bool {
	spoken := []string{"Unhealthy", "Started", "Created", "Pulled", "Pulling", "Killing", "BackOff", "Failed"}
	if _, ok := w.lately(p.ref, string(p.UID), func(e event) bool { return e.at.After(since) && slices.Contains(spoken, e.reason) }); ok {
		return true
	}
	for _, c := range p.Status.ContainerStatuses {
		if c.State.Running != nil && c.State.Running.StartedAt.After(since) || c.State.Terminated != nil && c.State.Terminated.FinishedAt.After(since) {
			return true
		}
	}
	return false
}

// DM132: what is being deleted should be gone when its grace is over.
func terminating(w *world, p *pod) ([]found, bool) {
	if p.DeletionTimestamp == nil {
		return nil, false
	}
	at := p.DeletionTimestamp.Time // of a pod it is when its grace ends
	if w.since(at) < slow/2 {
		return nil, true
	}
	if len(p.Finalizers) > 0 {
		f := p.of("DM132", fmt.Sprintf("pod %s should have been gone; the finalizer %s holds it", p.Name, p.Finalizers[0]),
			p.seen("metadata.finalizers", fmt.Sprint(p.Finalizers), at))
		f.part, f.args["finalizer"] = p.Name, p.Finalizers[0]
		if finalizer.Known(p.Finalizers[0]) {
			f.domains = []string{"control-plane"}
		}
		return []found{f}, true
	}
	f := p.of("DM146", fmt.Sprintf("pod %s should have been gone; its kubelet has not ended it", p.Name),
		p.seen("metadata.deletionTimestamp", "over since "+ago(w.since(at)), at))
	if e, ok := w.lately(p.ref, string(p.UID), because("FailedKillPod")); ok {
		f.evidence = append(f.evidence, e.evidence())
	}
	f.part, f.after, f.shares = p.Name, []cause{{p.node(), nodeTrouble}}, []finding.Object{p.node()}
	return []found{f}, true
}
