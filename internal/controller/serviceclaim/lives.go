package serviceclaim

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// inventory reads live what is left of what the claim delivered; all says that all of
// it was looked at.
func (r *Reconciler) inventory(ctx context.Context, claim *v1alpha1.ServiceClaim) (left []readiness.Left, all bool, err error) {
	all = len(claim.Status.Inventory) > 0
	for _, o := range claim.Status.Inventory {
		if !readiness.Watched(o.Group, o.Kind) {
			all = false // Argo CD alone can tell that all is gone
			continue
		}
		live, err := r.lives(ctx, claim, o)
		if err != nil {
			return nil, false, fmt.Errorf("see whether %s/%s is gone: %w", strings.ToLower(o.Kind), o.Name, err)
		}
		if live != nil {
			left = append(left, readiness.LeftOf(o.Kind, live))
		}
	}
	return left, all, nil
}

// lives is an object of the inventory that is there and still this claim's; nil where
// it is not. A kind that is no longer served has no objects.
func (r *Reconciler) lives(ctx context.Context, claim *v1alpha1.ServiceClaim, o v1alpha1.ClaimObject) (metav1.Object, error) {
	like := &metav1.PartialObjectMetadata{}
	like.SetGroupVersionKind(schema.GroupVersionKind{Group: o.Group, Version: o.Version, Kind: o.Kind})
	err := r.Live.Get(ctx, types.NamespacedName{Namespace: o.Namespace, Name: o.Name}, like)
	switch {
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return nil, nil
	case err != nil:
		return nil, err
	case !argocd.Tracks(like, "", render.ApplicationName(claim)):
		return nil, nil
	default:
		return like, nil
	}
}
