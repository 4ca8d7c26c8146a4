// Package keep makes a case of what was read of a cluster: the objects that belong to it, and
// in them nothing that differs from one recording to the next.
package keep

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/snapshot"
)

// Ref names an object.
type Ref struct {
	Kind            schema.GroupKind
	Namespace, Name string
}

// Scene is what a case is of.
type Scene struct {
	// Team and its Namespace.
	Team, Namespace string
	// Applied are the objects that were made by hand.
	Applied []Ref
	// Also are namespaces, "nodes" for all nodes, "kind/name" in small letters for one object,
	// and "managedFields" for when fields were written.
	Also []string
	// Begin is when it began, and Read the time for which the case is read.
	Begin, Read time.Time
	// Places are texts of this one cluster, and what stands for them.
	Places map[string]string
}

// operator's own Events say what it found by the checks that are tried here.
const operator = "demarc-operator"

// Choose gives out the objects that belong to the case.
func Choose(set *snapshot.Set, s Scene) (out []snapshot.Object) {
	kept, nodes := map[Ref]bool{}, map[string]bool{}
	take := func(holds func(snapshot.Object) bool) {
		for _, o := range set.All() {
			if holds(o) {
				out = append(out, o)
				kept[refOf(o)] = true
			}
		}
	}
	take(func(o snapshot.Object) bool {
		if o.GetKind() == "Event" || o.GetKind() == "Node" || !s.belongs(o) {
			return false
		}
		if node, _, _ := unstructured.NestedString(o.Object, "spec", "nodeName"); o.GetKind() == "Pod" {
			nodes[node] = true
		}
		return true
	})
	take(func(o snapshot.Object) bool {
		return o.GetKind() == "Node" && (nodes[o.GetName()] || slices.Contains(s.Also, "nodes") || s.belongs(o))
	})
	take(func(o snapshot.Object) bool {
		return o.GetKind() == "Event" && kept[about(o)] && o.Object["reportingComponent"] != operator && !newest(o).Before(s.Begin.Add(-time.Second))
	})
	return out
}

func (s Scene) belongs(o snapshot.Object) bool {
	switch ref := refOf(o); {
	case ref.Namespace == s.Namespace, ref.Namespace != "" && slices.Contains(s.Also, ref.Namespace):
		return true
	case slices.Contains(s.Applied, ref), slices.Contains(s.Also, strings.ToLower(ref.Kind.Kind)+"/"+ref.Name):
		return true
	case ref.Kind.Kind == "Namespace":
		return ref.Name == s.Namespace || slices.Contains(s.Also, ref.Name)
	case ref.Kind.Kind == "Tenant":
		return ref.Name == s.Team
	case ref.Kind == argocd.ApplicationKind.GroupKind():
		to, _, _ := unstructured.NestedString(o.Object, "spec", "destination", "namespace")
		return to == s.Namespace
	}
	return false
}

func refOf(o snapshot.Object) Ref {
	return Ref{o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName()}
}

// about is what an Event is about.
func about(o snapshot.Object) Ref {
	to, _, _ := unstructured.NestedStringMap(o.Object, "involvedObject")
	group, _, grouped := strings.Cut(to["apiVersion"], "/")
	if !grouped {
		group = ""
	}
	return Ref{schema.GroupKind{Group: group, Kind: to["kind"]}, to["namespace"], to["name"]}
}

func newest(o snapshot.Object) time.Time {
	at := o.GetCreationTimestamp().Time
	for _, field := range []string{"lastTimestamp", "eventTime"} {
		text, _, _ := unstructured.NestedString(o.Object, field)
		if t, err := time.Parse(time.RFC3339, text); err == nil && t.After(at) {
			at = t
		}
	}
	return at
}
