package readiness

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
)

// Condition types of the Platform.
const (
	RolesReady  = "RolesReady"
	ArgoCDReady = "ArgoCDReady"
	ChartReady  = "ChartReady"
	// GuardrailsReady is that the policies read what the Platform says.
	GuardrailsReady = "GuardrailsReady"
)

// Platform is how the platform's own parts stand.
type Platform struct {
	// Roles is nil where all are kept.
	Roles *Trouble
	// ArgoCD says that its kinds are served.
	ArgoCD bool
	// Health is what kept the health checks from being written.
	Health *Trouble
	Chart  *v1alpha1.PlatformChart
	// Guardrails are decided by Guardrails.
	Guardrails Step
}

// Decide says what the Platform's conditions are.
func (p Platform) Decide() []metav1.Condition {
	roles := Step{Trouble: p.Roles, Reason: "RolesReady", Message: "the fixed ClusterRoles are kept"}
	argo := Step{Trouble: p.Health, Reason: "ArgoCDReady", Message: "Argo CD's kinds are served"}
	if !p.ArgoCD {
		argo.Trouble = &Trouble{"ArgoCDAbsent", "Argo CD's CRDs are not installed, so nothing can be delivered"}
	}
	chart := Step{Trouble: &Trouble{"ChartNotConfigured", "Platform/default has no spec.chart, so a claim with an image cannot be rendered"}}
	if p.Chart != nil {
		chart = Step{Reason: "ChartReady", Message: "the chart is named: " + p.Chart.Path + " at " + p.Chart.TargetRevision + " of " + p.Chart.RepoURL}
	}
	return summarise([]metav1.Condition{
		roles.condition(RolesReady), argo.condition(ArgoCDReady), chart.condition(ChartReady), p.Guardrails.condition(GuardrailsReady),
	}, yes(Ready, "PlatformReady", "teams and their services can be delivered"))
}
