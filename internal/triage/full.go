package triage

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finding"
)

// full is one finding for all that wait for room on the same nodes. It follows from a node that
// is down only for those that would fit on it: that one is down explains nothing to the others.
func (w *world) full(id string, p *pod, why string, seen, asks finding.Evidence, pl placing) found {
	f := p.of(id, fmt.Sprintf("pods of %s wait for a node: %s", words(p.top), why), seen, asks)
	f.object, f.hits = roomOf(p), []finding.Object{p.top}
	f.part, f.after = pl.set, downOf(pl.returning)
	f.evidence = append(f.evidence, finding.Evidence{Object: f.object, Field: "nodes that are ready and large enough", Value: fmt.Sprint(len(pl.healthy))})
	return w.withAutoscaler(p, f)
}

// roomOf names the room that a pod waits for, by the nodes that it asks for.
func roomOf(p *pod) finding.Object {
	o := finding.Object{Kind: "Cluster", Name: "capacity"}
	asked := []string{pairs(p.Spec.NodeSelector), affinityWords(p)}
	if asked = slices.DeleteFunc(asked, func(s string) bool { return s == "" }); len(asked) > 0 {
		o.Name += " of " + strings.Join(asked, ",")
	}
	return o
}

// affinityWords are what a pod requires of its nodes, as one word.
func affinityWords(p *pod) string {
	a := p.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	var terms []string
	for _, t := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		var all []string
		for _, e := range slices.Concat(t.MatchExpressions, t.MatchFields) {
			word := fmt.Sprintf("%s:%s:", e.Key, e.Operator)
			if e.Operator == corev1.NodeSelectorOpIn {
				word = e.Key + "="
			}
			all = append(all, word+strings.Join(e.Values, "|"))
		}
		terms = append(terms, strings.Join(all, ","))
	}
	return strings.Join(terms, "/")
}
