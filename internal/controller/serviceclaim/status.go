package serviceclaim

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	v1alpha1ac "demarc.dev/demarc/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// writeStatus writes what was decided, if it differs from what stands there.
func (r *Reconciler) writeStatus(ctx context.Context, s *scope, decided readiness.ClaimStatus) error {
	old := s.claim.Status
	conditions, changed := readiness.Merge(old.Conditions, decided.Conditions, s.claim.Generation, metav1.NewTime(r.Clock.Now()))
	application := old.Application
	if s.application != nil || s.written {
		application = render.ApplicationName(s.claim)
	}
	if !changed && old.ObservedGeneration == s.claim.Generation && old.Application == application &&
		equality.Semantic.DeepEqual(old.Inventory, decided.Inventory) && equality.Semantic.DeepEqual(old.Running, decided.Running) {
		return nil
	}
	status := v1alpha1ac.ServiceClaimStatus().WithObservedGeneration(s.claim.Generation)
	if application != "" {
		status.WithApplication(application)
	}
	if run := decided.Running; run != nil {
		status.WithRunning(running(run))
	}
	for _, o := range decided.Inventory {
		status.WithInventory(inventory(o))
	}
	for _, c := range conditions {
		status.WithConditions(outcome.Condition(c))
	}
	apply := v1alpha1ac.ServiceClaim(s.claim.Name).WithUID(s.claim.UID).WithResourceVersion(s.claim.ResourceVersion).WithStatus(status)
	if err := r.Client.Status().Apply(ctx, apply, client.FieldOwner(Manager), client.ForceOwnership); err != nil {
		return outcome.Unwritten(err)
	}
	r.pace.told(s.claim.Name)
	r.Writes.Note(kube.Key("ServiceClaim", "", s.claim.Name), ptr.Deref(apply.ResourceVersion, ""))
	if old.Running == nil && meta.IsStatusConditionTrue(conditions, readiness.Ready) {
		outcome.ObserveReady(r.Clock.Now().Sub(s.claim.CreationTimestamp.Time))
	}
	outcome.Announce(r.Recorder, s.claim, old.Conditions, conditions)
	return nil
}

func running(run *v1alpha1.ClaimRunning) *v1alpha1ac.ClaimRunningApplyConfiguration {
	out := v1alpha1ac.ClaimRunning().WithReplicas(run.Replicas)
	if run.Image != "" {
		out.WithImage(run.Image)
	}
	if run.Revision != "" {
		out.WithRevision(run.Revision)
	}
	return out
}

func inventory(o v1alpha1.ClaimObject) *v1alpha1ac.ClaimObjectApplyConfiguration {
	out := v1alpha1ac.ClaimObject().WithVersion(o.Version).WithKind(o.Kind).WithName(o.Name)
	if o.Group != "" {
		out.WithGroup(o.Group)
	}
	if o.Namespace != "" {
		out.WithNamespace(o.Namespace)
	}
	return out
}
