package triage

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"demarc.dev/demarc/internal/finding"
)

var (
	nodesCounted = regexp.MustCompile(`^0/(\d+) nodes are available: (.*)$`)
	oneReason    = regexp.MustCompile(`^(\d+) (.+?)\.?$`)
)

// byWords decides by what the scheduler counts, where who asks may not read nodes. It
// decides only where all nodes are refused for one reason: of several, the nodes alone tell
// which one counts.
func (w *world) byWords(p *pod, message string, seen finding.Evidence) found {
	undecided := p.of("DM312", fmt.Sprintf("no node takes pods of %s, and what was read does not say whose that is", words(p.top)), seen)
	m := nodesCounted.FindStringSubmatch(message)
	if m == nil {
		return undecided
	}
	all, _ := strconv.Atoi(m[1])
	filters, preemption, _ := strings.Cut(m[2], "preemption:")
	reasons := map[string]bool{}
	for _, part := range strings.Split(strings.Trim(filters, " ."), ", ") {
		r := oneReason.FindStringSubmatch(strings.TrimSpace(part))
		if r == nil {
			return undecided
		}
		reasons[reasonClass(r[2])] = true
	}
	if len(reasons) != 1 {
		return undecided
	}
	switch {
	case reasons["affinity"]:
		return p.of("DM303", fmt.Sprintf("no node matches the node selector or affinity of %s", words(p.top)), seen)
	case reasons["pods"]:
		f := p.of("DM309", "no node takes one more pod", seen)
		f.object, f.hits = roomOf(p), []finding.Object{p.top}
		return f
	case reasons["other"]:
		return otherwise(p, message, seen)
	case reasons["cordoned"]:
		return p.of("DM305", fmt.Sprintf("all nodes that %s could run on are cordoned", words(p.top)), seen)
	case reasons["insufficient"] && strings.Contains(preemption, fmt.Sprintf(" %d Preemption is not helpful", all)):
		return p.of("DM301", fmt.Sprintf("%s asks for more than any node has, even an empty one", words(p.top)), seen)
	case reasons["insufficient"] && strings.Contains(preemption, fmt.Sprintf(" %d No preemption victims", all)):
		f := p.of("DM302", fmt.Sprintf("pods of %s wait for a node: an empty one would hold them, and none has the room", words(p.top)), seen)
		f.object, f.hits = roomOf(p), []finding.Object{p.top}
		return f
	}
	return undecided
}

// reasonClass sorts why nodes refuse a pod.
func reasonClass(reason string) string {
	switch {
	case has(reason, "node affinity/selector"):
		return "affinity"
	case has(reason, "were unschedulable"):
		return "cordoned"
	case has(reason, "Insufficient "):
		return "insufficient"
	case has(reason, "untolerated taint", "taints that the pod"):
		return "taint"
	case has(reason, "Too many pods"):
		return "pods"
	default:
		return "other"
	}
}
