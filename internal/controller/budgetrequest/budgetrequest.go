// Package budgetrequest decides which BudgetRequests raise a team's budget, and when
// that ends. The Tenant's own controller writes the quota.
package budgetrequest

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"demarc.dev/demarc/api/v1alpha1"
	v1alpha1ac "demarc.dev/demarc/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/heartbeat"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
)

// Manager is the field manager of what this controller writes.
const Manager = "demarc-budgetrequest"

// Reconciler keeps BudgetRequests.
type Reconciler struct {
	kube.Ensurer
	Heart    *heartbeat.Heart
	Client   client.Client
	Clock    clock.PassiveClock
	Recorder events.EventRecorder
}

// SetupWithManager wires what wakes the controller: the request, its team, and the
// Platform's ceiling.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	if err := outcome.IndexOpen(mgr, &v1alpha1.BudgetRequest{}); err != nil {
		return fmt.Errorf("index BudgetRequests: %w", err)
	}
	b := ctrl.NewControllerManagedBy(mgr).Named("budgetrequest").
		For(&v1alpha1.BudgetRequest{}).
		Watches(&v1alpha1.Platform{}, handler.EnqueueRequestsFromMapFunc(r.every), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Tenant{}, handler.EnqueueRequestsFromMapFunc(r.ofTeam), builder.WithPredicates(predicate.Or[client.Object](outcome.TeamMoves{}, raised{})))
	_, err := r.Heart.Build(b, r)
	return err
}

// raised lets the events of Tenants through by which it changes what raises them.
type raised struct{ predicate.Funcs }

func (raised) Update(e event.UpdateEvent) bool {
	before, was := e.ObjectOld.(*v1alpha1.Tenant)
	after, is := e.ObjectNew.(*v1alpha1.Tenant)
	return was && is && !slices.EqualFunc(before.Status.Raises, after.Status.Raises, func(a, b v1alpha1.TenantRaise) bool { return a.Request == b.Request })
}

func (r *Reconciler) every(ctx context.Context, _ client.Object) []reconcile.Request {
	return r.open(ctx)
}

func (r *Reconciler) ofTeam(ctx context.Context, t client.Object) []reconcile.Request {
	return r.open(ctx, client.MatchingFields{outcome.OpenOfTeam: t.GetName()})
}

// open are those that have not ended.
func (r *Reconciler) open(ctx context.Context, of ...client.ListOption) (out []reconcile.Request) {
	var list v1alpha1.BudgetRequestList
	if err := r.Client.List(ctx, &list, append(of, client.UnsafeDisableDeepCopy)...); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list BudgetRequests to wake them")
		return nil
	}
	for i := range list.Items {
		if b := &list.Items[i]; b.Status.EndedAt == nil {
			out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(b)})
		}
	}
	return out
}

// Reconcile says what becomes of one request.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	defer func() {
		result, err = outcome.Overtaken(result, err)
		outcome.Count("budgetrequest", result, err)
	}()
	b := &v1alpha1.BudgetRequest{}
	if err := r.Client.Get(ctx, req.NamespacedName, b); err != nil {
		r.Writes.Forget(kube.Key("BudgetRequest", "", req.Name))
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if r.Writes.Behind(kube.Key("BudgetRequest", "", b.Name), b.ResourceVersion) {
		return ctrl.Result{RequeueAfter: kube.Lag}, nil // the event of our own write is on its way
	}
	if b.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // the Tenant sees it go
	}
	granted, t, err := r.decide(ctx, b)
	if err != nil {
		return ctrl.Result{}, err
	}
	var waits *readiness.Trouble
	if granted.Holds && !slices.ContainsFunc(t.Status.Raises, func(raise v1alpha1.TenantRaise) bool { return raise.Request == b.Name }) {
		waits = &readiness.Trouble{Reason: "BeingRaised", Message: "the budget of Tenant " + b.Spec.Team + " is being raised"}
	}
	return outcome.At(granted.Next, r.Clock), r.writeStatus(ctx, b, granted, waits)
}

// decide gathers what a request depends on, and asks what becomes of it.
func (r *Reconciler) decide(ctx context.Context, b *v1alpha1.BudgetRequest) (readiness.Granted, *v1alpha1.Tenant, error) {
	platform := &v1alpha1.Platform{}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: v1alpha1.PlatformName}, platform); client.IgnoreNotFound(err) != nil {
		return readiness.Granted{}, nil, fmt.Errorf("read Platform: %w", err)
	}
	t, err := outcome.Team(ctx, r.Client, r.Live, b.Spec.Team)
	if err != nil {
		return readiness.Granted{}, nil, err
	}
	return readiness.Grant(readiness.BudgetAsked(b, t, platform.Spec.Ceiling), b.Status.Life, outcome.Seen(t), r.Clock.Now()), t, nil
}

// writeStatus writes what was decided where it differs, and tells each step.
func (r *Reconciler) writeStatus(ctx context.Context, b *v1alpha1.BudgetRequest, granted readiness.Granted, waits *readiness.Trouble) error {
	computed := granted.Conditions(b.Status.Conditions, waits)
	conditions, changed := readiness.Merge(b.Status.Conditions, computed, b.Generation, metav1.NewTime(r.Clock.Now()))
	if !changed && b.Status.ObservedGeneration == b.Generation && outcome.SameLife(b.Status.Life, granted.Life) {
		return nil
	}
	status := v1alpha1ac.BudgetRequestStatus().WithObservedGeneration(b.Generation)
	status.LifeApplyConfiguration = outcome.Life(granted.Life)
	for _, c := range conditions {
		status.WithConditions(outcome.Condition(c))
	}
	apply := v1alpha1ac.BudgetRequest(b.Name).WithUID(b.UID).WithResourceVersion(b.ResourceVersion).WithStatus(status)
	if err := r.Client.Status().Apply(ctx, apply, client.FieldOwner(Manager), client.ForceOwnership); err != nil {
		return outcome.Unwritten(err)
	}
	r.Writes.Note(kube.Key("BudgetRequest", "", b.Name), ptr.Deref(apply.ResourceVersion, ""))
	outcome.Tell(r.Recorder, b, granted.Steps(b.Status.Conditions, conditions, b.Status.Life))
	return nil
}
