package serviceclaim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// recheck is for objects of the inventory, which no watch of ours sees go.
const recheck = 2 * time.Second

// drain takes a claim down: workload, then Application, then the claim, each seen
// to be gone by reading it live. It never reads the Tenant (invariant O4).
func (r *Reconciler) drain(ctx context.Context, claim *v1alpha1.ServiceClaim) (ctrl.Result, error) {
	if !slices.Contains(claim.Finalizers, v1alpha1.FinalizerClaim) {
		return ctrl.Result{}, nil
	}
	state, err := kube.CRDState(ctx, r.Live, "serviceclaims."+v1alpha1.GroupName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if state == kube.Going { // let go, not drained: the service stays
		return ctrl.Result{}, r.release(ctx, claim)
	}
	left, app, err := r.remains(ctx, claim)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("read what is left of claim %s: %w", claim.Name, err)
	}
	step, waits := left.Next()
	if step == readiness.ReleaseClaim {
		return ctrl.Result{}, r.release(ctx, claim)
	}
	if err := r.sayDraining(ctx, claim, app, waits); err != nil {
		return ctrl.Result{}, err
	}
	if step != readiness.DeleteApplication {
		return ctrl.Result{RequeueAfter: recheck}, nil
	}
	if err := r.deleteApplication(ctx, app); err != nil {
		if trouble := outcome.Trouble(err, "ApplicationTaken", "ApplicationTerminating"); trouble != nil {
			if err := r.sayDraining(ctx, claim, app, *trouble); err != nil {
				return ctrl.Result{}, err
			}
		}
		return outcome.Result(err)
	}
	return ctrl.Result{RequeueAfter: recheck}, nil
}

// remains reads live what is left: the Application first, and only when it is
// gone the objects that it tracked.
func (r *Reconciler) remains(ctx context.Context, claim *v1alpha1.ServiceClaim) (readiness.ClaimDrain, *unstructured.Unstructured, error) {
	left := readiness.ClaimDrain{ArgoCD: r.ArgoCD.Present()}
	if left.ArgoCD {
		app, err := r.ownApplication(ctx, claim)
		if err != nil {
			return left, nil, err
		}
		if app != nil {
			left.Application = &readiness.Remains{Going: app.GetDeletionTimestamp() != nil, Finalizers: app.GetFinalizers()}
			left.Says = says(app)
			return left, app, nil
		}
	}
	for _, o := range claim.Status.Inventory {
		there, err := r.lives(ctx, o)
		if err != nil {
			return left, nil, err
		}
		if there {
			left.Left = append(left.Left, strings.ToLower(o.Kind)+"/"+o.Name)
		}
	}
	return left, nil, nil
}

// ownApplication finds the claim's Application wherever it was made: the Platform
// may have named another namespace since.
func (r *Reconciler) ownApplication(ctx context.Context, claim *v1alpha1.ServiceClaim) (*unstructured.Unstructured, error) {
	ref := render.ClaimRef(claim)
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(argocd.GroupVersion.WithKind("ApplicationList"))
	if err := r.Live.List(ctx, list, client.MatchingLabels{
		v1alpha1.LabelOwner: ref.Label(), v1alpha1.LabelTeam: claim.Spec.Team,
	}); err != nil {
		return nil, err
	}
	for i := range list.Items {
		if owner.Compare(&list.Items[i], ref) != owner.Foreign {
			return &list.Items[i], nil
		}
	}
	return nil, nil
}

// says takes over what Argo CD says of the deletion.
func says(u *unstructured.Unstructured) string {
	app, err := argocd.Decode(u)
	if err != nil {
		return ""
	}
	for _, c := range app.Status.Conditions {
		if c.Type == "DeletionError" {
			return "; it says DeletionError: " + c.Message
		}
	}
	if op := app.Status.OperationState; op != nil && op.Phase == "Running" {
		return "; a sync that is still running comes first: " + op.Message
	}
	return ""
}

// lives reports whether an object of the inventory is there. A kind that is no
// longer served has no objects.
func (r *Reconciler) lives(ctx context.Context, o v1alpha1.ClaimObject) (bool, error) {
	if o.Group == "" && o.Kind == "Secret" {
		return false, nil // the operator may not read Secrets, and they run nothing
	}
	like := &metav1.PartialObjectMetadata{}
	like.SetGroupVersionKind(schema.GroupVersionKind{Group: o.Group, Version: o.Version, Kind: o.Kind})
	err := r.Live.Get(ctx, types.NamespacedName{Namespace: o.Namespace, Name: o.Name}, like)
	switch {
	case err == nil:
		return true, nil
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return false, nil
	default:
		return false, err
	}
}

// deleteApplication makes sure that Argo CD will remove what it delivered, marks
// that the deletion is its owner's, and deletes. A finalizer cannot be added once
// the deletion has begun.
func (r *Reconciler) deleteApplication(ctx context.Context, app *unstructured.Unstructured) error {
	if !slices.ContainsFunc(app.GetFinalizers(), func(f string) bool { return slices.Contains(argocd.Finalizers, f) }) {
		if err := r.SetFinalizers(ctx, app, append(app.GetFinalizers(), argocd.FinalizerForeground)); err != nil {
			return client.IgnoreNotFound(err)
		}
	}
	if err := r.MarkDrained(ctx, app, "its ServiceClaim is being deleted"); err != nil {
		return client.IgnoreNotFound(err)
	}
	return r.Delete(ctx, app)
}

// sayDraining says what the claim waits for, and notes what its Application tracks
// while that can still be read: the claim may go before its status ever said.
func (r *Reconciler) sayDraining(ctx context.Context, claim *v1alpha1.ServiceClaim, app *unstructured.Unstructured, waits readiness.Trouble) error {
	inventory := claim.Status.Inventory
	if app != nil {
		if decoded, err := argocd.Decode(app); err == nil {
			inventory = readiness.Tracked(inventory, decoded)
		}
	}
	return r.writeStatus(ctx, &scope{claim: claim}, readiness.ClaimStatus{
		Conditions: readiness.Draining(readiness.Drained, waits),
		Running:    claim.Status.Running,
		Inventory:  inventory,
	})
}
