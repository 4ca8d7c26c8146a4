package serviceclaim

import (
	"context"
	"slices"

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
		equality.Semantic.DeepEqual(old.Inventory, decided.Inventory) && equality.Semantic.DeepEqual(old.Running, decided.Running) &&
		slices.Equal(old.Hosts, decided.Hosts) && slices.Equal(old.Findings, decided.Findings) {
		return nil
	}
	_, err := r.applyStatus(ctx, s.claim, v1alpha1.ServiceClaimStatus{
		ObservedGeneration: s.claim.Generation, Application: application, Running: decided.Running,
		Hosts: decided.Hosts, Inventory: decided.Inventory, Findings: decided.Findings, Conditions: conditions,
	})
	if err != nil {
		return err
	}
	r.pace.told(s.claim.Name)
	if old.Running == nil && meta.IsStatusConditionTrue(conditions, readiness.Ready) {
		outcome.ObserveReady(r.Clock.Now().Sub(s.claim.CreationTimestamp.Time))
	}
	outcome.Announce(r.Recorder, s.claim, old.Conditions, conditions)
	if s.claim.DeletionTimestamp == nil { // that it goes mends nothing
		r.announceFindings(s.claim, old.Findings, decided)
	}
	return nil
}

// announceFindings says which findings opened, and which closed: one Event for each id, which
// is its action too, since Events that differ in their words alone are counted as one.
func (r *Reconciler) announceFindings(claim *v1alpha1.ServiceClaim, before []v1alpha1.ClaimFinding, decided readiness.ClaimStatus) {
	diagnosed := meta.FindStatusCondition(decided.Conditions, readiness.Diagnosed)
	for _, f := range readiness.Opened(before, decided.Findings) {
		words := "demarc status " + claim.Name + " tells more"
		if diagnosed != nil && f.ID == diagnosed.Reason {
			words = diagnosed.Message
		}
		r.Recorder.Eventf(claim, nil, "Warning", "FindingOpened", f.ID, "%s of %s, for the %s: %s", f.ID, f.Object, f.Owner, words)
	}
	for _, f := range readiness.Closed(before, decided.Findings) {
		r.Recorder.Eventf(claim, nil, "Normal", "FindingClosed", f.ID, "%s of %s is gone", f.ID, f.Object)
	}
}

// applyStatus writes a status to the version of the claim that was read, and returns the
// version that it then has.
func (r *Reconciler) applyStatus(ctx context.Context, claim *v1alpha1.ServiceClaim, s v1alpha1.ServiceClaimStatus) (version string, err error) {
	status := v1alpha1ac.ServiceClaimStatus().WithObservedGeneration(s.ObservedGeneration).WithHosts(s.Hosts...)
	if s.Application != "" {
		status.WithApplication(s.Application)
	}
	if s.Running != nil {
		status.WithRunning(running(s.Running))
	}
	for _, o := range s.Inventory {
		status.WithInventory(inventory(o))
	}
	for _, f := range s.Findings {
		status.WithFindings(v1alpha1ac.ClaimFinding().WithID(f.ID).WithSeverity(f.Severity).WithOwner(f.Owner).WithObject(f.Object))
	}
	for _, c := range s.Conditions {
		status.WithConditions(outcome.Condition(c))
	}
	apply := v1alpha1ac.ServiceClaim(claim.Name).WithUID(claim.UID).WithResourceVersion(claim.ResourceVersion).WithStatus(status)
	if err := r.Client.Status().Apply(ctx, apply, client.FieldOwner(Manager), client.ForceOwnership); err != nil {
		return "", outcome.Unwritten(err)
	}
	version = ptr.Deref(apply.ResourceVersion, "")
	r.Writes.Note(kube.Key("ServiceClaim", "", claim.Name), version)
	return version, nil
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
