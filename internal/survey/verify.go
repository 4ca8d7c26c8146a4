package survey

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/verify"
)

// Verify reads what is compared with the contract.
func (c Cluster) Verify(ctx context.Context, at time.Time) (*snapshot.Set, []contract.Served, error) {
	s := c.begin(ctx, at)
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, kind := range verify.Kinds {
		group.Go(func() error {
			s.listLean(kind)
			return nil
		})
	}
	_ = group.Wait() // what fails is noted in the set
	namespace, name := verify.Settings(&s.set)
	s.get(schema.GroupKind{Kind: "ConfigMap"}, namespace, name)
	kinds := s.kinds()
	set, err := s.done()
	return set, kinds, err
}

// listLean reads objects of a kind without what is never compared: of a large cluster that
// is most of it.
func (s *survey) listLean(kind schema.GroupKind) {
	if mapping := s.mapping(kind); mapping != nil {
		s.listEach(mapping, func(o snapshot.Object) { s.set.Add(lean(o)) })
	}
}

// lean leaves out who wrote which field, and the status but of Demarc's own kinds.
func lean(o snapshot.Object) snapshot.Object {
	o.SetManagedFields(nil)
	if o.GroupVersionKind().Group != v1alpha1.GroupName {
		delete(o.Object, "status")
	}
	return o
}

// kinds are those that are served and that the contract's list does not know. A group
// whose server does not answer is noted: rights on it are told all the same.
func (s *survey) kinds() (list []contract.Served) {
	lists, err := discovery.ServerPreferredResources(s.Discovery)
	if err != nil {
		s.failed(err, "")
	}
	for _, l := range lists {
		gv, err := schema.ParseGroupVersion(l.GroupVersion)
		if err != nil {
			continue
		}
		for _, r := range l.APIResources {
			k := contract.Served{Group: gv.Group, Kind: r.Kind, Resource: r.Name, Cluster: !r.Namespaced}
			if _, known := contract.ServedKind(k.GroupKind()); !known && !strings.Contains(r.Name, "/") && !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	return list
}
