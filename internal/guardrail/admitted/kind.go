package admitted

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// Kind is how a kind is addressed.
type Kind struct {
	schema.GroupVersionKind
	Resource schema.GroupVersionResource
	// Cluster kinds have no namespace.
	Cluster bool
}

// KindOf says how a kind is addressed. A kind that is neither Kubernetes', Argo CD's nor
// Demarc's is taken to be in a namespace, and to be called by its plural.
func KindOf(gvk schema.GroupVersionKind) Kind {
	if known, ok := contract.ServedKind(gvk.GroupKind()); ok {
		return Kind{gvk, gvk.GroupVersion().WithResource(known.Resource), known.Cluster}
	}
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	return Kind{gvk, plural, gvk.Group == v1alpha1.GroupName}
}

// Served reports whether Kubernetes serves the kind in this version. What is in none of
// its own groups is: a definition may say so.
func Served(gvk schema.GroupVersionKind) bool {
	own := builtin.IsGroupRegistered(gvk.Group) || gvk.Group == "extensions"
	return !own || builtin.Recognizes(gvk)
}

// Builtin reports whether a kind is one of Kubernetes' own, in a version that it serves.
func Builtin(gvk schema.GroupVersionKind) bool { return builtin.Recognizes(gvk) }

// TeamOf is the team whose namespace has a name.
func TeamOf(namespace string) (team string, ok bool) {
	team, ok = strings.CutPrefix(namespace, v1alpha1.NamespacePrefix)
	return team, ok && team != ""
}
