package triage

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finding"
)

func (w *world) byNodes(p *pod, message string, seen finding.Evidence) found {
	pl := w.place(p)
	asks := p.seen("spec.containers.resources.requests", list(pl.asks), time.Time{})
	switch {
	case len(pl.matching) == 0:
		return w.noSuchNode(p, seen)
	case len(pl.tolerated) == 0:
		f := p.of("DM304", fmt.Sprintf("the nodes that %s may run on are kept for others by taints it does not tolerate: %s", words(p.top), joined(pl.taints)), seen)
		return f
	case len(pl.capable) == 0:
		f := p.of("DM301", fmt.Sprintf("%s asks for more %s than any node that it may run on has, even an empty one", words(p.top), joined(pl.lacking())), seen, asks)
		f.evidence = append(f.evidence, finding.Evidence{Object: finding.Object{Kind: nodeKind.Kind, Name: names(pl.tolerated)}, Field: "status.allocatable", Value: joined(few(pl.lacks))})
		return w.withAutoscaler(p, f)
	case len(pl.healthy) == 0:
		f := p.of("DM305", fmt.Sprintf("the nodes that could hold %s are cordoned or not ready: %s", words(p.top), names(pl.capable)), seen)
		f.after = downOf(pl.capable)
		return f
	case len(pl.roomy) == 0 && pl.onlyPods:
		return w.full("DM309", p, "no node that they may run on takes one more pod, and some have room for their requests otherwise", seen, asks, pl)
	case len(pl.roomy) == 0:
		return w.full("DM302", p, "an empty node would hold them, and none that they may run on has the room", seen, asks, pl)
	}
	f := otherwise(p, message, seen)
	if f.id == "DM312" && has(message, "Insufficient ") {
		// The scheduler counts pods too that could not be read here.
		return w.full("DM302", p, "an empty node would hold them, and the scheduler finds no room on those that they may run on", seen, asks, pl)
	}
	if f.id == "DM306" && len(pl.roomy) < len(pl.healthy) {
		f.domains = []string{"application-deployment", "node-pools"} // more nodes would help as well
	}
	return f
}

// withAutoscaler adds what the autoscaler of the nodes says of a pod.
func (w *world) withAutoscaler(p *pod, f found) found {
	if e, ok := w.lately(p.ref, string(p.UID), because("NotTriggerScaleUp")); ok {
		f.evidence = append(f.evidence, e.evidence())
	}
	return f
}

// DM303: no node carries what it asks for. Where pods run by the same selector on nodes that
// do not carry it any more, the label was taken off.
func (w *world) noSuchNode(p *pod, seen finding.Evidence) found {
	wants := "its node affinity"
	if len(p.Spec.NodeSelector) > 0 {
		wants = pairs(p.Spec.NodeSelector)
	}
	f := p.of("DM303", fmt.Sprintf("no node matches what %s asks for: %s", words(p.top), wants), seen, p.seen("spec.nodeSelector, spec.affinity.nodeAffinity", wants, time.Time{}))
	if len(p.Spec.NodeSelector) == 0 {
		return f
	}
	f.shares = []finding.Object{{Kind: "NodeSelector", Name: wants}}
	if other := w.runningBy(wants); other != nil {
		f.domains = []string{"node-pools"}
		f.message += "; others run by the same selector, on nodes that do not carry it any more"
		f.evidence = append(f.evidence, other.seen("spec.nodeName", other.Spec.NodeName, other.CreationTimestamp.Time))
	}
	return f
}

// runningBy is a pod that runs by a node selector, nil where none does.
func (w *world) runningBy(selector string) *pod {
	if w.selected == nil {
		w.selected = map[string]*pod{}
		for _, p := range w.pods {
			if by := pairs(p.Spec.NodeSelector); by != "" && p.Spec.NodeName != "" && p.Status.Phase == corev1.PodRunning && w.selected[by] == nil {
				w.selected[by] = p
			}
		}
	}
	return w.selected[selector]
}

// otherwise is what the scheduler says where nodes have the room.
func otherwise(p *pod, message string, seen finding.Evidence) found {
	for _, r := range []struct {
		id, why string
		say     []string
	}{
		{"DM306", "its rules on spread or affinity leave none", []string{"topology spread constraints", "affinity rules"}},
		{"DM307", "the host port that it asks for is taken on each", []string{"free ports"}},
		{"DM308", "its volume is not where the nodes are, or no node takes one more volume", []string{"available volume zone", "max volume count", "PersistentVolume's node affinity", "find available persistent volumes", "node affinity conflict", "ReadWriteOncePod", "enough free storage"}},
	} {
		if has(message, r.say...) {
			f := p.of(r.id, fmt.Sprintf("no node takes pods of %s: %s", words(p.top), r.why), seen)
			if r.id == "DM308" {
				f.after = p.volumes(nil)
			}
			return f
		}
	}
	return p.of("DM312", fmt.Sprintf("no node takes pods of %s, and what was read does not say why", words(p.top)), seen)
}

func namesOf(list []*corev1.Node) (out []string) {
	for _, n := range list {
		out = append(out, n.Name)
	}
	return out
}

// names are those of the first nodes, and whether there are others.
func names(list []*corev1.Node) string { return joined(few(namesOf(list))) }

func downOf(list []*corev1.Node) (causes []cause) {
	for _, n := range list {
		causes = append(causes, cause{refOf(nodeKind, n), nodeDown})
	}
	return causes
}

func list(r corev1.ResourceList) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(r)) {
		if name != corev1.ResourcePods {
			q := r[name]
			out = append(out, string(name)+" "+q.String())
		}
	}
	return strings.Join(out, ", ")
}
