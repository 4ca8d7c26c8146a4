package accessgrant

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// take takes away what an AccessGrant gave. At the moment of its end the API server is
// asked for each binding by its name, since a cache may lag; after that the cache is, by
// their names too: there may be very many that have ended.
func (r *Reconciler) take(ctx context.Context, g *v1alpha1.AccessGrant) error {
	for _, o := range render.Grant(g, g.CreationTimestamp.Time) {
		live, err := r.given(ctx, g, o)
		if err != nil {
			return fmt.Errorf("read %s: %w", kube.Name(o), err)
		}
		if live == nil || owner.Compare(live, render.GrantRef(g)) == owner.Foreign {
			continue
		}
		if err := r.Delete(ctx, live); err != nil {
			return fmt.Errorf("delete %s: %w", kube.Name(o), err)
		}
	}
	if g.Status.EndedAt != nil {
		return nil
	}
	return r.takeLabelled(ctx, render.GrantRef(g))
}

// given reads a binding; nil is that there is none.
func (r *Reconciler) given(ctx context.Context, g *v1alpha1.AccessGrant, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if g.Status.ApprovedAt != nil && g.Status.EndedAt == nil {
		return r.GetLive(ctx, o)
	}
	live := kube.Named(o.GroupVersionKind(), o.GetNamespace(), o.GetName())
	err := r.Cached.Get(ctx, client.ObjectKeyFromObject(o), live)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return live, err
}

// takeLabelled deletes whatever carries the label of an AccessGrant.
func (r *Reconciler) takeLabelled(ctx context.Context, ref owner.Ref) error {
	for _, gvk := range Kept {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		if err := r.Cached.List(ctx, list, client.MatchingLabels{v1alpha1.LabelOwner: ref.Label()}); err != nil {
			return fmt.Errorf("list what AccessGrant %s gave: %w", ref.Name, err)
		}
		for i := range list.Items {
			if err := r.Delete(ctx, &list.Items[i]); err != nil {
				return fmt.Errorf("delete %s: %w", kube.Name(&list.Items[i]), err)
			}
		}
	}
	return nil
}

// takeFromNone takes away what was given by an AccessGrant that is not there: its
// finalizer was taken off past the operator, or a restore brought back the binding alone.
func (r *Reconciler) takeFromNone(ctx context.Context, name string) error {
	err := r.Live.Get(ctx, types.NamespacedName{Name: name}, &v1alpha1.AccessGrant{})
	if !apierrors.IsNotFound(err) {
		return err // it is there after all, and its own event is on its way
	}
	return r.takeLabelled(ctx, owner.Ref{Kind: "AccessGrant", Name: name})
}

// release takes away what was given, then lets an AccessGrant go that is being deleted.
func (r *Reconciler) release(ctx context.Context, g *v1alpha1.AccessGrant) error {
	if !slices.Contains(g.Finalizers, v1alpha1.FinalizerGrant) {
		return nil
	}
	if err := r.take(ctx, g); err != nil {
		return err
	}
	rest := slices.DeleteFunc(slices.Clone(g.Finalizers), func(f string) bool { return f == v1alpha1.FinalizerGrant })
	if err := client.IgnoreNotFound(r.SetFinalizers(ctx, kube.Untyped(g, grantKind), rest)); err != nil {
		return err
	}
	if readiness.Active(g.Status.Life, r.Clock.Now()) {
		r.Recorder.Eventf(g, nil, "Normal", "Ended", "Reconcile", "%s in team %s for %s ended: the AccessGrant was deleted", g.Spec.Role, g.Spec.Team, readiness.SubjectWords(g.Spec))
	}
	return nil
}
