// Package snapshot is the read-only set of objects that an engine takes: what was
// read of a cluster or of files, what is known to be absent because it was looked for
// and is not in it, and what could not be read.
package snapshot

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Object is one object as it was read; of some only the metadata.
type Object = *unstructured.Unstructured

// Set is what was read at one time. The zero value is empty and ready to use.
type Set struct {
	// At is when it was read.
	At      time.Time
	objects map[key]Object
	absent  map[key]bool
	// unserved kinds are those that the cluster does not know.
	unserved map[schema.GroupKind]bool
	unread   []Unread
	listed   map[Listed]bool
}

type key struct {
	kind            schema.GroupKind
	namespace, name string
}

func keyOf(o Object) key {
	return key{o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName()}
}

// Add puts an object in, in the place of what was known of it.
func (s *Set) Add(objects ...Object) {
	if s.objects == nil {
		s.objects = map[key]Object{}
	}
	for _, o := range objects {
		s.objects[keyOf(o)] = o
	}
}

// AddMetadata puts an object in of which only the metadata was read, unless it is
// known better.
func (s *Set) AddMetadata(objects ...Object) {
	for _, o := range objects {
		if _, known := s.objects[keyOf(o)]; !known {
			s.Add(o)
		}
	}
}

// AddAbsent notes that one object was looked for by name and is not there.
func (s *Set) AddAbsent(kind schema.GroupKind, namespace, name string) {
	if s.absent == nil {
		s.absent = map[key]bool{}
	}
	s.absent[key{kind, namespace, name}] = true
}

// AddUnserved notes that the cluster does not serve a kind.
func (s *Set) AddUnserved(kind schema.GroupKind) {
	if s.unserved == nil {
		s.unserved = map[schema.GroupKind]bool{}
	}
	s.unserved[kind] = true
}

// Serves reports whether the cluster serves a kind, as far as it was asked.
func (s *Set) Serves(kind schema.GroupKind) bool { return !s.unserved[kind] }

// Get returns one object, nil where it is not in the set.
func (s *Set) Get(kind schema.GroupKind, namespace, name string) Object {
	return s.objects[key{kind, namespace, name}]
}

// Of lists the objects of a kind, by namespace and name.
func (s *Set) Of(kind schema.GroupKind) []Object {
	return s.where(func(k key) bool { return k.kind == kind })
}

// In lists what lives in a namespace, by kind and name.
func (s *Set) In(namespace string) []Object {
	return s.where(func(k key) bool { return namespace != "" && k.namespace == namespace })
}

// All lists every object, by kind, namespace and name.
func (s *Set) All() []Object {
	return s.where(func(key) bool { return true })
}

func (s *Set) where(holds func(key) bool) []Object {
	var keys []key
	for k := range s.objects {
		if holds(k) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.kind.String(), b.kind.String()), cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	out := make([]Object, 0, len(keys))
	for _, k := range keys {
		out = append(out, s.objects[k])
	}
	return out
}

// Into decodes an object into a type. Fields of other types than the type's own are
// an error: what a cluster holds is data.
func Into[T any](o Object) (*T, error) {
	into := new(T)
	return into, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, into)
}
