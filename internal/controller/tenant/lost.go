package tenant

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/readiness"
)

// settled looks once more, when its finalizer is some seconds old, whether a Tenant is
// there, and sees to it that this comes to pass.
func (r *Reconciler) settled(ctx context.Context, name string, result ctrl.Result) (ctrl.Result, error) {
	t, wait, ok := r.fresh.Get(name, time.Now())
	switch {
	case !ok:
		return result, nil
	case wait > 0:
		if result.RequeueAfter == 0 || result.RequeueAfter > wait {
			result.RequeueAfter = wait
		}
		return result, nil
	}
	lost, err := r.takeDownIfLost(ctx, t)
	if err == nil && lost.RequeueAfter > 0 {
		result.RequeueAfter = lost.RequeueAfter
	}
	return result, err
}

// takeDownIfLost takes down, in the order of any deletion, what was made for a Tenant
// that was deleted in the moment in which its finalizer was put on. One of the same
// name finds it again instead.
func (r *Reconciler) takeDownIfLost(ctx context.Context, t *v1alpha1.Tenant) (ctrl.Result, error) {
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(t), &v1alpha1.Tenant{})
	if err == nil {
		r.fresh.Drop(t.Name)
		return ctrl.Result{}, nil
	}
	if !apierrors.IsNotFound(err) {
		return ctrl.Result{}, err
	}
	left, err := r.gather(ctx, t)
	if err != nil {
		return ctrl.Result{}, err
	}
	step, _ := left.state.Next()
	if step == readiness.ReleaseTenant {
		r.fresh.Drop(t.Name)
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: recheck}, r.act(ctx, t, step, left)
}
