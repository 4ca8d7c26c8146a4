package triage

import (
	"slices"

	"demarc.dev/demarc/internal/finding"
)

// cause is a finding that another may follow from: of an object, or one that hits it, with
// one of these ids; none is any that is no mere symptom and, of what has pods or is had by them,
// that stops them.
type cause struct {
	object finding.Object
	ids    []string
}

// fits says that a finding of the object, or one that hits it, is the cause.
func (c cause) fits(f found) bool {
	switch s := Of(f.id); {
	case len(c.ids) > 0:
		return slices.Contains(c.ids, f.id)
	case s.Symptom:
		return false
	case ofPodsKind(c.object):
		return s.Stops && !f.runs
	default:
		return true
	}
}

// ofPodsKind says that an object makes pods, is one, or is a volume of theirs.
func ofPodsKind(o finding.Object) bool {
	switch o.Group {
	case deploymentKind.Group, jobKind.Group:
		return true
	case "":
		return o.Kind == podKind.Kind || o.Kind == volumeClaimKind.Kind || o.Kind == "ReplicationController"
	default: // what makes pods in a way of its own
		return o.Group == applicationKind.Group && o.Kind != applicationKind.Kind
	}
}
