package survey

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// Triaged says how far a survey for triage looks.
type Triaged struct {
	// Namespaces that are asked about; empty is all.
	Namespaces []string
	// Alone reads nothing that lives in other namespaces. Otherwise all is read that may be:
	// a node is full of everybody's pods, and what two teams meet is the platform's.
	Alone bool
	// Without are kinds that are not read.
	Without []schema.GroupKind
	// Trim leaves out of an object what is not needed; nil leaves out nothing.
	Trim func(snapshot.Object)
}

var secretKind, applicationKind = schema.GroupKind{Kind: "Secret"}, argocd.ApplicationKind.GroupKind()

// Triage reads what triage looks at, page by page: of Secrets the metadata alone.
func (c Cluster) Triage(ctx context.Context, at time.Time, q Triaged) (*snapshot.Set, error) {
	s := c.begin(ctx, at)
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, kind := range triage.Kinds {
		if kind != applicationKind {
			group.Go(func() error {
				s.triaged(kind, q)
				return nil
			})
		}
	}
	_ = group.Wait() // what fails is noted in the set
	s.applications(q)
	return s.reached()
}

// triaged lists a kind everywhere, or where that is refused or not wanted in the namespaces
// that are asked about.
func (s *survey) triaged(kind schema.GroupKind, q Triaged) {
	mapping := s.mapping(kind)
	if mapping == nil {
		return
	}
	if slices.Contains(q.Without, kind) {
		s.notAsked(mapping)
		return
	}
	namespaced := mapping.Scope.Name() == meta.RESTScopeNameNamespace
	switch {
	case !namespaced || !q.Alone || len(q.Namespaces) == 0:
		if s.listTrimmed(mapping, q) || !namespaced {
			return
		}
	default:
		s.notAsked(mapping)
	}
	for _, namespace := range q.Namespaces {
		if s.listTrimmed(mapping, q, client.InNamespace(namespace)) {
			s.listedIn(kind, namespace)
		}
	}
}

func (s *survey) listTrimmed(mapping *meta.RESTMapping, q Triaged, options ...client.ListOption) bool {
	if mapping.GroupVersionKind.GroupKind() == secretKind {
		return s.listMapped(mapping, options...)
	}
	return s.listEach(mapping, func(o snapshot.Object) { s.trimmed(o, q) }, options...)
}

// trimmed puts an object in; the lock is held.
func (s *survey) trimmed(o snapshot.Object, q Triaged) {
	if q.Trim != nil {
		q.Trim(o)
	}
	s.set.Add(o)
}

// applications are Argo CD's, all in its own namespace: those are wanted that deliver into the
// namespaces that are asked about.
func (s *survey) applications(q Triaged) {
	mapping := s.mapping(applicationKind)
	if mapping == nil {
		return
	}
	alone := q.Alone && len(q.Namespaces) > 0
	take := func(o snapshot.Object) {
		to, _, _ := unstructured.NestedString(o.Object, "spec", "destination", "namespace")
		if !alone || slices.Contains(q.Namespaces, to) {
			s.trimmed(o, q)
		}
	}
	if alone {
		s.notAsked(mapping)
	} else if s.listEach(mapping, take) {
		return
	}
	if argo := s.settings().ArgoCDNamespace; s.listEach(mapping, take, client.InNamespace(argo)) && !alone {
		s.listedIn(applicationKind, argo)
	}
}

func (s *survey) notAsked(mapping *meta.RESTMapping) {
	kind := mapping.GroupVersionKind.GroupKind()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set.Miss(snapshot.Unread{Verb: "list", Group: kind.Group, Resource: mapping.Resource.Resource, Kind: kind.Kind, Why: snapshot.NotAsked})
}

func (s *survey) listedIn(kind schema.GroupKind, namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set.AddListed(kind, namespace)
}
