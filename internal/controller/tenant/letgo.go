package tenant

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// letGo lets the access in a namespace go whose Tenant is gone, by force say: the
// namespace is being deleted, nothing else is left in it, and nobody but the operator
// takes that finalizer off.
func (r *Reconciler) letGo(ctx context.Context, team string) error {
	t := &v1alpha1.Tenant{}
	t.Name = team
	like := kube.Named(namespaceKind, "", v1alpha1.NamespaceOf(team))
	cached := kube.Named(namespaceKind, "", like.GetName())
	if err := r.Cached.Get(ctx, client.ObjectKeyFromObject(cached), cached); err != nil || cached.GetDeletionTimestamp() == nil {
		return client.IgnoreNotFound(err)
	}
	if err := r.Live.Get(ctx, types.NamespacedName{Name: team}, t.DeepCopy()); !apierrors.IsNotFound(err) {
		return err // it is there after all, and its own event is on its way
	}
	live, left, err := r.ours(ctx, like, render.TenantRef(t))
	if err != nil || live == nil || !left.Going || !readiness.OnlyAccessLeft(left.Conditions) {
		return err
	}
	bindings, err := listOurs(ctx, r.Live, t, roleBindingKind)
	if err != nil {
		return err
	}
	return r.removeAll(ctx, bindings)
}
