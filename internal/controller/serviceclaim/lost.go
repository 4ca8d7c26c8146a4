package serviceclaim

import (
	"context"
	"errors"
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
)

// settled looks once more, when its finalizer is some seconds old, whether a claim is
// there, and sees to it that this comes to pass.
func (r *Reconciler) settled(ctx context.Context, name string, result ctrl.Result) (ctrl.Result, error) {
	claim, wait, ok := r.fresh.Get(name, time.Now())
	switch {
	case !ok:
		return result, nil
	case wait > 0:
		if result.RequeueAfter == 0 || result.RequeueAfter > wait {
			result.RequeueAfter = wait
		}
		return result, nil
	default:
		return result, r.takeDownIfLost(ctx, claim)
	}
}

// takeDownIfLost takes down what was made for a claim that was deleted in the moment
// in which its finalizer was put on. One of the same name finds it again instead. The
// claim is remembered until that is done: nobody else would ever look.
func (r *Reconciler) takeDownIfLost(ctx context.Context, claim *v1alpha1.ServiceClaim) error {
	live, err := found(ctx, r.Live, client.ObjectKeyFromObject(claim), &v1alpha1.ServiceClaim{})
	if err != nil {
		return err
	}
	if live == nil {
		if gone, err := r.lostIsGone(ctx, claim); err != nil || !gone {
			return err
		}
	}
	r.fresh.Drop(claim.Name)
	return nil
}

// errAway brings a lost claim back by time: while Argo CD's kinds come or go no watch of
// ours does.
var errAway = errors.New("Argo CD's kinds are on their way")

// lostIsGone takes the Application of a lost claim down and reports whether it is seen
// to be gone. Where its CRD is absent so is the Application; one that comes or goes, or
// cannot be read, tells nothing.
func (r *Reconciler) lostIsGone(ctx context.Context, claim *v1alpha1.ServiceClaim) (bool, error) {
	state, err := kube.CRDState(ctx, r.Live, argocd.ApplicationCRD)
	if err != nil || state == kube.Absent {
		return err == nil, err
	}
	app, err := r.ownApplication(ctx, claim)
	if err != nil {
		return false, err
	}
	if app == nil || app.GetAnnotations()[v1alpha1.AnnotationOwnerUID] != string(claim.UID) {
		if state != kube.Served { // an empty list is no proof yet
			return false, fmt.Errorf("see whether the Application of claim %s, which was deleted, is gone: %w", claim.Name, errAway)
		}
		return true, nil
	}
	if app.GetDeletionTimestamp() == nil {
		err = r.DeleteApplication(ctx, app, "its ServiceClaim was deleted while this was made")
	}
	if err == nil && state != kube.Served {
		err = fmt.Errorf("wait for Application %s of a claim that was deleted: %w", app.GetName(), errAway)
	}
	return false, err // its own event wakes us
}
