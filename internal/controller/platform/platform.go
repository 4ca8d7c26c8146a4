// Package platform keeps the ClusterRoles of fixed names, whether or not there is
// a Platform object, and says what of the platform's own settings is missing.
package platform

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	"sigs.k8s.io/controller-runtime/pkg/source"

	"demarc.dev/demarc/api/v1alpha1"
	v1alpha1ac "demarc.dev/demarc/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/heartbeat"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// Manager is the field manager of what this controller writes.
const Manager = "demarc-platform"

// Reconciler keeps what is the whole platform's.
type Reconciler struct {
	kube.Ensurer
	Heart  *heartbeat.Heart
	Client client.Client
	ArgoCD *kube.ArgoCD
	// Contracts reads who owns what.
	Contracts *kube.Contracts
	Clock     clock.PassiveClock
	Recorder  events.EventRecorder

	changed chan event.GenericEvent
	// patience with sets that are being written.
	patience outcome.Patience
}

// SetupWithManager wires what wakes the controller. It is woken once at the
// start, since the roles are kept without a Platform too.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.changed = make(chan event.GenericEvent, 1)
	outcome.Wake(r.changed)
	role := kube.Like(schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"})
	sets := kube.Like(setKind)
	_, err := r.Heart.Build(ctrl.NewControllerManagedBy(mgr).Named("platform").
		For(&v1alpha1.Platform{}).
		Watches(&role, handler.EnqueueRequestsFromMapFunc(theOne)).
		Watches(&v1alpha1.OwnershipContract{}, handler.EnqueueRequestsFromMapFunc(theOne), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(theOne)).
		Watches(&sets, handler.EnqueueRequestsFromMapFunc(theOne)).
		Watches(&v1alpha1.Tenant{}, handler.EnqueueRequestsFromMapFunc(theOne), builder.WithPredicates(comesOrGoes{})).
		WatchesRawSource(source.Channel(r.changed, handler.EnqueueRequestsFromMapFunc(theOne))), r)
	if err != nil {
		return err
	}
	r.ArgoCD.Follow(func() error { return nil }, func() { outcome.Wake(r.changed) })
	r.Contracts.OnChange(func() { outcome.Wake(r.changed) })
	return nil
}

func theOne(context.Context, client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: v1alpha1.PlatformName}}}
}

// Reconcile keeps the roles, then says how the platform's settings stand.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	if req.Name != v1alpha1.PlatformName {
		return ctrl.Result{}, nil
	}
	defer func() {
		result, err = outcome.Overtaken(result, err)
		outcome.Count("platform", result, err)
	}()
	p := &v1alpha1.Platform{}
	absent := r.Client.Get(ctx, req.NamespacedName, p)
	if client.IgnoreNotFound(absent) != nil {
		return ctrl.Result{}, absent
	}
	agreed, err := r.Contracts.Current(ctx)
	if agreed == nil {
		return ctrl.Result{}, err
	}
	if guarded, err := r.Contracts.MayFollow(agreed); !guarded && err == nil {
		return ctrl.Result{}, nil // whoever writes admission wakes this one
	}
	roles, errs := r.roles(ctx, agreed, p.Spec.Team.Contacts)
	health := r.argoHealth(ctx)
	if health != nil {
		errs = append(errs, health)
	}
	switch {
	case absent != nil:
		return outcome.Result(errs...)
	case r.Writes.Behind(kube.Key("Platform", "", p.Name), p.ResourceVersion):
		return outcome.Result(errs...) // the event of our own write is on its way
	}
	guardrails, err := r.guardrails(ctx, p)
	if err != nil {
		return ctrl.Result{}, err
	}
	if r.onTheirWay(guardrails) {
		result, err := outcome.Result(errs...)
		if err == nil && result.RequeueAfter == 0 {
			result.RequeueAfter = setsRecheck
		}
		return result, err
	}
	decided := readiness.Platform{Roles: roles, ArgoCD: r.ArgoCD.Present(), Health: trouble(health), Chart: p.Spec.Chart, Guardrails: guardrails}.Decide()
	if err := r.writeStatus(ctx, p, decided); err != nil {
		return ctrl.Result{}, err
	}
	return outcome.Result(errs...)
}

// roles keeps every fixed role; one that is somebody else's hides no other.
// They follow the contract once admission does.
func (r *Reconciler) roles(ctx context.Context, agreed *contract.Contract, onCall v1alpha1.Contacts) (first *readiness.Trouble, errs []error) {
	if _, err := r.Contracts.MayFollow(agreed); err != nil {
		return trouble(err), []error{err}
	}
	defer func() { r.Contracts.Follow(agreed, errors.Join(errs...)) }()
	for _, role := range render.Roles(agreed) {
		if _, _, err := r.EnsureByName(ctx, render.OnCall(role, onCall), render.PlatformRef); err != nil {
			errs = append(errs, fmt.Errorf("keep %s: %w", kube.Name(role), err))
			if first == nil {
				first = trouble(err)
			}
		}
	}
	return first, errs
}

func trouble(err error) *readiness.Trouble {
	if err == nil {
		return nil
	}
	if t := outcome.Trouble(err, "RoleTaken", "Retrying"); t != nil {
		return t
	}
	return &readiness.Trouble{Reason: "Retrying", Message: err.Error()}
}

func (r *Reconciler) writeStatus(ctx context.Context, p *v1alpha1.Platform, computed []metav1.Condition) error {
	conditions, changed := readiness.Merge(p.Status.Conditions, computed, p.Generation, metav1.NewTime(r.Clock.Now()))
	if !changed && p.Status.ObservedGeneration == p.Generation {
		return nil
	}
	status := v1alpha1ac.PlatformStatus().WithObservedGeneration(p.Generation)
	for _, c := range conditions {
		status.WithConditions(outcome.Condition(c))
	}
	apply := v1alpha1ac.Platform(p.Name).WithUID(p.UID).WithResourceVersion(p.ResourceVersion).WithStatus(status)
	if err := r.Client.Status().Apply(ctx, apply, client.FieldOwner(Manager), client.ForceOwnership); err != nil {
		return outcome.Unwritten(err)
	}
	r.Writes.Note(kube.Key("Platform", "", p.Name), ptr.Deref(apply.ResourceVersion, ""))
	outcome.Announce(r.Recorder, p, p.Status.Conditions, conditions)
	return nil
}
