package triage

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finding"
)

// nodeDown are findings of a node that runs nothing; nodeTrouble those by which pods on it
// may suffer.
var (
	nodeDown    = []string{"DM501", "DM502"}
	nodeTrouble = []string{"DM501", "DM502", "DM503", "DM504", "DM505", "DM506", "DM516"}
)

// node by its name, nil where it was not read.
func (w *world) node(name string) *corev1.Node { return w.nodeOf[name] }

// condition of a node; the zero one where it says nothing of it.
func condition(n *corev1.Node, kind corev1.NodeConditionType) corev1.NodeCondition {
	for _, c := range n.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return corev1.NodeCondition{}
}

func nodeReady(n *corev1.Node) bool {
	return condition(n, corev1.NodeReady).Status == corev1.ConditionTrue
}

// pressures are conditions of a node that are bad when they are True.
var pressures = []struct {
	kind    corev1.NodeConditionType
	id, say string
}{
	{corev1.NodeMemoryPressure, "DM503", "is short of memory"},
	{corev1.NodeDiskPressure, "DM504", "is short of disk space"},
	{corev1.NodePIDPressure, "DM505", "is short of process ids"},
	{corev1.NodeNetworkUnavailable, "DM506", "has no network set up"},
}

// DM501 to DM507 and DM516: nodes.
func nodes(w *world) (all []found) {
	for _, n := range w.nodes {
		if n.DeletionTimestamp != nil {
			continue
		}
		all = append(all, oneNode(w, n)...)
	}
	return all
}

func oneNode(w *world, n *corev1.Node) (all []found) {
	ref := refOf(nodeKind, n)
	of := func(id, field, message string, c corev1.NodeCondition) found {
		return found{id: id, object: ref, message: message, args: map[string]string{"node": n.Name},
			evidence: []finding.Evidence{{Object: ref, Field: field, Value: said(string(c.Status) + " " + c.Reason + ": " + c.Message), Time: c.LastTransitionTime.Time}}}
	}
	ready := condition(n, corev1.NodeReady)
	if ready.Status != corev1.ConditionTrue && w.settled(newest(ready.LastTransitionTime, n.CreationTimestamp).Time) {
		id, say := "DM501", "is not ready: its kubelet says so"
		if ready.Status != corev1.ConditionFalse {
			id, say = "DM502", "is not heard of: its kubelet stopped posting its status"
		}
		f := of(id, "status.conditions[Ready]", fmt.Sprintf("node %s %s", n.Name, say), ready)
		f.evidence = append(f.evidence, finding.Evidence{Object: ref, Field: "pods on it", Value: fmt.Sprint(len(w.podsOn[n.Name]))})
		return []found{f} // what else it said was before
	}
	for _, p := range pressures {
		if c := condition(n, p.kind); c.Status == corev1.ConditionTrue && w.settled(c.LastTransitionTime.Time) {
			all = append(all, of(p.id, fmt.Sprintf("status.conditions[%s]", p.kind), fmt.Sprintf("node %s %s", n.Name, p.say), c))
		}
	}
	if e, ok := w.lately(ref, "", because("SystemOOM")); ok {
		all = append(all, found{id: "DM516", object: ref, message: fmt.Sprintf("node %s ran out of memory as a whole", n.Name),
			args: map[string]string{"node": n.Name}, evidence: []finding.Evidence{e.evidence(), w.promised(n)}})
	}
	if at, cordoned := cordonedAt(n); cordoned && w.since(at) > 24*time.Hour {
		all = append(all, found{id: "DM507", object: ref, message: fmt.Sprintf("node %s takes no new pods, for more than a day", n.Name),
			args: map[string]string{"node": n.Name}, evidence: []finding.Evidence{{Object: ref, Field: "spec.unschedulable", Value: "true", Time: at}}})
	}
	return all
}

// cordonedAt is when a node was cordoned, by the taint that follows from it.
func cordonedAt(n *corev1.Node) (time.Time, bool) {
	for _, t := range n.Spec.Taints {
		if t.Key == corev1.TaintNodeUnschedulable && t.TimeAdded != nil {
			return t.TimeAdded.Time, n.Spec.Unschedulable
		}
	}
	return time.Time{}, n.Spec.Unschedulable
}

// promised is what the pods of a node ask for together, and what it has.
func (w *world) promised(n *corev1.Node) finding.Evidence {
	has := n.Status.Allocatable[corev1.ResourceMemory]
	left := w.free(n)[corev1.ResourceMemory]
	asked := has.DeepCopy()
	asked.Sub(left)
	return finding.Evidence{Object: refOf(nodeKind, n), Field: "status.allocatable.memory", Value: fmt.Sprintf("%s, of which pods ask for %s", has.String(), asked.String())}
}
