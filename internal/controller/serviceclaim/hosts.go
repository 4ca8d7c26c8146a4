package serviceclaim

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/hosts"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

const (
	// HostIndex is the cache index of claims by what hosts.Keys says.
	HostIndex = "hosts"
	// waitsIndex is that of claims that wait for a host that another has.
	waitsIndex = "waits-for-host"
)

func hostIndex(o client.Object) []string { return hosts.Keys(o.(*v1alpha1.ServiceClaim)) }

func waitIndex(o client.Object) []string {
	if withoutHost(o) {
		return []string{"true"}
	}
	return nil
}

func withoutHost(o client.Object) bool {
	c := meta.FindStatusCondition(o.(*v1alpha1.ServiceClaim).Status.Conditions, readiness.DeliveryReady)
	return c != nil && c.Reason == "HostTaken"
}

// settleHosts decides whether the claim gets the hosts that it asks for. Where it does not,
// nothing is rendered: what runs is left as it is.
func (r *Reconciler) settleHosts(ctx context.Context, s *scope) error {
	asked := render.Hosts(s.claim, s.settings)
	if len(asked) == 0 || s.tenant == nil {
		return nil // without a Tenant nothing is delivered anyhow
	}
	facts := hosts.Facts{Settings: s.settings, Domains: map[string][]string{s.claim.Spec.Team: s.tenant.Spec.Domains}}
	for _, host := range asked {
		for _, key := range hosts.KeysOf(host, s.settings.Expose.Domain) {
			var list v1alpha1.ServiceClaimList
			if err := r.Client.List(ctx, &list, client.MatchingFields{HostIndex: key}); err != nil {
				return fmt.Errorf("list the claims of host %s: %w", host, err)
			}
			facts.Claims = append(facts.Claims, list.Items...)
		}
	}
	var tenants v1alpha1.TenantList // also those whose longer domain the host lies under
	if err := r.Client.List(ctx, &tenants, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list Tenants: %w", err)
	}
	for i := range tenants.Items {
		if t := &tenants.Items[i]; t.Name != s.tenant.Name { // its own was read with the claim
			facts.Domains[t.Name] = t.Spec.Domains
		}
	}
	refused := facts.Decide(s.claim)
	if refused == nil {
		refused = r.given.take(s.claim, asked, func(host string, by holder) *v1alpha1.ServiceClaim {
			return r.wantsStill(ctx, by, hosts.KeysOf(host, s.settings.Expose.Domain))
		})
	}
	if refused == nil {
		s.hosts = asked
	} else if s.renderErr == nil {
		s.desired, s.renderErr = nil, refused
	}
	return nil
}

// wantsStill is the claim that was given a host, if it still asks for it or holds it.
func (r *Reconciler) wantsStill(ctx context.Context, by holder, keys []string) *v1alpha1.ServiceClaim {
	claim := &v1alpha1.ServiceClaim{}
	if err := r.Client.Get(ctx, by.name, claim); err != nil || claim.UID != by.uid {
		return nil // it is gone
	}
	if !slices.ContainsFunc(hosts.Keys(claim), func(k string) bool { return slices.Contains(keys, k) }) {
		return nil
	}
	return claim
}

// given remembers which claim this process gave a host to: the cache may not show yet
// what was noted in its status a moment ago.
type given struct {
	mu sync.Mutex
	to map[string]holder
}

type holder struct {
	name types.NamespacedName
	uid  types.UID
}

// take gives all of the hosts to a claim, or none where another has one of them and still
// wants it.
func (g *given) take(claim *v1alpha1.ServiceClaim, asked []string, still func(string, holder) *v1alpha1.ServiceClaim) *render.Refusal {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.to == nil {
		g.to = map[string]holder{}
	}
	for _, host := range asked {
		if by, known := g.to[host]; known && by.uid != claim.UID {
			if other := still(host, by); other != nil {
				return hosts.Taken(host, other)
			}
		}
	}
	for _, host := range asked {
		g.to[host] = holder{client.ObjectKeyFromObject(claim), claim.UID}
	}
	return nil
}

// forget lets go of what a claim that is gone was given.
func (g *given) forget(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.to, func(_ string, by holder) bool { return by.name.Name == name })
}

// noteHosts notes in the claim's status that they are its own, before anything is made
// that serves them: whoever looks afterwards finds them taken, a restarted operator too.
func (r *Reconciler) noteHosts(ctx context.Context, s *scope) error {
	if !slices.ContainsFunc(s.hosts, func(h string) bool { return !slices.Contains(s.claim.Status.Hosts, h) }) {
		return nil
	}
	status := s.claim.Status
	status.Hosts = append(slices.Clone(status.Hosts), s.hosts...)
	slices.Sort(status.Hosts)
	status.Hosts = slices.Compact(status.Hosts)
	version, err := r.applyStatus(ctx, s.claim, status)
	if err != nil {
		return err
	}
	s.claim.Status, s.claim.ResourceVersion = status, version
	return nil
}

// claimsWithoutHost wakes the claims that wait for a host when one may have become free.
func (r *Reconciler) claimsWithoutHost(ctx context.Context, _ client.Object) []reconcile.Request {
	var list v1alpha1.ServiceClaimList
	if err := r.Client.List(ctx, &list, client.MatchingFields{waitsIndex: "true"}); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list ServiceClaims to wake them")
		return nil
	}
	var out []reconcile.Request
	for i := range list.Items {
		out = append(out, request(list.Items[i].Name)...)
	}
	return out
}

// hostsChanged is when hosts may have become free: a claim went, or asks for, or holds,
// others than before, or waits itself.
var hostsChanged = predicate.Funcs{
	CreateFunc:  func(event.CreateEvent) bool { return false },
	GenericFunc: func(event.GenericEvent) bool { return false },
	DeleteFunc:  func(e event.DeleteEvent) bool { return len(hostIndex(e.Object)) > 0 },
	UpdateFunc: func(e event.UpdateEvent) bool {
		return !slices.Equal(hostIndex(e.ObjectOld), hostIndex(e.ObjectNew)) || withoutHost(e.ObjectOld) != withoutHost(e.ObjectNew) ||
			(e.ObjectOld.GetDeletionTimestamp() == nil) != (e.ObjectNew.GetDeletionTimestamp() == nil)
	},
}
