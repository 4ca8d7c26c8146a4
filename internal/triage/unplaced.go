package triage

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finding"
)

// unplaced are pods without a node: DM301 to DM313.
func unplaced(w *world, p *pod) ([]found, bool) {
	if p.Spec.NodeName != "" || p.Status.Phase != corev1.PodPending {
		return nil, false
	}
	c := podCondition(p, corev1.PodScheduled)
	if c == nil {
		return unseen(w, p), true
	}
	at := c.LastTransitionTime.Time
	seen := p.seen("status.conditions[PodScheduled]", c.Reason+": "+c.Message, at)
	switch {
	case c.Status != corev1.ConditionFalse || !w.settled(at):
		return nil, true
	case c.Reason == corev1.PodReasonSchedulingGated:
		if w.since(at) < slow {
			return nil, true
		}
		var gates []string
		for _, g := range p.Spec.SchedulingGates {
			gates = append(gates, g.Name)
		}
		return []found{p.of("DM310", fmt.Sprintf("pods of %s are held back by the gate %s", words(p.top), joined(gates)),
			seen, p.seen("spec.schedulingGates", strings.Join(gates, ", "), time.Time{}))}, true
	case c.Reason == corev1.PodReasonSchedulerError:
		return []found{p.of("DM311", fmt.Sprintf("the scheduler fails on pods of %s: %s", words(p.top), said(c.Message)), seen)}, true
	case c.Reason != corev1.PodReasonUnschedulable:
		return nil, true
	}
	if e, ok := w.lately(p.ref, string(p.UID), because("TriggeredScaleUp")); ok && w.since(e.at) < slow {
		return nil, true // a node is on its way
	}
	f := w.unschedulable(p, c.Message, seen)
	return []found{f}, true
}

// DM313: no scheduler looked at it.
func unseen(w *world, p *pod) []found {
	if !w.settled(p.CreationTimestamp.Time) || w.since(p.CreationTimestamp.Time) < slow/2 {
		return nil
	}
	f := p.of("DM313", fmt.Sprintf("no scheduler has looked at pods of %s; they ask for the scheduler %s", words(p.top), p.Spec.SchedulerName),
		p.seen("spec.schedulerName", p.Spec.SchedulerName, p.CreationTimestamp.Time))
	if p.Spec.SchedulerName == "" || p.Spec.SchedulerName == corev1.DefaultSchedulerName {
		f.domains = []string{"control-plane"}
		f.after = w.partsOf("kube-scheduler")
	}
	return []found{f}
}

var claimNotFound = regexp.MustCompile(`persistentvolumeclaim "([^"]+)" not found`)

// unschedulable says why, first by volumes, which come before nodes, then by arithmetic, and
// where the nodes could not be read by what the scheduler counts.
func (w *world) unschedulable(p *pod, message string, seen finding.Evidence) found {
	if m := claimNotFound.FindStringSubmatch(message); m != nil {
		f := p.of("DM330", fmt.Sprintf("%s needs the PersistentVolumeClaim %s, which is not there", words(p.top), m[1]), seen)
		f.object, f.hits = finding.Object{Kind: "PersistentVolumeClaim", Namespace: p.Namespace, Name: m[1]}, []finding.Object{p.top}
		return f
	}
	if has(message, "unbound immediate PersistentVolumeClaims", "bound to non-existent pv", "waiting for first consumer") {
		f := p.of("DM338", fmt.Sprintf("pods of %s wait for their volumes", words(p.top)), seen)
		f.after = p.volumes(nil)
		return f
	}
	if len(w.nodes) == 0 || !w.knows(nodeKind, "") {
		return w.byWords(p, message, seen)
	}
	return w.byNodes(p, message, seen)
}

// volumes are the claims of a pod as causes.
func (p *pod) volumes(ids []string) (list []cause) {
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			list = append(list, cause{finding.Object{Kind: "PersistentVolumeClaim", Namespace: p.Namespace, Name: v.PersistentVolumeClaim.ClaimName}, ids})
		}
	}
	return list
}
