package readiness

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finalizer"
)

// Left is an object of a claim's inventory that is still there, and still the claim's.
type Left struct {
	Kind, Name string
	// Keeps is what of its own tells Argo CD, or a person, to leave it.
	Keeps string
	Remains
}

// LeftOf a live object of a kind.
func LeftOf(kind string, o metav1.Object) Left {
	return Left{Kind: kind, Name: o.GetName(), Keeps: argocd.Keeps(o.GetAnnotations()), Remains: *RemainsOf(o)}
}

// Watched says that a claim's drain waits for the objects of a kind. The operator may
// not read Secrets and ConfigMaps, and they run nothing.
func Watched(group, kind string) bool {
	return group != "" || kind != "Secret" && kind != "ConfigMap"
}

// String names it, and by what it is still there.
func (l Left) String() string {
	name := strings.ToLower(l.Kind) + "/" + l.Name
	switch {
	case l.Keeps != "":
		return name + " (" + l.Keeps + ")"
	case l.Going:
		return name + " (being deleted" + finalizer.Held(l.Finalizers) + ")"
	default:
		return name
	}
}

// takeable says that Argo CD would take it down if it were told.
func (l Left) takeable() bool { return l.Keeps == "" && !l.Going }

// heldByOthers says that neither Kubernetes, nor Argo CD, nor Demarc can end a deletion
// that has begun.
func (r Remains) heldByOthers() bool {
	return r.Going && slices.ContainsFunc(r.Finalizers, func(f string) bool { return !finalizer.Known(f) })
}

// apart are the objects that others hold, and the rest.
func apart(left []Left) (held, rest []Left) {
	for _, l := range left {
		if l.heldByOthers() {
			held = append(held, l)
		} else {
			rest = append(rest, l)
		}
	}
	return held, rest
}

func list(left []Left) string { return names(Names(left)) }

// Names are the objects in words, each with what it is still there by.
func Names(left []Left) []string {
	words := make([]string, 0, len(left))
	for _, l := range left {
		words = append(words, l.String())
	}
	return words
}
