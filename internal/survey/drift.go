package survey

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/drift"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/snapshot"
)

// Drift reads what is compared with what is declared, in some namespaces or, where none is
// named, in those of all teams. It returns which namespaces these are.
func (c Cluster) Drift(ctx context.Context, at time.Time, namespaces []string) (*snapshot.Set, []string, error) {
	s := c.begin(ctx, at)
	demarcs := func(kind string) schema.GroupKind { return schema.GroupKind{Group: v1alpha1.GroupName, Kind: kind} }
	s.get(demarcs("Platform"), "", v1alpha1.PlatformName)
	s.get(demarcs("OwnershipContract"), "", v1alpha1.ContractName)
	for _, namespace := range namespaces {
		if team, ok := admitted.TeamOf(namespace); ok {
			s.get(demarcs("Tenant"), "", team)
		} else {
			s.get(schema.GroupKind{Kind: "Namespace"}, "", namespace)
		}
	}
	if len(namespaces) == 0 {
		s.list(demarcs("Tenant"))
		s.list(schema.GroupKind{Kind: "Namespace"}, client.HasLabels{v1alpha1.LabelTenant})
		namespaces = drift.Namespaces(&s.set)
	}
	s.list(demarcs("ServiceClaim"))
	argo := drift.Settings(&s.set).ArgoCDNamespace
	s.list(argocd.ApplicationKind.GroupKind(), client.InNamespace(argo))
	if len(s.set.Of(argocd.ApplicationKind.GroupKind())) > 0 { // what it is told to ignore
		s.get(schema.GroupKind{Kind: "ConfigMap"}, argo, argocd.ConfigMap)
	}
	lists, err := discovery.ServerPreferredNamespacedResources(s.Discovery)
	if err != nil {
		s.failed(err, "")
	}
	s.live(namespaces, mappings(lists))
	set, err := s.reached()
	return set, namespaces, err
}

// bare kinds are read without what is in them: of Secrets that is nobody's business, and of
// what controllers make it is never compared.
var bare = map[schema.GroupKind]bool{
	{Kind: "Secret"}: true, {Kind: "Pod"}: true, {Group: "apps", Kind: "ReplicaSet"}: true, {Group: "apps", Kind: "ControllerRevision"}: true,
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}: true, {Group: "coordination.k8s.io", Kind: "Lease"}: true,
}

// live lists whole objects, with who wrote which field.
func (s *survey) live(namespaces []string, kinds []*meta.RESTMapping) {
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, namespace := range namespaces {
		for _, mapping := range kinds {
			switch kind := mapping.GroupVersionKind.GroupKind(); {
			case kind.Group == "metrics.k8s.io":
			case bare[kind]:
				group.Go(func() error { s.listMapped(mapping, client.InNamespace(namespace)); return nil })
			default:
				group.Go(func() error {
					s.listEach(mapping, func(o snapshot.Object) { s.set.Add(o) }, client.InNamespace(namespace))
					return nil
				})
			}
		}
		group.Go(func() error {
			s.list(schema.GroupKind{Kind: "Event"}, client.InNamespace(namespace), client.MatchingFields{"reason": "ScalingReplicaSet"})
			return nil
		})
	}
	_ = group.Wait() // what fails is noted in the set
}
