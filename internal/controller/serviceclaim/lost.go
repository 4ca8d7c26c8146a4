package serviceclaim

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
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
// in which its finalizer was put on. One of the same name finds it again instead.
func (r *Reconciler) takeDownIfLost(ctx context.Context, claim *v1alpha1.ServiceClaim) error {
	live, err := found(ctx, r.Live, client.ObjectKeyFromObject(claim), &v1alpha1.ServiceClaim{})
	if err != nil {
		return err
	}
	if live == nil && r.ArgoCD.Present() {
		app, err := r.ownApplication(ctx, claim)
		if err != nil {
			return err
		}
		if app != nil && app.GetAnnotations()[v1alpha1.AnnotationOwnerUID] == string(claim.UID) {
			if err := r.DeleteApplication(ctx, app, "its ServiceClaim was deleted while this was made"); err != nil {
				return err
			}
		}
	}
	r.fresh.Drop(claim.Name)
	return nil
}
