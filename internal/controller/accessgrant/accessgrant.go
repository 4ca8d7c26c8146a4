// Package accessgrant gives somebody a role in a team's namespace for some hours, and
// takes it away again: at its time, at somebody's word, and when the team goes.
package accessgrant

import (
	"context"
	"fmt"
	"slices"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	"demarc.dev/demarc/internal/heartbeat"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// Manager is the field manager of what this controller writes.
const Manager = "demarc-accessgrant"

var grantKind = v1alpha1.SchemeGroupVersion.WithKind("AccessGrant")

// Kept are the kinds that an AccessGrant becomes.
var Kept = []schema.GroupVersionKind{
	rbacv1.SchemeGroupVersion.WithKind("RoleBinding"),
	rbacv1.SchemeGroupVersion.WithKind("ClusterRoleBinding"),
}

// Reconciler keeps AccessGrants.
type Reconciler struct {
	kube.Ensurer
	Heart    *heartbeat.Heart
	Client   client.Client
	Clock    clock.PassiveClock
	Recorder events.EventRecorder
}

// SetupWithManager wires what wakes the controller. At the start every AccessGrant and
// every binding of one is looked at, so that what ended while the operator was down is
// ended then.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	if err := outcome.IndexOpen(mgr, &v1alpha1.AccessGrant{}); err != nil {
		return fmt.Errorf("index AccessGrants: %w", err)
	}
	b := ctrl.NewControllerManagedBy(mgr).Named("accessgrant").
		For(&v1alpha1.AccessGrant{}).
		Watches(&v1alpha1.Platform{}, handler.EnqueueRequestsFromMapFunc(r.every), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Tenant{}, handler.EnqueueRequestsFromMapFunc(r.ofTeam), builder.WithPredicates(outcome.TeamMoves{}))
	for _, gvk := range Kept {
		like := kube.Like(gvk)
		b = b.Watches(&like, handler.EnqueueRequestsFromMapFunc(ofBinding))
	}
	_, err := r.Heart.Build(b, r)
	return err
}

func ofBinding(_ context.Context, o client.Object) []reconcile.Request {
	grant := render.GrantOf(o.GetName())
	if grant == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: grant}}}
}

func (r *Reconciler) every(ctx context.Context, _ client.Object) []reconcile.Request {
	return r.open(ctx)
}

func (r *Reconciler) ofTeam(ctx context.Context, t client.Object) []reconcile.Request {
	return r.open(ctx, client.MatchingFields{outcome.OpenOfTeam: t.GetName()})
}

// open are those that have not ended.
func (r *Reconciler) open(ctx context.Context, of ...client.ListOption) (out []reconcile.Request) {
	var list v1alpha1.AccessGrantList
	if err := r.Client.List(ctx, &list, append(of, client.UnsafeDisableDeepCopy)...); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list AccessGrants to wake them")
		return nil
	}
	for i := range list.Items {
		if g := &list.Items[i]; g.Status.EndedAt == nil {
			out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(g)})
		}
	}
	return out
}

// Reconcile gives what an AccessGrant gives now, or takes it away.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	defer func() {
		result, err = outcome.Overtaken(result, err)
		outcome.Count("accessgrant", result, err)
	}()
	g := &v1alpha1.AccessGrant{}
	if err := r.Client.Get(ctx, req.NamespacedName, g); err != nil {
		r.Writes.Forget(kube.Key("AccessGrant", "", req.Name))
		if client.IgnoreNotFound(err) != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, r.takeFromNone(ctx, req.Name)
	}
	if r.Writes.Behind(kube.Key("AccessGrant", "", g.Name), g.ResourceVersion) {
		return ctrl.Result{RequeueAfter: kube.Lag}, nil // the event of our own write is on its way
	}
	if g.DeletionTimestamp != nil {
		return ctrl.Result{}, r.release(ctx, g)
	}
	granted, err := r.decide(ctx, g)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !granted.Holds {
		// What was given goes first: a status that says so is true then.
		if err := r.take(ctx, g); err != nil {
			return r.failed(ctx, g, granted, err)
		}
		return outcome.At(granted.Next, r.Clock), r.writeStatus(ctx, g, granted, nil)
	}
	return r.give(ctx, g, granted)
}

// give writes the end down before it gives anything: whatever happens in between, what is
// given has an end, and that is not counted anew.
func (r *Reconciler) give(ctx context.Context, g *v1alpha1.AccessGrant, granted readiness.Granted) (ctrl.Result, error) {
	if !slices.Contains(g.Finalizers, v1alpha1.FinalizerGrant) {
		u := kube.Untyped(g, grantKind)
		if err := r.SetFinalizers(ctx, u, append(slices.Clone(g.Finalizers), v1alpha1.FinalizerGrant)); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		g.ResourceVersion = u.GetResourceVersion()
	}
	if g.Status.ApprovedAt == nil {
		waits := &readiness.Trouble{Reason: "BeingGranted", Message: granted.Asked.What + " is being given"}
		return ctrl.Result{RequeueAfter: time.Second}, r.writeStatus(ctx, g, granted, waits)
	}
	for _, o := range render.Grant(g, granted.Life.Expires.Time) {
		if _, _, err := r.Ensure(ctx, o, render.GrantRef(g)); err != nil {
			return r.failed(ctx, g, granted, fmt.Errorf("write %s: %w", kube.Name(o), err))
		}
	}
	return outcome.At(granted.Next, r.Clock), r.writeStatus(ctx, g, granted, nil)
}

// failed says what an error means for the access, and when to look again.
func (r *Reconciler) failed(ctx context.Context, g *v1alpha1.AccessGrant, granted readiness.Granted, failed error) (ctrl.Result, error) {
	trouble := outcome.Trouble(failed, "ObjectTaken", "NamespaceTerminating")
	if kube.KindOf(failed) == kube.NoNamespace {
		trouble = &readiness.Trouble{Reason: "WaitingForNamespace", Message: "it belongs into namespace " + v1alpha1.NamespaceOf(g.Spec.Team)}
	}
	switch {
	case trouble == nil:
	case !granted.Holds: // Ready stays as it is: the access is still there
		r.Recorder.Eventf(g, nil, "Warning", trouble.Reason, "Reconcile", "%s is over and cannot be taken away: %s", granted.Asked.What, trouble.Message)
	default:
		if err := r.writeStatus(ctx, g, granted, trouble); err != nil {
			return ctrl.Result{}, err
		}
	}
	result, err := outcome.Result(failed)
	if next := outcome.At(granted.Next, r.Clock); err == nil && (result.RequeueAfter == 0 || next.RequeueAfter > 0 && next.RequeueAfter < result.RequeueAfter) {
		result = next
	}
	return result, err
}
