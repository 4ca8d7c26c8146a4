package lab

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Reconciler makes and keeps the four objects of each claim.
type Reconciler struct {
	Client client.Client
	Chart  Chart
}

// Reconcile goes through the steps, and writes down how far it came. A failed step is tried again with growing pauses.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	claim := &ServiceClaim{}
	if err := r.Client.Get(ctx, req.NamespacedName, claim); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !claim.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // what the claim owns is left to the garbage collector
	}
	before := claim.Status.DeepCopy()
	err := r.keep(ctx, claim)
	if equality.Semantic.DeepEqual(before, &claim.Status) {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, errors.Join(err, r.Client.Status().Update(ctx, claim))
}

// keep stops at the first step that fails.
func (r *Reconciler) keep(ctx context.Context, claim *ServiceClaim) error {
	for _, s := range r.steps(claim) {
		if err := r.apply(ctx, claim, s); err != nil {
			set(claim, s.name+"Ready", metav1.ConditionFalse, s.name+"Error", err.Error())
			set(claim, "Ready", metav1.ConditionFalse, "ResourcesNotReady", "one of the claim's resources is not ready")
			return err
		}
		set(claim, s.name+"Ready", metav1.ConditionTrue, s.name+"Applied", s.object.GetName()+" is as the claim asks")
	}
	set(claim, "Ready", metav1.ConditionTrue, "ResourcesReady", "all of the claim's resources are ready")
	return nil
}

// apply is where the design fails. The claim becomes the controller of each object, but of the four only the Application is
// the claim's alone: a second claim of the team asks for a namespace that has a controller, and is refused.
func (r *Reconciler) apply(ctx context.Context, claim *ServiceClaim, s step) error {
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, s.object, func() error {
		s.fill()
		return controllerutil.SetControllerReference(claim, s.object, r.Client.Scheme())
	})
	return err
}

func set(claim *ServiceClaim, kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&claim.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: claim.Generation,
	})
}
