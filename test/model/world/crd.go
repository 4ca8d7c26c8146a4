package world

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// cleanup holds a CRD until its objects are gone.
const cleanup = "customresourcecleanup.apiextensions.k8s.io"

// customKinds are those of CRDs, with their group.
var customKinds = map[string]string{
	"Tenant": "demarc.dev", "ServiceClaim": "demarc.dev", "Platform": "demarc.dev",
	"Application": "argoproj.io", "AppProject": "argoproj.io",
}

// kindsOf are the custom kinds of a group.
func kindsOf(group string) []string {
	var kinds []string
	for kind, of := range customKinds {
		if of == group {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// crdOf is the key of the CRD that serves a kind.
func crdOf(kind, group string) Key {
	return Key{"CustomResourceDefinition", "", resourceOf(schema.GroupVersionKind{Kind: kind}).Resource + "." + group}
}

// Install makes the CRDs of a group.
func (w *World) Install(actor, group string) {
	for _, kind := range kindsOf(group) {
		k := crdOf(kind, group)
		if w.objects[k] != nil {
			continue
		}
		crd := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{
			"conditions": []any{map[string]any{"type": "Established", "status": "True"}}}}}
		crd.SetAPIVersion("apiextensions.k8s.io/v1")
		crd.SetKind(k.Kind)
		crd.SetName(k.Name)
		crd.SetFinalizers([]string{cleanup})
		if _, err := w.Create(actor, crd); err != nil {
			panic(err)
		}
	}
}

// Uninstall begins the deletion of the CRDs of a group, for which an administrator gave
// a reason.
func (w *World) Uninstall(actor, group string) {
	for _, kind := range kindsOf(group) {
		if k := crdOf(kind, group); w.objects[k] != nil {
			w.delete(actor, k)
		}
	}
}

// served says whether a kind can be read.
func (w *World) served(gvk schema.GroupVersionKind) bool {
	return gvk.Group == "" || customKinds[gvk.Kind] != gvk.Group || w.objects[crdOf(gvk.Kind, gvk.Group)] != nil
}

// CRDs lets the controller of CRDs do its next write, if there is one to do.
func (w *World) CRDs() bool {
	for _, crd := range w.Now("CustomResourceDefinition") {
		if crd.GetDeletionTimestamp() == nil {
			continue
		}
		left := w.Now(kindOf(crd.GetName()))
		for _, o := range left {
			if o.GetDeletionTimestamp() == nil {
				w.delete("crds", KeyOf(o))
				return true
			}
		}
		if len(left) == 0 {
			w.commit("crds", KeyOf(crd), nil)
			return true
		}
	}
	return false
}

func kindOf(crd string) string {
	resource, group, _ := strings.Cut(crd, ".")
	for kind := range customKinds {
		if resourceOf(schema.GroupVersionKind{Kind: kind}).Resource == resource && customKinds[kind] == group {
			return kind
		}
	}
	return ""
}

// Going says that the CRD of a kind is being deleted.
func (w *World) Going(kind string) bool {
	crd := w.objects[crdOf(kind, customKinds[kind])]
	return crd != nil && crd.GetDeletionTimestamp() != nil
}

// Served says that the CRD of a kind is there and stays.
func (w *World) Served(kind string) bool {
	crd := w.objects[crdOf(kind, customKinds[kind])]
	return crd != nil && crd.GetDeletionTimestamp() == nil
}
