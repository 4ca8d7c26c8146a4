// Package tenant keeps a team's space: namespace, access, budget, isolation and
// Argo CD project; and takes it down in a fixed order (invariant O3).
package tenant

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/diagnosis/runner"
	"demarc.dev/demarc/internal/heartbeat"
	"demarc.dev/demarc/internal/kube"
)

// Manager is the field manager of what this controller writes.
const Manager = "demarc-tenant"

// Reconciler keeps Tenants.
type Reconciler struct {
	kube.Ensurer
	Heart  *heartbeat.Heart
	Client client.Client
	ArgoCD *kube.ArgoCD
	// Contracts reads who owns what.
	Contracts *kube.Contracts
	// Triage says how much is wrong for which team.
	Triage   *runner.Runner
	Clock    clock.PassiveClock
	Recorder events.EventRecorder

	changed chan event.GenericEvent
	// diagnosed wakes the Tenants for which triage finds more or less.
	diagnosed outcome.Waker
	fresh     outcome.Fresh[*v1alpha1.Tenant]
	// patience with errors that trying again may mend.
	patience outcome.Patience
}

// Reconcile keeps one Tenant, or takes it down.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	defer func() {
		result, err = outcome.Overtaken(result, err)
		outcome.Count("tenant", result, err)
	}()
	t := &v1alpha1.Tenant{}
	if err := r.Client.Get(ctx, req.NamespacedName, t); err != nil {
		r.Writes.Forget(kube.Key("Tenant", "", req.Name))
		r.patience.Spent(req.Name, nil, time.Time{})
		if client.IgnoreNotFound(err) != nil {
			return ctrl.Result{}, err
		}
		if lost, _, ok := r.fresh.Get(req.Name, time.Now()); ok {
			return r.takeDownIfLost(ctx, lost)
		}
		return ctrl.Result{}, r.letGo(ctx, req.Name)
	}
	if r.Writes.Behind(kube.Key("Tenant", "", t.Name), t.ResourceVersion) {
		return ctrl.Result{RequeueAfter: kube.Lag}, nil // the event of our own write is on its way
	}
	if t.DeletionTimestamp != nil {
		r.fresh.Drop(t.Name)
		return r.drain(ctx, t)
	}
	if result, err = r.keep(ctx, t); err != nil {
		return result, err
	}
	return r.settled(ctx, t.Name, result)
}

// SetupWithManager wires what wakes the controller: the Tenant, all that it
// keeps, the Platform, Argo CD's settings, and claims that go while it waits.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.changed = make(chan event.GenericEvent, 1)
	b := ctrl.NewControllerManagedBy(mgr).Named("tenant").
		// A Tenant waits on the API server most of the time, so several are kept at once.
		WithOptions(controller.Options{MaxConcurrentReconciles: 8}).
		For(&v1alpha1.Tenant{}).
		Watches(&v1alpha1.Platform{}, handler.EnqueueRequestsFromMapFunc(r.everyTenant), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.OwnershipContract{}, handler.EnqueueRequestsFromMapFunc(r.everyTenant), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.argoSettings)).
		Watches(&v1alpha1.BudgetRequest{}, handler.EnqueueRequestsFromMapFunc(teamOfRequest)).
		Watches(&v1alpha1.GuardrailException{}, handler.EnqueueRequestsFromMapFunc(teamOfException)).
		Watches(&v1alpha1.ServiceClaim{}, handler.EnqueueRequestsFromMapFunc(teamOfClaim), builder.WithPredicates(gone{})).
		WatchesRawSource(r.diagnosed.Source()).
		WatchesRawSource(source.Channel(r.changed, handler.EnqueueRequestsFromMapFunc(r.everyTenant)))
	for _, gvk := range Kept {
		like := kube.Like(gvk)
		b = b.Watches(&like, handler.EnqueueRequestsFromMapFunc(teamOfObject))
	}
	c, err := r.Heart.Build(b, r)
	if err != nil {
		return err
	}
	r.Triage.Follow(func(_, teams []string) { r.diagnosed.Wake(teams) })
	r.ArgoCD.Follow(func() error {
		project, application := kube.Like(argocd.ProjectKind), kube.Like(argocd.ApplicationKind)
		if err := c.Watch(source.Kind(r.ArgoCD.Cache(), client.Object(&project), handler.EnqueueRequestsFromMapFunc(teamOfObject))); err != nil {
			return err
		}
		return c.Watch(source.Kind(r.ArgoCD.Cache(), client.Object(&application), handler.EnqueueRequestsFromMapFunc(teamOfObject), predicate.Predicate(gone{})))
	}, r.argoChanged)
	return nil
}

// Kept are the kinds that a Tenant keeps, Argo CD's apart.
var Kept = []schema.GroupVersionKind{
	{Version: "v1", Kind: "Namespace"},
	{Version: "v1", Kind: "ServiceAccount"},
	{Version: "v1", Kind: "LimitRange"},
	{Version: "v1", Kind: "ResourceQuota"},
	{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRoleBinding"},
}

// gone lets only the events through by which something goes.
type gone struct{}

func (gone) Create(event.CreateEvent) bool   { return false }
func (gone) Delete(event.DeleteEvent) bool   { return true }
func (gone) Generic(event.GenericEvent) bool { return false }
func (gone) Update(e event.UpdateEvent) bool {
	return e.ObjectNew.GetDeletionTimestamp() != nil ||
		len(e.ObjectNew.GetFinalizers()) != len(e.ObjectOld.GetFinalizers())
}

func (r *Reconciler) argoChanged() { outcome.Wake(r.changed) }

// argoSettings wakes the Tenants when Argo CD's own settings change, and not when a
// team makes a ConfigMap of that name.
func (r *Reconciler) argoSettings(ctx context.Context, o client.Object) []reconcile.Request {
	if settings, err := r.settings(ctx); err != nil || settings.ArgoCDNamespace != o.GetNamespace() {
		return nil
	}
	return r.everyTenant(ctx, o)
}

func (r *Reconciler) everyTenant(ctx context.Context, _ client.Object) []reconcile.Request {
	var list v1alpha1.TenantList
	if err := r.Client.List(ctx, &list); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list Tenants to wake them")
		return nil
	}
	out := make([]reconcile.Request, 0, len(list.Items))
	for i := range list.Items {
		out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return out
}

func teamOfObject(_ context.Context, o client.Object) []reconcile.Request {
	return request(o.GetLabels()[v1alpha1.LabelTeam])
}

func teamOfClaim(_ context.Context, o client.Object) []reconcile.Request {
	claim, ok := o.(*v1alpha1.ServiceClaim)
	if !ok {
		return nil
	}
	return request(claim.Spec.Team)
}

func request(team string) []reconcile.Request {
	if team == "" {
		return nil
	}
	req := reconcile.Request{}
	req.Name = team
	return []reconcile.Request{req}
}

// say tells in an Event that an object was found again under a new UID.
func (r *Reconciler) say(t *v1alpha1.Tenant, change kube.Change, name string) {
	if change == kube.Reclaimed {
		r.Recorder.Eventf(t, nil, "Normal", "FoundAgain", "Reconcile", "%s", fmt.Sprintf("%s carried another UID of this Tenant and is kept on", name))
	}
}
