package serviceclaim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// keep delivers a claim as far as it can be, and says how far that was.
func (r *Reconciler) keep(ctx context.Context, claim *v1alpha1.ServiceClaim) (ctrl.Result, error) {
	s, err := r.gather(ctx, claim)
	if err != nil {
		return ctrl.Result{}, err
	}
	deliverErr := r.deliver(ctx, s)
	in, err := r.facts(ctx, s, r.sortTrouble(s, deliverErr))
	if err != nil {
		return ctrl.Result{}, errors.Join(deliverErr, err)
	}
	decided := in.Decide()
	if wait := r.pace.hold(claim.Name, claim.Status.Conditions, decided.Conditions, time.Now()); wait > 0 && deliverErr == nil {
		return ctrl.Result{RequeueAfter: wait}, nil // looked at anew then; a watch may wake us before
	}
	if err := r.writeStatus(ctx, s, decided); err != nil {
		return ctrl.Result{}, errors.Join(deliverErr, err)
	}
	result, err := outcome.Result(deliverErr)
	if err == nil && result.RequeueAfter == 0 && claim.Spec.Source != nil && !meta.IsStatusConditionTrue(decided.Conditions, readiness.Ready) {
		result.RequeueAfter = sourceRecheck
	}
	return result, err
}

// sourceRecheck is for pods of a source, which carry no label that we watch.
const sourceRecheck = 5 * time.Second

// sortTrouble tells what goes into a condition. An error that trying again may mend
// is said only when it lasts; meanwhile the facts are looked at all the same.
func (r *Reconciler) sortTrouble(s *scope, err error) *readiness.Trouble {
	spent := r.patience.Spent(s.claim.Name, err, time.Now())
	var refused *render.Refusal
	switch {
	case errors.As(s.renderErr, &refused):
		return &readiness.Trouble{Reason: refused.Reason, Message: refused.Message}
	case errors.Is(s.renderErr, render.ErrNoChart):
		return &readiness.Trouble{Reason: "ChartNotConfigured", Message: s.renderErr.Error() + ", so a claim with an image cannot be rendered"}
	case s.renderErr != nil:
		return &readiness.Trouble{Reason: "Invalid", Message: s.renderErr.Error()}
	case err == nil:
		return nil
	}
	if trouble := outcome.Trouble(err, "ApplicationTaken", "ApplicationTerminating"); trouble != nil {
		return trouble
	}
	if spent {
		return &readiness.Trouble{Reason: "Retrying", Message: err.Error()}
	}
	return nil
}

// deliver writes the Application, where the Tenant allows it. The order closes
// the race with a Tenant that goes: our finalizer first, then the Tenant read
// live, then the Application; a Tenant that lists its claims cannot miss one that
// delivers.
func (r *Reconciler) deliver(ctx context.Context, s *scope) error {
	if s.application == nil && !usable(s.tenant) {
		return r.letGo(ctx, s)
	}
	if s.desired == nil || !r.ArgoCD.Present() {
		return nil
	}
	// Also where the Tenant is gone: what is ours must be taken down with its claim.
	if err := r.hold(ctx, s.claim); err != nil {
		return err
	}
	if s.application == nil {
		tenant, err := found(ctx, r.Live, client.ObjectKeyFromObject(s.tenant), &v1alpha1.Tenant{})
		if err != nil {
			return err
		}
		if s.tenant = tenant; !usable(tenant) {
			return nil // the Tenant's own event wakes us
		}
	}
	if s.tenant == nil || s.tenant.DeletionTimestamp != nil {
		return nil // what runs is left as it is; a change waits
	}
	if err := r.noteHosts(ctx, s); err != nil {
		return err
	}
	return r.write(ctx, s)
}

// write makes the Application what it is to be.
func (r *Reconciler) write(ctx context.Context, s *scope) error {
	live, change, err := r.Ensure(ctx, s.desired, render.ClaimRef(s.claim))
	if err != nil {
		return err
	}
	s.written = true
	if err := r.EndOutdated(ctx, live); err != nil {
		return err
	}
	if change == kube.Reclaimed {
		r.Recorder.Eventf(s.claim, nil, "Normal", "FoundAgain", "Reconcile", "%s", fmt.Sprintf("%s carried another UID of this claim and is kept on", kube.Name(live)))
	}
	if change == kube.Created {
		s.application = nil // Argo CD has not looked at it yet
	}
	return nil
}

// usable says that a new service may be delivered for this Tenant.
func usable(t *v1alpha1.Tenant) bool {
	return t != nil && t.DeletionTimestamp == nil && readiness.TenantIsReady(t)
}

// hold puts our finalizer on.
func (r *Reconciler) hold(ctx context.Context, claim *v1alpha1.ServiceClaim) error {
	if slices.Contains(claim.Finalizers, v1alpha1.FinalizerClaim) {
		return nil
	}
	u := kube.Untyped(claim, v1alpha1.SchemeGroupVersion.WithKind("ServiceClaim"))
	err := r.SetFinalizers(ctx, u, append(slices.Clone(claim.Finalizers), v1alpha1.FinalizerClaim))
	if err == nil { // the status is written to the version that is there now
		r.fresh.Note(claim.Name, claim.DeepCopy(), time.Now())
		claim.Finalizers, claim.ResourceVersion = u.GetFinalizers(), u.GetResourceVersion()
	}
	return err
}

// letGo takes our finalizer off a claim that delivered nothing, so that it does
// not hold a Tenant that is going. What there is to know is read live.
func (r *Reconciler) letGo(ctx context.Context, s *scope) error {
	going := s.tenant == nil || s.tenant.DeletionTimestamp != nil
	if !going || !slices.Contains(s.claim.Finalizers, v1alpha1.FinalizerClaim) || len(s.claim.Status.Inventory) > 0 {
		return nil
	}
	state, err := kube.CRDState(ctx, r.Live, argocd.ApplicationCRD)
	if err != nil {
		return err
	}
	if state != kube.Absent { // one that is going still has its objects
		if app, err := r.ownApplication(ctx, s.claim); err != nil || app != nil {
			return err
		}
	}
	return r.release(ctx, s.claim)
}

// release takes our finalizer off, at the version that is there now.
func (r *Reconciler) release(ctx context.Context, claim *v1alpha1.ServiceClaim) error {
	live := &v1alpha1.ServiceClaim{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(claim), live); err != nil {
		return client.IgnoreNotFound(err)
	}
	if live.UID != claim.UID || !slices.Contains(live.Finalizers, v1alpha1.FinalizerClaim) {
		return nil
	}
	rest := slices.DeleteFunc(slices.Clone(live.Finalizers), func(f string) bool { return f == v1alpha1.FinalizerClaim })
	err := r.SetFinalizers(ctx, kube.Untyped(live, v1alpha1.SchemeGroupVersion.WithKind("ServiceClaim")), rest)
	if apierrors.IsConflict(err) {
		return err
	}
	return client.IgnoreNotFound(err)
}
