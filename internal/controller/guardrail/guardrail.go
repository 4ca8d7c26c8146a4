// Package guardrail keeps the GuardrailSets, which the policies of the guardrails
// read, whether or not there is a Platform object.
package guardrail

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/heartbeat"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/render"
)

// Manager is the field manager of what this controller writes.
const Manager = "demarc-guardrail"

// Kind is what it keeps.
var Kind = v1alpha1.SchemeGroupVersion.WithKind("GuardrailSet")

// Reconciler keeps the sets.
type Reconciler struct {
	kube.Ensurer
	Heart  *heartbeat.Heart
	Client client.Client
	Clock  clock.PassiveClock

	start chan event.GenericEvent
}

// SetupWithManager wires what wakes the controller: all that the sets are made of, and
// the sets themselves. It is woken once at the start, since they are kept without a
// Platform too.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.start = make(chan event.GenericEvent, 1)
	outcome.Wake(r.start)
	sets, all := kube.Like(Kind), handler.EnqueueRequestsFromMapFunc(theOne)
	_, err := r.Heart.Build(ctrl.NewControllerManagedBy(mgr).Named("guardrail").
		For(&v1alpha1.Platform{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Tenant{}, all, builder.WithPredicates(outcome.TeamMoves{})).
		Watches(&v1alpha1.GuardrailException{}, all).
		Watches(&sets, all).
		WatchesRawSource(source.Channel(r.start, all)), r)
	return err
}

func theOne(context.Context, client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: v1alpha1.PlatformName}}}
}

// Reconcile brings the sets to what Platform, Tenants and GuardrailExceptions say.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	if req.Name != v1alpha1.PlatformName {
		return ctrl.Result{}, nil
	}
	defer func() { outcome.Count("guardrail", result, err) }()
	p := &v1alpha1.Platform{}
	if err := r.Client.Get(ctx, req.NamespacedName, p); client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("read Platform: %w", err)
	}
	var tenants v1alpha1.TenantList
	var exceptions v1alpha1.GuardrailExceptionList
	if err := errors.Join(r.Client.List(ctx, &tenants), r.Client.List(ctx, &exceptions)); err != nil {
		return ctrl.Result{}, fmt.Errorf("list Tenants and GuardrailExceptions: %w", err)
	}
	in, next := guardrail.InForce(exceptions.Items, guardrail.TermsOf(p), r.Clock.Now())
	var errs []error
	for _, set := range guardrail.Sets(p, tenants.Items, in) {
		if _, err := r.EnsureWhole(ctx, render.GuardrailSet(set), render.PlatformRef); err != nil {
			errs = append(errs, fmt.Errorf("keep GuardrailSet %s: %w", set.Name, err))
		}
	}
	result, err = outcome.Result(errs...)
	if forgets := outcome.At(next, r.Clock); err == nil && result.RequeueAfter == 0 {
		result = forgets // no watch sees that an exception ended long enough ago
	}
	return result, err
}
