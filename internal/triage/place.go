package triage

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	reshelp "k8s.io/component-helpers/resource"
	scheduling "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// placing is why no node takes a pod, by arithmetic over every node: what the scheduler
// says is evidence, what the nodes have is proof.
//
//	all nodes ─ selector ─▶ matching ─ taints ─▶ tolerated ─ size ─▶ capable ─ state ─▶ healthy ─ room ─▶ roomy
//
// The first of these that is empty says why.
type placing struct {
	asks                                         corev1.ResourceList
	matching, tolerated, capable, healthy, roomy []*corev1.Node
	// returning are those of the capable that are down and had the room if they came back, and
	// set tells those that it may run on, and these, from others.
	returning []*corev1.Node
	set       string
	// taints that are not tolerated, and what the largest of the tolerated lacks.
	taints, lacks []string
	// onlyPods says that there is room for all but one more pod.
	onlyPods bool
}

func (w *world) place(p *pod) placing {
	asks := reshelp.PodRequests(p.Pod, reshelp.PodResourcesOptions{})
	key := strings.Join([]string{list(asks), pairs(p.Spec.NodeSelector), tolerationsOf(p), affinityOf(p)}, "|")
	pl, known := w.places[key]
	if !known {
		if w.places == nil {
			w.places = map[string]placing{}
		}
		pl = w.placed(p)
		w.places[key] = pl
	}
	return pl
}

func tolerationsOf(p *pod) string {
	var b strings.Builder
	for _, t := range p.Spec.Tolerations {
		fmt.Fprintf(&b, "%s %s %s %s,", t.Key, t.Operator, t.Value, t.Effect)
	}
	return b.String()
}

func affinityOf(p *pod) string {
	if p.Spec.Affinity == nil || p.Spec.Affinity.NodeAffinity == nil {
		return ""
	}
	return p.Spec.Affinity.NodeAffinity.String()
}

// placed reckons it for one pod.
func (w *world) placed(p *pod) placing {
	pl := placing{asks: asksOf(p)}
	required := nodeaffinity.GetRequiredNodeAffinity(p.Pod)
	for _, n := range w.nodes {
		if match, err := required.Match(n); err != nil || !match {
			continue
		}
		pl.matching = append(pl.matching, n)
		if taint := dedicated(n, p); taint != "" {
			pl.taints = append(pl.taints, taint)
			continue
		}
		pl.tolerated = append(pl.tolerated, n)
		if lacks := lacking(pl.asks, n.Status.Allocatable); len(lacks) > 0 {
			pl.lacks = append(pl.lacks, lacks...)
			continue
		}
		pl.capable = append(pl.capable, n)
		if !nodeReady(n) || kept(n, p) {
			if !nodeReady(n) && len(lacking(pl.asks, w.freeBack(n))) == 0 {
				pl.returning = append(pl.returning, n)
			}
			continue
		}
		pl.healthy = append(pl.healthy, n)
		switch lacks := lacking(pl.asks, w.free(n)); {
		case len(lacks) == 0:
			pl.roomy = append(pl.roomy, n)
		case len(lacks) == 1 && strings.HasPrefix(lacks[0], "pods "):
			pl.onlyPods = true
		}
	}
	pl.set = strings.Join(namesOf(pl.tolerated), ",") + " " + strings.Join(namesOf(pl.returning), ",")
	slices.Sort(pl.taints)
	pl.taints = slices.Compact(pl.taints)
	slices.Sort(pl.lacks)
	pl.lacks = slices.Compact(pl.lacks)
	return pl
}

// ofLife says that a taint is Kubernetes' own word on a node's state.
func ofLife(t *corev1.Taint) bool {
	return strings.HasPrefix(t.Key, "node.kubernetes.io/") || strings.HasPrefix(t.Key, "node.cloudprovider.kubernetes.io/")
}

func hard(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }

// dedicated is a taint with which somebody keeps a node for others, empty where the pod
// tolerates all of them.
func dedicated(n *corev1.Node, p *pod) string {
	t, untolerated := scheduling.FindMatchingUntoleratedTaint(klog.Background(), n.Spec.Taints, p.Spec.Tolerations, func(t *corev1.Taint) bool { return hard(t) && !ofLife(t) }, true)
	if !untolerated {
		return ""
	}
	return t.ToString()
}

// kept says that a taint of the node's own state keeps a pod off.
func kept(n *corev1.Node, p *pod) bool {
	taints := n.Spec.Taints
	if n.Spec.Unschedulable {
		taints = append(slices.Clone(taints), corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	_, untolerated := scheduling.FindMatchingUntoleratedTaint(klog.Background(), taints, p.Spec.Tolerations, func(t *corev1.Taint) bool { return hard(t) && ofLife(t) }, true)
	return untolerated
}

// lacking is what is asked for and not there, in words.
func lacking(asks, there corev1.ResourceList) (lacks []string) {
	for name, want := range asks {
		have := there[name]
		if !want.IsZero() && want.Cmp(have) > 0 {
			lacks = append(lacks, fmt.Sprintf("%s %s of %s", name, want.String(), have.String()))
		}
	}
	slices.Sort(lacks)
	return lacks
}

// lacking names the resources that are asked for and that no node has enough of.
func (pl placing) lacking() (resources []string) {
	for _, l := range pl.lacks {
		name, _, _ := strings.Cut(l, " ")
		resources = append(resources, name)
	}
	return slices.Compact(resources) // lacks are in order
}
