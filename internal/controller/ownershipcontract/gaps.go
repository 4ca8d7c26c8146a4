package ownershipcontract

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// unlisted are the kinds that are served and in no domain. A group whose server does not
// answer is left out: its kinds are seen when it does.
func (r *Reconciler) unlisted(agreed *contract.Contract) ([]string, error) {
	lists, err := r.served()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, served := range list.APIResources {
			gk := schema.GroupKind{Group: gv.Group, Kind: served.Kind}
			if !strings.Contains(served.Name, "/") && agreed.Of(contract.Object{GroupKind: gk}) == nil {
				out = append(out, gk.String())
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// served asks once a minute at most.
func (r *Reconciler) served() ([]*metav1.APIResourceList, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lists != nil && r.Clock.Since(r.asked) < time.Minute {
		return r.lists, nil
	}
	lists, err := r.Discovery.ServerPreferredResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, fmt.Errorf("ask which kinds are served: %w", err)
	}
	r.lists, r.asked = lists, r.Clock.Now()
	return lists, nil
}

// contacts lets only the events of Tenants through by which it changes who can be reached.
type contacts struct{}

func (contacts) Create(event.CreateEvent) bool   { return true }
func (contacts) Delete(event.DeleteEvent) bool   { return true }
func (contacts) Generic(event.GenericEvent) bool { return false }
func (contacts) Update(e event.UpdateEvent) bool {
	before, was := e.ObjectOld.(*v1alpha1.Tenant)
	after, is := e.ObjectNew.(*v1alpha1.Tenant)
	return was && is && !equality.Semantic.DeepEqual(before.Spec.Contacts, after.Spec.Contacts)
}

// nobody are the parties that cannot be reached.
func (r *Reconciler) nobody(ctx context.Context, platform *v1alpha1.Platform) (parties []string) {
	if team := platform.Spec.Team; len(team.Groups) == 0 || !contract.Reached(team.Contacts) {
		parties = append(parties, "platform")
	}
	var tenants v1alpha1.TenantList
	if err := r.Client.List(ctx, &tenants); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list Tenants to see who can be reached")
		return parties
	}
	for i := range tenants.Items {
		if !contract.Reached(tenants.Items[i].Spec.Contacts) {
			parties = append(parties, "team "+tenants.Items[i].Name)
		}
	}
	slices.Sort(parties) // a cache lists in any order, and the same is to be said in the same words
	return parties
}
