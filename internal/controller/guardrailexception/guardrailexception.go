// Package guardrailexception says how each GuardrailException stands: asked for, in
// force, about to end, ended, and what still runs on one that ended. What the policies read
// is written by another controller.
package guardrailexception

import (
	"context"
	"errors"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/heartbeat"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
)

// Manager is the field manager of what this controller writes.
const Manager = "demarc-guardrailexception"

// lookAgain is how often it is looked what still runs on an exception that ended: of the
// kinds that the operator does not watch nothing tells.
const lookAgain = 5 * time.Minute

var setKind = v1alpha1.SchemeGroupVersion.WithKind("GuardrailSet")

// Reconciler keeps the status of GuardrailExceptions.
type Reconciler struct {
	kube.Ensurer
	Heart    *heartbeat.Heart
	Client   client.Client
	Clock    clock.PassiveClock
	Recorder events.EventRecorder

	judge judge
}

// SetupWithManager wires what wakes the controller: the exception, its team, the Platform's
// terms, the sets that it gets into, and the workloads that may run on it after its end.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	sets, changes := kube.Like(setKind), builder.WithPredicates(predicate.GenerationChangedPredicate{})
	b := ctrl.NewControllerManagedBy(mgr).Named("guardrailexception").
		For(&v1alpha1.GuardrailException{}).
		Watches(&v1alpha1.Platform{}, handler.EnqueueRequestsFromMapFunc(r.every), changes).
		Watches(&sets, handler.EnqueueRequestsFromMapFunc(r.every), changes).
		Watches(&v1alpha1.Tenant{}, handler.EnqueueRequestsFromMapFunc(r.ofTeam), builder.WithPredicates(outcome.TeamMoves{}))
	for _, workload := range []client.Object{&appsv1.Deployment{}, &appsv1.StatefulSet{}, &appsv1.DaemonSet{}} {
		b = b.Watches(workload, handler.EnqueueRequestsFromMapFunc(r.livingIn), changes)
	}
	_, err := r.Heart.Build(b, r)
	return err
}

func (r *Reconciler) every(ctx context.Context, _ client.Object) []reconcile.Request {
	return r.where(ctx, func(*v1alpha1.GuardrailException) bool { return true })
}

func (r *Reconciler) ofTeam(ctx context.Context, t client.Object) []reconcile.Request {
	return r.where(ctx, func(e *v1alpha1.GuardrailException) bool { return e.Spec.Team == t.GetName() })
}

// livingIn are the exceptions that ended and on which something runs in a namespace.
func (r *Reconciler) livingIn(ctx context.Context, workload client.Object) []reconcile.Request {
	return r.where(ctx, func(e *v1alpha1.GuardrailException) bool {
		return uncleared(e) && v1alpha1.NamespaceOf(e.Spec.Team) == workload.GetNamespace()
	})
}

func uncleared(e *v1alpha1.GuardrailException) bool {
	return meta.IsStatusConditionFalse(e.Status.Conditions, readiness.Cleared)
}

func (r *Reconciler) where(ctx context.Context, fits func(*v1alpha1.GuardrailException) bool) (out []reconcile.Request) {
	var list v1alpha1.GuardrailExceptionList
	if err := r.Client.List(ctx, &list); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list GuardrailExceptions to wake them")
		return nil
	}
	for i := range list.Items {
		if e := &list.Items[i]; (e.Status.EndedAt == nil || uncleared(e)) && fits(e) {
			out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e)})
		}
	}
	return out
}

// Reconcile says what becomes of one exception.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	defer func() {
		result, err = outcome.Overtaken(result, err)
		outcome.Count("guardrailexception", result, err)
	}()
	e := &v1alpha1.GuardrailException{}
	if err := r.Client.Get(ctx, req.NamespacedName, e); err != nil {
		r.Writes.Forget(kube.Key("GuardrailException", "", req.Name))
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if r.Writes.Behind(kube.Key("GuardrailException", "", e.Name), e.ResourceVersion) {
		return ctrl.Result{RequeueAfter: kube.Lag}, nil // the event of our own write is on its way
	}
	if e.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // the sets see it go
	}
	seen, err := r.gather(ctx, e)
	if err != nil {
		return ctrl.Result{}, err
	}
	granted := readiness.Grant(readiness.ExceptionAsked(e, seen.terms, seen.unknown), e.Status.Life, seen.team, r.Clock.Now())
	if granted.Over() && e.Status.EndedAt == nil && e.Spec.Revocation != nil && seen.within(e) > 0 {
		return ctrl.Result{}, nil // it still holds: the sets' own event wakes us when it does not
	}
	var waits *readiness.Trouble
	if granted.Holds && seen.within(e) < len(guardrail.SetNames()) {
		waits = &readiness.Trouble{Reason: "BeingExcepted", Message: "it is on its way to the policies"}
	}
	// That it ended is said whether or not it can be seen what runs on it.
	living, unseen := r.living(ctx, e, granted, seen.sets)
	result = outcome.At(granted.Next, r.Clock)
	if living != nil && len(living.Objects) > 0 {
		result.RequeueAfter = lookAgain
	}
	return result, errors.Join(r.writeStatus(ctx, e, granted, waits, living), unseen)
}
