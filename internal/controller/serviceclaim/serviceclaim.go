// Package serviceclaim keeps a claim's Argo CD Application, proves that what was
// asked for runs, and takes it down again. It gathers a snapshot, lets
// internal/readiness decide, and acts.
package serviceclaim

import (
	"context"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
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

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/diagnosis/runner"
	"demarc.dev/demarc/internal/heartbeat"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
)

// Manager is the field manager of what this controller writes.
const Manager = "demarc-serviceclaim"

// TeamIndex is the cache index of claims by team.
const TeamIndex = "spec.team"

// Reconciler keeps ServiceClaims.
type Reconciler struct {
	kube.Ensurer
	Heart  *heartbeat.Heart
	Client client.Client
	ArgoCD *kube.ArgoCD
	// Triage says what is wrong with what.
	Triage   *runner.Runner
	Clock    clock.PassiveClock
	Recorder events.EventRecorder

	changed chan event.GenericEvent
	// diagnosed wakes the claims of which triage finds something else.
	diagnosed outcome.Waker
	pace      pace
	again     tries
	given     given
	fresh     outcome.Fresh[*v1alpha1.ServiceClaim]
	// patience with errors that trying again may mend.
	patience outcome.Patience
}

// Reconcile keeps one claim, or takes it down.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	defer func() {
		result, err = outcome.Overtaken(result, err)
		outcome.Count("serviceclaim", result, err)
	}()
	claim := &v1alpha1.ServiceClaim{}
	if err := r.Client.Get(ctx, req.NamespacedName, claim); err != nil {
		r.Writes.Forget(kube.Key("ServiceClaim", "", req.Name))
		r.pace.told(req.Name)
		r.given.forget(req.Name)
		r.patience.Spent(req.Name, nil, time.Time{})
		if client.IgnoreNotFound(err) != nil {
			return ctrl.Result{}, err
		}
		if lost, _, ok := r.fresh.Get(req.Name, time.Now()); ok {
			return ctrl.Result{}, r.takeDownIfLost(ctx, lost)
		}
		return ctrl.Result{}, nil
	}
	if r.Writes.Behind(kube.Key("ServiceClaim", "", claim.Name), claim.ResourceVersion) {
		return ctrl.Result{RequeueAfter: kube.Lag}, nil // the event of our own write is on its way
	}
	if claim.DeletionTimestamp != nil {
		r.fresh.Drop(claim.Name)
		return r.drain(ctx, claim)
	}
	if result, err = r.keep(ctx, claim); err != nil {
		return result, err
	}
	return r.settled(ctx, claim.Name, result)
}

// SetupWithManager wires what wakes the controller: the claim, its Tenant, the
// Platform, its Application, and the workloads and pods that prove it.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.changed = make(chan event.GenericEvent, 1)
	for name, of := range map[string]client.IndexerFunc{TeamIndex: teamIndex, HostIndex: hostIndex, waitsIndex: waitIndex} {
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), &v1alpha1.ServiceClaim{}, name, of); err != nil {
			return err
		}
	}
	quota := kube.Like(corev1.SchemeGroupVersion.WithKind("ResourceQuota"))
	c, err := r.Heart.Build(ctrl.NewControllerManagedBy(mgr).Named("serviceclaim").
		WithOptions(controller.Options{MaxConcurrentReconciles: 16}).
		For(&v1alpha1.ServiceClaim{}).
		Watches(&v1alpha1.Tenant{}, handler.EnqueueRequestsFromMapFunc(r.claimsOfTenant)).
		Watches(&v1alpha1.Platform{}, handler.EnqueueRequestsFromMapFunc(r.everyClaim), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&appsv1.Deployment{}, handler.EnqueueRequestsFromMapFunc(claimOfTracked)).
		Watches(&appsv1.StatefulSet{}, handler.EnqueueRequestsFromMapFunc(claimOfTracked)).
		Watches(&appsv1.DaemonSet{}, handler.EnqueueRequestsFromMapFunc(claimOfTracked)).
		Watches(&batchv1.Job{}, handler.EnqueueRequestsFromMapFunc(claimOfLabel)).
		Watches(&batchv1.CronJob{}, handler.EnqueueRequestsFromMapFunc(claimOfLabel)).
		Watches(&v1alpha1.ServiceClaim{}, handler.EnqueueRequestsFromMapFunc(r.claimsWithoutHost), builder.WithPredicates(hostsChanged)).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(claimOfLabel)).
		Watches(&quota, handler.EnqueueRequestsFromMapFunc(r.claimsWithoutRoom)).
		WatchesRawSource(r.diagnosed.Source()).
		WatchesRawSource(source.Channel(r.changed, handler.EnqueueRequestsFromMapFunc(r.everyClaim))), r)
	if err != nil {
		return err
	}
	r.Triage.Follow(func(claims, _ []string) { r.diagnosed.Wake(claims) })
	r.ArgoCD.Follow(func() error {
		application := kube.Like(argocd.ApplicationKind)
		return c.Watch(source.Kind(r.ArgoCD.Cache(), client.Object(&application), handler.EnqueueRequestsFromMapFunc(claimOfLabel)))
	}, func() { outcome.Wake(r.changed) })
	return nil
}

