package serviceclaim

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finalizer"
	"demarc.dev/demarc/internal/render"
)

// readable says that the operator may look at an object: Secrets and ConfigMaps it may
// not, and they run nothing.
func readable(o v1alpha1.ClaimObject) bool {
	return o.Group != "" || o.Kind != "Secret" && o.Kind != "ConfigMap"
}

// lives reports whether an object of the inventory is there and still this claim's,
// and what of its own keeps it there. A kind that is no longer served has no objects.
func (r *Reconciler) lives(ctx context.Context, claim *v1alpha1.ServiceClaim, o v1alpha1.ClaimObject) (there bool, kept string, err error) {
	like := &metav1.PartialObjectMetadata{}
	like.SetGroupVersionKind(schema.GroupVersionKind{Group: o.Group, Version: o.Version, Kind: o.Kind})
	err = r.Live.Get(ctx, types.NamespacedName{Namespace: o.Namespace, Name: o.Name}, like)
	switch {
	case err == nil:
		return trackedFor(like, render.ApplicationName(claim)), keeps(like), nil
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return false, "", nil
	default:
		return false, "", err
	}
}

// keeps says by what an object stays although its Application goes.
func keeps(o metav1.Object) string {
	if by := argocd.Keeps(o.GetAnnotations()); by != "" {
		return " (" + by + ")"
	}
	if o.GetDeletionTimestamp() != nil {
		return " (being deleted" + finalizer.Held(o.GetFinalizers()) + ")"
	}
	return ""
}

// trackedFor reports whether Argo CD tracks an object for this Application, in either
// of its ways. Another's object of the same name is not ours to wait for.
func trackedFor(o metav1.Object, application string) bool {
	if id := o.GetAnnotations()["argocd.argoproj.io/tracking-id"]; id != "" {
		return strings.HasPrefix(id, application+":")
	}
	return o.GetLabels()["app.kubernetes.io/instance"] == application
}
