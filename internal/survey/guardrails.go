package survey

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/snapshot"
)

// besides are the kinds that say which guardrails hold where, and from which objects are
// filled in.
var besides = []schema.GroupKind{
	namespaces, tenants, {Group: v1alpha1.GroupName, Kind: "GuardrailSet"}, {Kind: "LimitRange"}, {Kind: "ServiceAccount"},
	{Group: "networking.k8s.io", Kind: "IngressClass"}, {Group: "storage.k8s.io", Kind: "StorageClass"}, {Group: "scheduling.k8s.io", Kind: "PriorityClass"},
}

// inNoNamespace are those of them that are the whole cluster's.
func inNoNamespace(kind schema.GroupKind) bool {
	return kind.Kind != "LimitRange" && kind.Kind != "ServiceAccount"
}

// Guardrails reads what guardrails judge: objects of these kinds, of one team where one is
// given, and what says which of them hold.
func (c Cluster) Guardrails(ctx context.Context, kinds []schema.GroupKind, team string, at time.Time) (*snapshot.Set, error) {
	s := c.begin(ctx, at)
	var group errgroup.Group
	group.SetLimit(atOnce)
	list := func(kind schema.GroupKind, whole bool) {
		group.Go(func() error {
			var options []client.ListOption
			if team != "" && !whole {
				options = append(options, client.InNamespace(v1alpha1.NamespaceOf(team)))
			}
			s.list(kind, options...)
			return nil
		})
	}
	for _, kind := range besides {
		list(kind, inNoNamespace(kind))
	}
	for _, kind := range kinds {
		list(kind, false)
	}
	_ = group.Wait() // what fails is noted in the set
	return s.done()
}