func teamIndex(o client.Object) []string { return []string{o.(*v1alpha1.ServiceClaim).Spec.Team} }

func (r *Reconciler) claimsOfTenant(ctx context.Context, o client.Object) []reconcile.Request {
	return r.claims(ctx, client.MatchingFields{TeamIndex: o.GetName()})
}

func (r *Reconciler) everyClaim(ctx context.Context, _ client.Object) []reconcile.Request {
	return r.claims(ctx)
}

// claimsWithoutRoom wakes the claims that wait for room in a quota that changed.
func (r *Reconciler) claimsWithoutRoom(ctx context.Context, o client.Object) []reconcile.Request {
	team := o.GetLabels()[v1alpha1.LabelTeam]
	if team == "" {
		return nil
	}
	var list v1alpha1.ServiceClaimList
	if err := r.Client.List(ctx, &list, client.MatchingFields{TeamIndex: team}); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list ServiceClaims to wake them")
		return nil
	}
	var out []reconcile.Request
	for i := range list.Items {
		workload := meta.FindStatusCondition(list.Items[i].Status.Conditions, readiness.WorkloadReady)
		if workload != nil && (workload.Reason == "QuotaExceeded" || workload.Reason == "NoRoomToRoll") {
			out = append(out, request(list.Items[i].Name)...)
		}
	}
	return out
}

func (r *Reconciler) claims(ctx context.Context, opts ...client.ListOption) []reconcile.Request {
	var list v1alpha1.ServiceClaimList
	if err := r.Client.List(ctx, &list, opts...); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list ServiceClaims to wake them")
		return nil
	}
	out := make([]reconcile.Request, 0, len(list.Items))
	for i := range list.Items {
		out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return out
}

func claimOfLabel(_ context.Context, o client.Object) []reconcile.Request {
	return request(o.GetLabels()[v1alpha1.LabelClaim])
}

// claimOfTracked reads whom Argo CD tracks an object for: <application>:<kind>:….
// The Application of a claim is <team>.<claim>, and a team's name has no dot.
func claimOfTracked(_ context.Context, o client.Object) []reconcile.Request {
	if claim := o.GetLabels()[v1alpha1.LabelClaim]; claim != "" {
		return request(claim) // the paved road's own label
	}
	app, _, _ := strings.Cut(o.GetAnnotations()[argocd.TrackingID], ":")
	_, claim, _ := strings.Cut(app, ".")
	return request(claim)
}

func request(name string) []reconcile.Request {
	if name == "" {
		return nil
	}
	req := reconcile.Request{}
	req.Name = name
	return []reconcile.Request{req}
}
