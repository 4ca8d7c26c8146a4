package serviceclaim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
func (r *Reconciler) drain(ctx context.Context, cached *v1alpha1.ServiceClaim) (ctrl.Result, error) {
	claim, err := r.going(ctx, cached)
	if err != nil || claim == nil {
		return ctrl.Result{}, err
	}
	state, err := kube.CRDState(ctx, r.Live, "serviceclaims."+v1alpha1.GroupName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if state == kube.Going { // let go, not drained: the service stays
		return ctrl.Result{}, r.release(ctx, claim)
	}
	left, app, err := r.remains(ctx, claim)
	step, waits := left.Next()
	if err == nil {
		err = r.act(ctx, claim, app, step)
	}
	if err == nil && step == readiness.ReleaseClaim {
		r.tellLeft(ctx, claim, left)
		return ctrl.Result{}, nil
	}
	return r.sayDraining(ctx, claim, app, waits, err)
}

// tellLeft says in an Event what a claim that was forced or released leaves behind.
func (r *Reconciler) tellLeft(ctx context.Context, claim *v1alpha1.ServiceClaim, left readiness.ClaimDrain) {
	switch {
	case left.Force != "":
		ctrl.LoggerFrom(ctx).Info("forced: " + leftBehind(left.Left)) // an Event may not hold all of it
		r.Recorder.Eventf(claim, nil, "Warning", "Forced", "Delete", "forced (%s): %s", left.Force, leftBehind(left.Left))
	case left.Release != "":
		r.Recorder.Eventf(claim, nil, "Normal", "Released", "Delete", "released (%s): Application %s is kept and is no longer Demarc's",
			left.Release, render.ApplicationName(claim))
	}
}

func leftBehind(objects []readiness.Left) string {
	if len(objects) == 0 {
		return "nothing is known to be left behind"
	}
	return fmt.Sprintf("left behind, and nobody's (%d): %s", len(objects), strings.Join(readiness.Names(objects), ", "))
}

// going is the claim as it is now, where it is still the one that is being deleted
// and still held by us: a cache may show one that was made anew since.
func (r *Reconciler) going(ctx context.Context, cached *v1alpha1.ServiceClaim) (*v1alpha1.ServiceClaim, error) {
	live, err := found(ctx, r.Live, client.ObjectKeyFromObject(cached), &v1alpha1.ServiceClaim{})
	if err != nil || live == nil || live.UID != cached.UID || live.DeletionTimestamp == nil ||
		!slices.Contains(live.Finalizers, v1alpha1.FinalizerClaim) {
		return nil, err
	}
	return live, nil
}

// remains reads live what is left: the Application, and the objects it tracked.
func (r *Reconciler) remains(ctx context.Context, claim *v1alpha1.ServiceClaim) (readiness.ClaimDrain, *unstructured.Unstructured, error) {
	left := readiness.ClaimDrain{
		Force:   readiness.ReasonOn(claim, v1alpha1.AnnotationForce),
		Release: readiness.ReasonOn(claim, v1alpha1.AnnotationRelease),
		Tries:   r.again.count(claim),
	}
	state, err := kube.CRDState(ctx, r.Live, argocd.ApplicationCRD)
	if err != nil {
		return left, nil, err
	}
	var app *unstructured.Unstructured
	// A CRD that is going still has its objects.
	if left.ArgoCD = state != kube.Absent; left.ArgoCD {
		if app, err = r.ownApplication(ctx, claim); err != nil {
			return left, nil, err
		}
	}
	if app != nil {
		left.Application = readiness.RemainsOf(app)
		left.Name, left.Says = "Application "+app.GetName()+" in "+app.GetNamespace(), says(app)
	}
	left.Left, left.Known, err = r.inventory(ctx, claim)
	return left, app, err
}

// ownApplication finds the claim's Application wherever it was made.
func (r *Reconciler) ownApplication(ctx context.Context, claim *v1alpha1.ServiceClaim) (*unstructured.Unstructured, error) {
	ref := render.ClaimRef(claim)
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(argocd.GroupVersion.WithKind("ApplicationList"))
	if err := r.Live.List(ctx, list, client.MatchingLabels{
		v1alpha1.LabelOwner: ref.Label(), v1alpha1.LabelTeam: claim.Spec.Team,
	}); err != nil {
		return nil, fmt.Errorf("look for the claim's Application: %w", err)
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
	return ""
}

// act does one step.
func (r *Reconciler) act(ctx context.Context, claim *v1alpha1.ServiceClaim, app *unstructured.Unstructured, step readiness.ClaimStep) error {
	switch step {
	case readiness.DeleteApplication:
		return r.DeleteApplication(ctx, app, "its ServiceClaim is being deleted")
	case readiness.AwaitApplication:
		return r.EndSync(ctx, app)
	case readiness.FreeApplication:
		return r.ReleaseApplication(ctx, app)
	case readiness.KeepApplication:
		if err := r.EndSync(ctx, app); err != nil {
			return err
		}
		return client.IgnoreNotFound(r.Disown(ctx, app))
	case readiness.ForceApplication:
		return r.ForceApplication(ctx, app, "forced: "+claim.Annotations[v1alpha1.AnnotationForce])
	case readiness.TakeAgain:
		return r.takeAgain(ctx, claim)
	case readiness.ReleaseClaim:
		r.again.forget(claim)
		return r.release(ctx, claim)
	default:
		return nil
	}
}

// sayDraining says what the claim waits for, or what refused a step, in one write;
// and notes what its Application tracks while that can still be read: the claim may
// go before its status ever said.
func (r *Reconciler) sayDraining(ctx context.Context, claim *v1alpha1.ServiceClaim, app *unstructured.Unstructured, waits readiness.Trouble, refused error) (ctrl.Result, error) {
	if trouble := outcome.Trouble(refused, "ApplicationTaken", "ApplicationTerminating"); trouble != nil {
		waits = *trouble
	} else if refused != nil && !r.patience.Spent(claim.Name, refused, time.Now()) {
		return ctrl.Result{}, refused
	} else if refused != nil {
		waits = readiness.Trouble{Reason: "Retrying", Message: refused.Error()}
	}
	inventory := claim.Status.Inventory
	if app != nil {
		if decoded, err := argocd.Decode(app); err == nil {
			inventory = readiness.Tracked(claim.Spec.Team, inventory, decoded)
		}
	}
	err := r.writeStatus(ctx, &scope{claim: claim}, readiness.ClaimStatus{
		Conditions: readiness.Draining(readiness.Drained, waits),
		Running:    claim.Status.Running,
		Hosts:      claim.Status.Hosts, // held until nothing is left
		Inventory:  inventory,
	})
	if err != nil || refused != nil {
		return outcome.Result(err, refused)
	}
	return ctrl.Result{RequeueAfter: recheck}, nil
}
