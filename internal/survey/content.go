package survey

import (
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/snapshot"
)

// atOnce is how many lists are asked for at the same time.
const atOnce = 8

// content lists what is in a namespace: of each object who it is and what holds it,
// never what is in it.
func (s *survey) content(namespace string) {
	lists, err := discovery.ServerPreferredNamespacedResources(s.Discovery)
	if err != nil {
		s.failed(err, namespace)
	}
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, mapping := range mappings(lists) {
		group.Go(func() error {
			s.listMapped(mapping, client.InNamespace(namespace))
			return nil
		})
	}
	_ = group.Wait() // what fails is noted in the set
}

// passing kinds are made and cleared away by Kubernetes itself: nothing holds them.
var passing = []string{"Event", "Endpoints"}

// mappings are the kinds that can be listed.
func mappings(lists []*metav1.APIResourceList) (out []*meta.RESTMapping) {
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") || slices.Contains(passing, r.Kind) || !slices.Contains(r.Verbs, "list") {
				continue
			}
			out = append(out, &meta.RESTMapping{
				Resource: gv.WithResource(r.Name), GroupVersionKind: gv.WithKind(r.Kind), Scope: meta.RESTScopeNamespace,
			})
		}
	}
	return out
}

// failed notes the groups that did not answer: an APIService without a server, say.
func (s *survey) failed(err error, namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	groups, partly := discovery.GroupDiscoveryFailedErrorGroups(err)
	if !partly {
		s.set.Miss(snapshot.Unread{Verb: "list", Resource: "*", Namespace: namespace, Why: err.Error()})
		return
	}
	for gv, why := range groups {
		s.set.Miss(snapshot.Unread{Verb: "list", Group: gv.Group, Resource: "*", Namespace: namespace, Why: why.Error()})
	}
}
