package triage

import (
	"fmt"
	"time"

	"demarc.dev/demarc/internal/finding"
)

// podRules are asked in order of each pod; the first that fits is its cause. taken says
// that one fits, also where that is nothing to tell of.
var podRules = []func(*world, *pod) (list []found, taken bool){
	lostWithNode, terminating, over, unplaced, notSandboxed, mounts, containers, resizes, notReady,
}

func podsTrouble(w *world) (all []found) {
	for _, p := range w.pods {
		if n := w.node(p.Spec.NodeName); p.well && (n == nil || nodeReady(n)) {
			continue
		}
		for _, rule := range podRules {
			if list, taken := rule(w, p); taken {
				for i := range list {
					list[i].runs = w.passed(p)
				}
				all = append(all, list...)
				break
			}
		}
	}
	return all
}

// of makes a finding about the workload of a pod.
func (p *pod) of(id, message string, evidence ...finding.Evidence) found {
	return found{id: id, object: p.top, message: message, evidence: evidence, args: map[string]string{"pod": p.Name, "node": p.Spec.NodeName}}
}

func (p *pod) seen(field, value string, at time.Time) finding.Evidence {
	return finding.Evidence{Object: p.ref, Field: field, Value: said(value), Time: at}
}

func (p *pod) node() finding.Object { return finding.Object{Kind: "Node", Name: p.Spec.NodeName} }

// many counts things in words.
func many[N int | int32](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// ago is a duration as people say it.
func ago(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d minutes", int(d.Minutes()))
	default:
		return fmt.Sprintf("%d seconds", int(d.Seconds()))
	}
}
