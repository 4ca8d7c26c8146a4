// Package survey reads a cluster into a snapshot, live, as far as who asks may look:
// what may not be read is noted, and nothing is guessed in its place.
package survey

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/snapshot"
)

// Cluster is what a survey reads from.
type Cluster struct {
	Client    client.Client
	Discovery discovery.DiscoveryInterface
}

// page is how many objects one request of a list asks for.
const page = 500

// survey fills one set.
type survey struct {
	Cluster
	ctx context.Context
	mu  sync.Mutex
	set snapshot.Set
	// answered says that the API server has said anything, be it no; broken is the first error
	// that came from no API server.
	answered bool
	broken   error
}

func (c Cluster) begin(ctx context.Context, at time.Time) *survey {
	return &survey{Cluster: c, ctx: ctx, set: snapshot.Set{At: at}}
}

// done gives out what was read, unless it was broken off.
func (s *survey) done() (*snapshot.Set, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, fmt.Errorf("read the cluster: %w", err)
	}
	return &s.set, nil
}

// reached is done where there is a cluster: nothing of a cluster is not a cluster of nothing.
func (s *survey) reached() (*snapshot.Set, error) {
	if set, err := s.done(); err != nil || s.answered || s.broken == nil {
		return set, err
	}
	return nil, s.broken
}

// heard notes whether there is an API server at all; the lock is held.
func (s *survey) heard(err error) {
	var status apierrors.APIStatus
	switch {
	case err == nil, errors.As(err, &status), meta.IsNoMatchError(err):
		s.answered = true
	case s.broken == nil:
		s.broken = err
	}
}

// get reads one whole object; nil where there is none that can be read.
func (s *survey) get(kind schema.GroupKind, namespace, name string) snapshot.Object {
	mapping := s.mapping(kind)
	if mapping == nil {
		return nil
	}
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(mapping.GroupVersionKind)
	err := s.Client.Get(s.ctx, types.NamespacedName{Namespace: namespace, Name: name}, o)
	if s.missed(err, mapping, "get", namespace, name) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set.Add(o)
	return o
}

// getMetadata reads of one object who it is and what holds it.
func (s *survey) getMetadata(kind schema.GroupKind, namespace, name string) {
	mapping := s.mapping(kind)
	if mapping == nil || s.known(kind, namespace, name) {
		return
	}
	o := &metav1.PartialObjectMetadata{}
	o.SetGroupVersionKind(mapping.GroupVersionKind)
	err := s.Client.Get(s.ctx, types.NamespacedName{Namespace: namespace, Name: name}, o)
	if !s.missed(err, mapping, "get", namespace, name) {
		s.addMetadata(o)
	}
}

func (s *survey) known(kind schema.GroupKind, namespace, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set.Get(kind, namespace, name) != nil
}

// list reads whole objects of a kind.
func (s *survey) list(kind schema.GroupKind, options ...client.ListOption) {
	if mapping := s.mapping(kind); mapping != nil {
		s.listEach(mapping, func(o snapshot.Object) { s.set.Add(o) }, options...)
	}
}

// listEach gives out whole objects, one by one, while the set is locked; it reports whether
// the list was answered to its end.
func (s *survey) listEach(mapping *meta.RESTMapping, take func(snapshot.Object), options ...client.ListOption) bool {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(listKind(mapping.GroupVersionKind))
	return s.pages(mapping, list, options, func() {
		for i := range list.Items {
			take(&list.Items[i])
		}
	})
}

// listMetadata reads of all objects of a kind who they are and what holds them.
func (s *survey) listMetadata(kind schema.GroupKind, options ...client.ListOption) {
	if mapping := s.mapping(kind); mapping != nil {
		s.listMapped(mapping, options...)
	}
}

// listMapped reports whether the list was answered to its end.
func (s *survey) listMapped(mapping *meta.RESTMapping, options ...client.ListOption) bool {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(listKind(mapping.GroupVersionKind))
	return s.pages(mapping, list, options, func() {
		for i := range list.Items {
			list.Items[i].SetGroupVersionKind(mapping.GroupVersionKind)
			s.add(&list.Items[i])
		}
	})
}

func listKind(gvk schema.GroupVersionKind) schema.GroupVersionKind {
	gvk.Kind += "List"
	return gvk
}

// pages asks until the list is whole; take is called, locked, with each page. It reports
// whether the list was answered to its end.
func (s *survey) pages(mapping *meta.RESTMapping, list client.ObjectList, options []client.ListOption, take func()) bool {
	asked := client.ListOptions{}
	asked.ApplyOptions(options)
	for {
		err := s.Client.List(s.ctx, list, append(options, client.Limit(page), client.Continue(list.GetContinue()))...)
		if s.missed(err, mapping, "list", asked.Namespace, "") {
			return false
		}
		s.mu.Lock()
		take()
		s.mu.Unlock()
		if list.GetContinue() == "" {
			return true
		}
	}
}

func (s *survey) addMetadata(o *metav1.PartialObjectMetadata) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(o)
}

// add puts metadata into the set; the lock is held.
func (s *survey) add(o *metav1.PartialObjectMetadata) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		panic("survey: metadata that does not convert: " + err.Error()) // it was decoded just now
	}
	s.set.AddMetadata(&unstructured.Unstructured{Object: content})
}

// mapping is how a kind is served, nil where it is not.
func (s *survey) mapping(kind schema.GroupKind) *meta.RESTMapping {
	mapping, err := s.Client.RESTMapper().RESTMapping(kind)
	if err == nil {
		return mapping
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard(err)
	if meta.IsNoMatchError(err) {
		s.set.AddUnserved(kind)
	} else {
		s.set.Miss(snapshot.Unread{Verb: "discover", Group: kind.Group, Resource: kind.Kind, Kind: kind.Kind, Why: err.Error()})
	}
	return nil
}

// missed sorts the error of a read and notes what it means; it reports whether there
// was one.
func (s *survey) missed(err error, mapping *meta.RESTMapping, verb, namespace, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard(err)
	if err == nil {
		return false
	}
	kind := mapping.GroupVersionKind.GroupKind()
	u := snapshot.Unread{Verb: verb, Group: kind.Group, Resource: mapping.Resource.Resource, Kind: kind.Kind, Namespace: namespace, Name: name}
	switch {
	case apierrors.IsNotFound(err) && name != "":
		s.set.AddAbsent(kind, namespace, name)
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		s.set.AddUnserved(kind)
	case apierrors.IsMethodNotSupported(err):
		// A kind that cannot be listed keeps nothing.
	case apierrors.IsForbidden(err):
		s.set.Miss(u)
	default:
		u.Why = err.Error()
		s.set.Miss(u)
	}
	return true
}
