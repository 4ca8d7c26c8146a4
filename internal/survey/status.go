package survey

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/status"
	"demarc.dev/demarc/internal/triage"
)

var (
	podsKind  = schema.GroupKind{Kind: "Pod"}
	replicas  = schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}
	revisions = schema.GroupKind{Group: "apps", Kind: "ControllerRevision"}
)

// byName are kinds of which one object each is read, and large ones that say nothing of a
// service.
var byName = []schema.GroupKind{
	platforms, contracts, tenants, claims, namespaces, applicationKind,
	definitions, {Group: "apiregistration.k8s.io", Kind: "APIService"},
}

// Status reads what answers for one service: all of its namespace that triage looks at, and
// of the cluster what that leans on.
func (c Cluster) Status(ctx context.Context, q status.Question, at time.Time) (*snapshot.Set, error) {
	s := c.begin(ctx, at)
	if ns := s.service(q); ns != "" {
		s.get(contracts, "", v1alpha1.ContractName)
		var group errgroup.Group
		group.SetLimit(atOnce)
		alone := Triaged{Namespaces: []string{ns}, Alone: true}
		for _, kind := range append(slices.Clone(triage.Kinds), revisions) {
			if !slices.Contains(byName, kind) {
				group.Go(func() error {
					s.triaged(kind, alone)
					return nil
				})
			}
		}
		_ = group.Wait() // what fails is noted in the set
		s.ofWorkload(q)
	}
	return s.reached()
}

// Rollout reads of a service what says how far its rollout is.
func (c Cluster) Rollout(ctx context.Context, q status.Question, at time.Time) (*snapshot.Set, error) {
	s := c.begin(ctx, at)
	if ns := s.service(q); ns != "" {
		for _, kind := range append(slices.Clone(status.WorkloadKinds), podsKind, replicas) {
			s.list(kind, client.InNamespace(ns))
		}
		s.ofWorkload(q)
	}
	return s.reached()
}

// History reads what is kept of a claim's revisions, and on which way the claim is changed.
func (c Cluster) History(ctx context.Context, claim string, at time.Time) (*snapshot.Set, error) {
	s := c.begin(ctx, at)
	if ns := s.service(status.Question{Claim: claim}); ns != "" {
		s.get(contracts, "", v1alpha1.ContractName)
		for _, kind := range append(slices.Clone(status.WorkloadKinds), replicas, revisions) {
			s.list(kind, client.InNamespace(ns))
		}
		s.deliveredBy(claim)
	}
	return s.reached()
}

// service reads the claim, its Tenant and its Application, and names the namespace that the
// service is in; empty where there is no such claim.
func (s *survey) service(q status.Question) (namespace string) {
	s.get(platforms, "", v1alpha1.PlatformName)
	if q.Claim == "" {
		s.get(namespaces, "", q.Namespace)
		return q.Namespace
	}
	return s.claimed(q.Claim)
}

// claimed reads a claim and what it leads to.
func (s *survey) claimed(name string) (namespace string) {
	claim, err := decoded(s.get(claims, "", name))
	if claim == nil || err != nil {
		return ""
	}
	ns := v1alpha1.NamespaceOf(claim.Spec.Team)
	s.get(tenants, "", claim.Spec.Team)
	s.get(namespaces, "", ns)
	s.get(applicationKind, s.settings().ArgoCDNamespace, render.ApplicationName(claim))
	return ns
}

func decoded(o snapshot.Object) (*v1alpha1.ServiceClaim, error) {
	if o == nil {
		return nil, nil
	}
	return snapshot.Into[v1alpha1.ServiceClaim](o)
}

// ofWorkload reads the claim that a workload is of, where it was asked about by itself.
func (s *survey) ofWorkload(q status.Question) {
	if q.Claim != "" {
		return
	}
	for _, kind := range status.WorkloadKinds {
		if o := s.set.Get(kind, q.Namespace, q.Workload); o != nil && o.GetLabels()[v1alpha1.LabelClaim] != "" {
			s.claimed(o.GetLabels()[v1alpha1.LabelClaim])
			return
		}
	}
}

// deliveredBy reads the Application that delivers the claim itself, from the team's Git.
func (s *survey) deliveredBy(claim string) {
	o := s.set.Get(claims, "", claim)
	if o == nil {
		return
	}
	if tracked, ok := argocd.ParseTrackingID(o.GetAnnotations()[argocd.TrackingID]); ok {
		ns := tracked.ApplicationNamespace
		if ns == "" {
			ns = s.settings().ArgoCDNamespace
		}
		s.get(applicationKind, ns, tracked.Application)
		return
	}
	if name := argocd.InstanceOf(o); name != "" {
		s.get(applicationKind, s.settings().ArgoCDNamespace, name)
	}
}
