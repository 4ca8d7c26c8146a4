package triage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finding"
)

// knowsWorkloads says that what makes pods in a namespace was read. Of files it is enough that
// Deployments were.
func (w *world) knowsWorkloads(namespace string) bool {
	return w.knows(deploymentKind, namespace) && (w.files || w.knows(statefulSetKind, namespace) && w.knows(daemonSetKind, namespace))
}

// behind are the pods that a Service selects and that are not over.
func (w *world) behind(s *corev1.Service) (list []*pod) {
	for _, p := range w.carrying(s.Namespace, s.Spec.Selector) {
		if p.DeletionTimestamp == nil && p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed && selects(s.Spec.Selector, p.Labels) {
			list = append(list, p)
		}
	}
	return list
}

// selects says that labels hold all that a selector asks for; an empty one selects nothing
// here.
func selects(selector, labels map[string]string) bool {
	return len(selector) > 0 && alike(selector, labels) == len(selector)
}

// carrying are the pods of a namespace that carry the rarest of some labels; all of them where
// none is given.
func (w *world) carrying(namespace string, labels map[string]string) []*pod {
	list := w.podsIn[namespace]
	for k, v := range labels {
		if fewer := w.podsBy[labelled{namespace, k, v}]; len(fewer) < len(list) {
			list = fewer
		}
	}
	return list
}

// makersBehind are the workloads whose pods a Service selects. It is asleep where all of them
// are asked to run none.
func (w *world) makersBehind(s *corev1.Service) (tops []finding.Object, asleep bool) {
	awake := false
	for _, wl := range w.workloadsIn[s.Namespace] {
		if selects(s.Spec.Selector, wl.labels) {
			tops = append(tops, wl.ref)
			awake = awake || wl.replicas > 0
		}
	}
	return tops, len(tops) > 0 && !awake
}

func alike(a, b map[string]string) (n int) {
	for k, v := range a {
		if have, there := b[k]; there && have == v {
			n++
		}
	}
	return n
}

// lacksOnly says that labels hold a part of what a selector asks for, and nothing else in its
// place: what is set on pods at run time is in no template.
func lacksOnly(selector, labels map[string]string) bool {
	n := alike(selector, labels)
	for k := range selector {
		if have, there := labels[k]; there && have != selector[k] {
			return false
		}
	}
	return n > 0
}

func difference(selector, labels map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(selector)) {
		switch have, there := labels[k]; {
		case !there:
			out = append(out, k+" (not there)")
		case have != selector[k]:
			out = append(out, fmt.Sprintf("%s (%s)", k, have))
		}
	}
	return joined(out)
}

func pairs(m map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+"="+m[k])
	}
	return strings.Join(out, ",")
}
