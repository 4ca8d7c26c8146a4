package tenant

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	v1alpha1ac "demarc.dev/demarc/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
)

// writeStatus writes what was decided, if it differs from what stands there.
func (r *Reconciler) writeStatus(ctx context.Context, t *v1alpha1.Tenant, computed []metav1.Condition, raises []v1alpha1.TenantRaise) error {
	conditions, changed := readiness.Merge(t.Status.Conditions, computed, t.Generation, metav1.NewTime(r.Clock.Now()))
	namespace := t.Status.Namespace
	for _, c := range conditions {
		if c.Type == readiness.NamespaceReady && c.Status == metav1.ConditionTrue {
			namespace = v1alpha1.NamespaceOf(t.Name)
		}
	}
	findings := r.findings(t)
	if !changed && t.Status.ObservedGeneration == t.Generation && t.Status.Namespace == namespace && equality.Semantic.DeepEqual(t.Status.Raises, raises) &&
		equality.Semantic.DeepEqual(t.Status.Findings, findings) {
		return nil
	}
	status := v1alpha1ac.TenantStatus().WithObservedGeneration(t.Generation)
	if namespace != "" {
		status.WithNamespace(namespace)
	}
	for _, raise := range raises {
		status.WithRaises(raiseOf(raise))
	}
	if findings != nil {
		status.WithFindings(v1alpha1ac.TenantFindings().WithOpen(findings.Open).WithErrors(findings.Errors))
	}
	for _, c := range conditions {
		status.WithConditions(outcome.Condition(c))
	}
	apply := v1alpha1ac.Tenant(t.Name).WithUID(t.UID).WithResourceVersion(t.ResourceVersion).WithStatus(status)
	if err := r.Client.Status().Apply(ctx, apply, client.FieldOwner(Manager), client.ForceOwnership); err != nil {
		return outcome.Unwritten(err)
	}
	r.Writes.Note(kube.Key("Tenant", "", t.Name), ptr.Deref(apply.ResourceVersion, ""))
	outcome.Announce(r.Recorder, t, t.Status.Conditions, conditions)
	return nil
}

// findings counts what triage finds of the team; what stands there stays until triage has
// looked since the operator began.
func (r *Reconciler) findings(t *v1alpha1.Tenant) *v1alpha1.TenantFindings {
	count, looked := r.Triage.Tenant(t.Name)
	switch {
	case !looked:
		return t.Status.Findings
	case count.Open == 0:
		return nil
	}
	return &count
}
