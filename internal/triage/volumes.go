package triage

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"demarc.dev/demarc/internal/finding"
)

// beginning says that a pod has a node, and none of its containers was made yet, for longer
// than that takes.
func (w *world) beginning(p *pod) bool {
	if p.Status.Phase != corev1.PodPending || p.Spec.NodeName == "" || p.Status.StartTime == nil || !w.settled(p.Status.StartTime.Time) {
		return false
	}
	for _, c := range p.containers() {
		if reason, _ := c.waits(); reason != "ContainerCreating" && reason != "PodInitializing" {
			return false
		}
	}
	return true
}

// DM217: the node cannot give the pod a sandbox with a network.
func notSandboxed(w *world, p *pod) ([]found, bool) {
	if !w.beginning(p) {
		return nil, false
	}
	e, failed := w.lately(p.ref, string(p.UID), func(e event) bool { return e.reason == "FailedCreatePodSandBox" || e.reason == "NetworkNotReady" })
	if !failed || w.since(e.at) > slow {
		return nil, false
	}
	if memory, tiny := tinyLimit(p); tiny {
		return []found{p.tooTiny(memory, e)}, true
	}
	f := p.of("DM217", fmt.Sprintf("node %s cannot give pods of %s a sandbox with a network: %s", p.Spec.NodeName, words(p.top), said(e.message)), e.evidence())
	f.part, f.shares, f.after = p.Spec.NodeName, []finding.Object{p.node()}, []cause{{p.node(), nodeTrouble}}
	return []found{f}, true
}

// tinyLimit is a memory limit with which nothing can start: 512m is half a byte, and was
// meant to be 512Mi. It shows as a fault of the node.
func tinyLimit(p *pod) (string, bool) {
	least := resource.MustParse("1Mi")
	for _, c := range p.Spec.Containers {
		if q, ok := c.Resources.Limits[corev1.ResourceMemory]; ok && !q.IsZero() && q.Cmp(least) < 0 {
			return q.String(), true
		}
	}
	return "", false
}

// DM149: the unit of the limit.
func (p *pod) tooTiny(memory string, e event) found {
	return p.of("DM149", fmt.Sprintf("%s has a memory limit of %s, with which nothing starts: %s", words(p.top), memory, said(e.message)),
		p.seen("spec.containers.resources.limits.memory", memory, time.Time{}), e.evidence())
}

// mounts are volumes that a pod that has a node cannot have: DM328 and DM329, or what is
// missing of what they are made of.
func mounts(w *world, p *pod) ([]found, bool) {
	if !w.beginning(p) {
		return nil, false
	}
	if e, ok := w.lately(p.ref, string(p.UID), func(e event) bool { return e.reason == "FailedMount" || e.reason == "FailedMapVolume" }); ok {
		if f := w.mount(p, e); f != nil {
			return []found{*f}, true
		}
	}
	e, ok := w.lately(p.ref, string(p.UID), because("FailedAttachVolume"))
	if !ok {
		return nil, false
	}
	if has(e.message, "Multi-Attach error", "Waiting for detach", "already exclusively attached", "already used by pod") {
		return []found{w.heldElsewhere(p, e)}, true
	}
	f := p.of("DM329", fmt.Sprintf("a volume of %s cannot be attached: %s", words(p.top), said(e.message)), e.evidence())
	f.after = append(p.volumes([]string{"DM325", "DM327"}), cause{p.node(), nodeTrouble})
	return []found{f}, true
}

func (w *world) mount(p *pod, e event) *found {
	if f, told := missing(w, p, e.message, e.evidence()); told {
		return f
	}
	if memory, tiny := tinyLimit(p); tiny {
		f := p.tooTiny(memory, e)
		return &f
	}
	if has(e.message, "hostPath type check failed") {
		f := p.of("DM118", fmt.Sprintf("%s mounts a path of the node that is not there, or not of that type: %s", words(p.top), said(e.message)), e.evidence())
		return &f
	}
	if has(e.message, "timed out waiting for the condition", "unattached volumes") {
		if a, ok := w.lately(p.ref, string(p.UID), because("FailedAttachVolume")); ok && w.since(a.at) < past {
			return nil // the attach says why
		}
	}
	f := p.of("DM329", fmt.Sprintf("a volume of %s cannot be mounted on node %s: %s", words(p.top), p.Spec.NodeName, said(e.message)), e.evidence())
	f.after = append(p.volumes([]string{"DM325", "DM327"}), cause{p.node(), nodeTrouble})
	if own := p.ownVolume(e.message); own != "" {
		f.domains = []string{own}
	}
	return &f
}

// ownVolume is the domain of a volume that is written into the pod itself, and not made by a
// class: a share of the network, or what a driver takes from a secret store. Empty is that the
// message speaks of another.
func (p *pod) ownVolume(message string) string {
	for _, v := range p.Spec.Volumes {
		if !strings.Contains(message, fmt.Sprintf("volume %q", v.Name)) {
			continue
		}
		switch {
		case v.CSI != nil && strings.Contains(v.CSI.Driver, "secret"):
			return "secrets"
		case v.CSI != nil, v.NFS != nil, v.ISCSI != nil:
			return "application-storage"
		}
	}
	return ""
}

// DM328: a volume that one node may have at a time is still on another. Where that node is
// down it is the platform's; where both pods run it is how the workload rolls.
func (w *world) heldElsewhere(p *pod, e event) found {
	f := p.of("DM328", fmt.Sprintf("a volume of %s is still attached to another node: %s", words(p.top), said(e.message)), e.evidence())
	for _, other := range w.podsIn[p.Namespace] {
		if other.Name == p.Name || other.Spec.NodeName == "" || other.Spec.NodeName == p.Spec.NodeName || !shareVolume(p, other) {
			continue
		}
		f.evidence = append(f.evidence, other.seen("spec.nodeName", other.Spec.NodeName, other.CreationTimestamp.Time))
		if n := w.node(other.Spec.NodeName); n != nil && !nodeReady(n) {
			f.domains = []string{"node-pools"}
			f.after = append(f.after, cause{other.node(), nodeDown})
			f.message += fmt.Sprintf("; pod %s has it on node %s, which is down", other.Name, n.Name)
			break
		}
		f.message += fmt.Sprintf("; pod %s has it on node %s", other.Name, other.Spec.NodeName)
	}
	return f
}

func shareVolume(a, b *pod) bool {
	for _, c := range a.volumes(nil) {
		for _, d := range b.volumes(nil) {
			if c.object == d.object {
				return true
			}
		}
	}
	return false
}
