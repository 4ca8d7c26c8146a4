package triage

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"demarc.dev/demarc/internal/finding"
)

// over are pods that ended: those that were thrown out say why.
func over(w *world, p *pod) ([]found, bool) {
	switch p.Status.Phase {
	case corev1.PodSucceeded:
		return nil, true
	case corev1.PodFailed:
	default:
		return nil, false
	}
	at := p.ended()
	if w.since(at) > past {
		return nil, p.Status.Reason != "" || !w.jobFailed(p)
	}
	seen := p.seen("status", p.Status.Reason+": "+p.Status.Message, at)
	switch p.Status.Reason {
	case "Evicted":
		return []found{w.evicted(p, seen)}, true
	case "OutOfcpu", "OutOfmemory", "OutOfpods", "NodeAffinity", "UnexpectedAdmissionError", "OutOfephemeral-storage":
		if w.whole(p.top) {
			return nil, true
		}
		f := p.of("DM321", fmt.Sprintf("node %s refused a pod of %s that was given to it: %s", p.Spec.NodeName, words(p.top), p.Status.Reason), seen)
		f.part, f.after = p.Spec.NodeName, []cause{{p.node(), nodeTrouble}}
		return []found{f}, true
	case "":
		return nil, !w.jobFailed(p)
	default: // a node that shuts down, say: what replaces the pod speaks for itself
		return nil, true
	}
}

// ended is when a pod that failed did so, as well as that is known.
func (p *pod) ended() time.Time {
	var at time.Time
	if c := podCondition(p, corev1.DisruptionTarget); c != nil {
		at = c.LastTransitionTime.Time
	}
	for _, s := range p.Status.ContainerStatuses {
		if t := s.State.Terminated; t != nil && t.FinishedAt.After(at) {
			at = t.FinishedAt.Time
		}
	}
	if at.IsZero() && p.Status.StartTime != nil {
		at = p.Status.StartTime.Time
	}
	return at
}

var consumption = regexp.MustCompile(`was using (\S+), request is ([^,]+), has larger consumption`)

// DM133 and DM319: thrown out by the kubelet, for its own use or because the node ran short.
func (w *world) evicted(p *pod, seen finding.Evidence) found {
	message := strings.TrimSuffix(said(p.Status.Message), ".")
	if has(message, "local ephemeral storage limit", "Usage of EmptyDir volume", "ephemeral local storage usage exceeds") {
		return p.of("DM133", fmt.Sprintf("a pod of %s was thrown out for using more than it may: %s", words(p.top), message), seen)
	}
	f := p.of("DM319", fmt.Sprintf("a pod of %s was thrown out when node %s ran short%s", words(p.top), p.Spec.NodeName, shortOf(message)), seen)
	f.part = "node"
	if m := consumption.FindStringSubmatch(message); m != nil {
		using, err := resource.ParseQuantity(m[1])
		asked, err2 := resource.ParseQuantity(m[2])
		if err == nil && err2 == nil && using.Cmp(asked) > 0 {
			f.domains, f.part = []string{"cpu-memory-requests"}, "use"
			f.message += "; it used more than it asks for, so it went first"
			return f
		}
	}
	f.after = []cause{{p.node(), nodeTrouble}}
	return f
}

var lowOn = regexp.MustCompile(`low on resource: ([a-z.-]+)`)

// shortOf is what a node ran short of, by its kubelet; how short is evidence.
func shortOf(message string) string {
	if m := lowOn.FindStringSubmatch(message); m != nil {
		return " of " + strings.TrimRight(m[1], ".")
	}
	return ""
}

// whole says that all pods of a workload that are asked for are ready.
func (w *world) whole(top finding.Object) bool {
	wl := w.workload(top)
	if wl == nil {
		return false
	}
	ready := int32(0)
	for _, p := range w.podsOf[top] {
		if podReady(p) && p.DeletionTimestamp == nil {
			ready++
		}
	}
	return ready >= wl.replicas
}

// resizes are changes of resources in place that a node cannot make: DM322 and DM323.
func resizes(w *world, p *pod) ([]found, bool) {
	c := podCondition(p, corev1.PodResizePending)
	if c == nil || c.Status != corev1.ConditionTrue || !w.settled(c.LastTransitionTime.Time) {
		return nil, false
	}
	seen := p.seen("status.conditions[PodResizePending]", c.Reason+": "+c.Message, c.LastTransitionTime.Time)
	switch c.Reason {
	case corev1.PodReasonInfeasible:
		return []found{p.of("DM323", fmt.Sprintf("pods of %s cannot be resized as asked, on no state of their node: %s", words(p.top), said(c.Message)), seen)}, true
	case corev1.PodReasonDeferred:
		if w.since(c.LastTransitionTime.Time) < slow {
			return nil, false
		}
		f := p.of("DM322", fmt.Sprintf("pods of %s wait for room on node %s to be resized", words(p.top), p.Spec.NodeName), seen)
		f.part = p.Spec.NodeName
		return []found{f}, true
	}
	return nil, false
}
