package readiness

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
)

// Condition types of a Tenant.
const (
	NamespaceReady = "NamespaceReady"
	AccessReady    = "AccessReady"
	QuotaReady     = "QuotaReady"
	ProjectReady   = "ProjectReady"
	ClaimsDrained  = "ClaimsDrained"
)

// TenantIsReady reads the summary. A spec that was changed just now does not take
// it away: the team's services would all seem down at each change of a budget.
func TenantIsReady(t *v1alpha1.Tenant) bool {
	return meta.IsStatusConditionTrue(t.Status.Conditions, Ready)
}

// why takes the Tenant's own reason over, in short.
func why(t *v1alpha1.Tenant) string {
	c := meta.FindStatusCondition(t.Status.Conditions, Ready)
	if c == nil || c.Status == metav1.ConditionTrue {
		return ""
	}
	return " (" + c.Reason + ")"
}

// Step is how one part of a Tenant went.
type Step struct {
	// Trouble is nil where it is done.
	Trouble *Trouble
	// Reason and Message of the condition where it is done.
	Reason, Message string
}

// condition of one part.
func (s Step) condition(kind string) metav1.Condition {
	if s.Trouble != nil {
		return no(kind, s.Trouble.Reason, s.Trouble.Message)
	}
	return yes(kind, s.Reason, s.Message)
}

// Tenant is how each part of a Tenant went.
type Tenant struct {
	Name                              string
	Namespace, Access, Quota, Project Step
}

// Decide says what a Tenant's conditions are.
func (t Tenant) Decide() []metav1.Condition {
	return summarise([]metav1.Condition{
		t.Namespace.condition(NamespaceReady),
		t.Access.condition(AccessReady),
		t.Quota.condition(QuotaReady),
		t.Project.condition(ProjectReady),
	}, yes(Ready, "TenantReady", fmt.Sprintf("namespace %s is ready for services", v1alpha1.NamespaceOf(t.Name))))
}

// Draining are the conditions of something that is being deleted and waits:
// kind is ClaimsDrained or Drained.
func Draining(kind string, waits Trouble) []metav1.Condition {
	return summarise([]metav1.Condition{no(kind, waits.Reason, waits.Message)}, metav1.Condition{})
}
