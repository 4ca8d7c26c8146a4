// Package world is a small cluster in memory: a store with versions, finalizers and
// preconditions as the API server has them, and the controllers that play a part when
// something is deleted: Argo CD, the namespace controller, the garbage collector. Each
// moves only when it is told to, one write at a time, so that every interleaving of
// them can be had and had again.
package world

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Object is one object as it is stored.
type Object = *unstructured.Unstructured

// Key names an object.
type Key struct{ Kind, Namespace, Name string }

// String names it the way kubectl does.
func (k Key) String() string {
	name := strings.ToLower(k.Kind) + "/" + k.Name
	if k.Namespace != "" {
		name += " in " + k.Namespace
	}
	return name
}

// KeyOf is the key of an object.
func KeyOf(o Object) Key { return Key{o.GetKind(), o.GetNamespace(), o.GetName()} }

// Change is one write: what was there, what is there now, and who wrote.
type Change struct {
	Actor         string
	Key           Key
	Before, After Object
}

// version is what an object was from a revision on; nil is gone.
type version struct {
	revision int64
	object   Object
}

// World is the cluster.
type World struct {
	revision int64
	made     int
	objects  map[Key]Object
	history  map[Key][]version
	// latest revision of each kind.
	latest map[string]int64
	// Watch is told of every change.
	Watch func(Change)
	// Refused holds what the admission policies said, for who asked.
	Refused []string
}

// New is a cluster with no object in it.
func New() *World {
	return &World{objects: map[Key]Object{}, history: map[Key][]version{}, latest: map[string]int64{}, Watch: func(Change) {}}
}

// Revision of the last write.
func (w *World) Revision() int64 { return w.revision }

// Get is an object as it is now, nil where there is none. It is not to be changed.
func (w *World) Get(k Key) Object { return w.objects[k] }

// Latest is the revision of the last write to a kind.
func (w *World) Latest(kind string) int64 { return w.latest[kind] }

// Kinds that were ever written.
func (w *World) Kinds() []string {
	var kinds []string
	for kind := range w.latest {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// Next is the revision of the first write to a kind after one; 0 where there is none.
func (w *World) Next(kind string, after int64) int64 {
	next := int64(0)
	for k, versions := range w.history {
		for _, v := range versions {
			if k.Kind == kind && v.revision > after && (next == 0 || v.revision < next) {
				next = v.revision
			}
		}
	}
	return next
}

// At is what an object was at a revision.
func (w *World) At(k Key, revision int64) Object {
	versions := w.history[k]
	for i := len(versions) - 1; i >= 0; i-- {
		if versions[i].revision <= revision {
			return versions[i].object
		}
	}
	return nil
}

// Ever says whether an object was so at a revision or at any after it; nil is that there
// was none.
func (w *World) Ever(k Key, from int64, so func(Object) bool) bool {
	return so(w.At(k, from)) || slices.ContainsFunc(w.history[k], func(v version) bool { return v.revision > from && so(v.object) })
}

// All objects of a kind at a revision, sorted by name.
func (w *World) All(kind string, revision int64) []Object {
	var all []Object
	for k := range w.history {
		if k.Kind == kind {
			if o := w.At(k, revision); o != nil {
				all = append(all, o)
			}
		}
	}
	slices.SortFunc(all, func(a, b Object) int {
		return strings.Compare(a.GetNamespace()+"/"+a.GetName(), b.GetNamespace()+"/"+b.GetName())
	})
	return all
}

// Now are all objects of a kind as they are now.
func (w *World) Now(kind string) []Object { return w.All(kind, w.revision) }

// In are the objects of a namespace, the namespace apart.
func (w *World) In(namespace string) []Object {
	var in []Object
	for _, kind := range w.Kinds() {
		for _, o := range w.Now(kind) {
			if o.GetNamespace() == namespace {
				in = append(in, o)
			}
		}
	}
	return in
}

// commit stores what an object is from now on; nil removes it.
func (w *World) commit(actor string, k Key, after Object) {
	before := w.objects[k]
	w.revision++
	if after != nil {
		after.SetResourceVersion(fmt.Sprint(w.revision))
		w.objects[k] = after
	} else {
		delete(w.objects, k)
	}
	w.history[k] = append(w.history[k], version{w.revision, after})
	w.latest[k.Kind] = w.revision
	w.Watch(Change{actor, k, before, after})
}

// Record stores what an object was seen to be in a cluster elsewhere; nil is gone.
func (w *World) Record(actor string, k Key, o Object) {
	if o != nil || w.objects[k] != nil {
		w.commit(actor, k, o)
	}
}

// uid is a new one.
func (w *World) uid() types.UID {
	w.made++
	return types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", w.made))
}

// clusterKinds have no namespace.
var clusterKinds = []string{
	"Namespace", "ClusterRole", "ClusterRoleBinding", "Tenant", "ServiceClaim", "Platform", "CustomResourceDefinition",
}

// resources are the names of kinds in addresses, where these are more than an s away.
var resources = map[string]string{"NetworkPolicy": "networkpolicies"}

func resourceOf(gvk schema.GroupVersionKind) schema.GroupResource {
	name, ok := resources[gvk.Kind]
	if !ok {
		name = strings.ToLower(gvk.Kind) + "s"
	}
	return schema.GroupResource{Group: gvk.Group, Resource: name}
}

// Resource is the name of a kind in addresses.
func Resource(gvk schema.GroupVersionKind) string { return resourceOf(gvk).Resource }
