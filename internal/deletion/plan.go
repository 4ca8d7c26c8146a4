package deletion

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/snapshot"
)

// most keeps a plan finite, should a step ever lead to itself.
const most = 32

// tenantPlan goes through the drain as the operator would, each step done: the order
// is internal/readiness's own.
func tenantPlan(d readiness.TenantDrain) (plan []Step) {
	for range most {
		step, waits := d.Next()
		if step == readiness.ReleaseTenant {
			return append(plan, Step{string(step), operator, "the Tenant goes"})
		}
		plan = append(plan, Step{string(step), stepBy(step), waits.Message})
		tenantStep(&d, step)
	}
	return plan
}

// tenantStep is what the cluster is like when a step is done.
func tenantStep(d *readiness.TenantDrain, step readiness.DrainStep) {
	switch step {
	case readiness.AwaitClaims:
		d.Claims, d.Applications = nil, others(d)
	case readiness.DeleteOrphans:
		d.Orphans = nil
	case readiness.AwaitApplications:
		d.Applications = nil
	case readiness.DeleteProject, readiness.AwaitProject:
		d.Project = nil
	case readiness.DeleteNamespace, readiness.AwaitNamespace:
		d.Namespace = &readiness.Remains{Going: true, Conditions: accessLeft(d.Access)}
		if d.Access == 0 {
			d.Namespace = nil
		}
	case readiness.ReleaseAccess, readiness.ReleaseNamespace:
		d.Access, d.Namespace = 0, nil
	case readiness.DeleteKept:
		d.Kept = nil
	case readiness.DeleteAccess:
		d.Access = 0
	case readiness.DeleteClusterAccess:
		d.ClusterAccess = 0
	}
}

// others are the Applications that do not go with a claim of the team.
func others(d *readiness.TenantDrain) (rest []string) {
	for _, app := range d.Applications {
		if !ofClaim(d, app) {
			rest = append(rest, app)
		}
	}
	return rest
}

func ofClaim(d *readiness.TenantDrain, app string) bool {
	for _, c := range d.Claims {
		if app == d.Team+"."+c {
			return true
		}
	}
	return false
}

// accessLeft is what the namespace controller says when the team's access alone is left.
func accessLeft(n int) []corev1.NamespaceCondition {
	return []corev1.NamespaceCondition{
		{Type: corev1.NamespaceContentRemaining, Status: corev1.ConditionTrue,
			Message: fmt.Sprintf("Some resources are remaining: rolebindings.rbac.authorization.k8s.io has %d resource instances", n)},
		{Type: corev1.NamespaceFinalizersRemaining, Status: corev1.ConditionTrue,
			Message: fmt.Sprintf("Some content in the namespace has finalizers remaining: %s in %d resource instances", v1alpha1.FinalizerAccess, n)},
	}
}

func stepBy(step readiness.DrainStep) string {
	switch step {
	case readiness.AwaitClaims:
		return "the team, or whoever may delete its claims"
	case readiness.AwaitApplications:
		return "whoever made the Applications"
	case readiness.AwaitProject:
		return "whoever put the finalizers on"
	case readiness.AwaitNamespace:
		return namespaces
	default:
		return operator
	}
}

// claimPlan goes through the drain of a claim in the same way; what Argo CD passes over
// is left when the Application is gone.
func (e *explainer) claimPlan(d readiness.ClaimDrain, c *v1alpha1.ServiceClaim) (plan []Step) {
	for range most {
		step, waits := d.Next()
		if step == readiness.ReleaseClaim {
			return append(plan, Step{string(step), operator, "the claim " + c.Name + " goes"})
		}
		by := operator
		if step == readiness.AwaitApplication {
			by = argoCD
		}
		plan = append(plan, Step{string(step), by, waits.Message})
		switch step {
		case readiness.DeleteApplication:
			d.Application = &readiness.Remains{Going: true, Finalizers: []string{argocd.FinalizerForeground}}
		case readiness.AwaitObjects:
			d.Left = nil
		default:
			d.Application, d.Left = nil, nil
			for _, b := range e.passedOver() {
				d.Left = append(d.Left, readiness.Left{Kind: b.Object.Kind, Name: b.Object.Name, Keeps: b.Says})
			}
		}
	}
	return plan
}

// passedOver are the objects of which it was found that Argo CD leaves them.
func (e *explainer) passedOver() []Blocker {
	return slices.DeleteFunc(slices.Concat(e.report.Blockers, e.report.Ahead), func(b Blocker) bool {
		return b.Reason != "Kept" && b.Reason != "NotPermitted"
	})
}

// planApplication says what Argo CD does with an Application.
func (e *explainer) planApplication(app snapshot.Object) {
	e.planGuarded(app)
	for _, f := range app.GetFinalizers() {
		if argocd.Holds(f) {
			e.plan("DeleteDelivered", argoCD, "deletes what the Application delivered, each seen to be gone")
			break
		}
	}
	e.plan("DeleteApplication", argoCD, "the Application goes")
}

func (e *explainer) planProject(p snapshot.Object) {
	e.planGuarded(p)
	if len(p.GetFinalizers()) > 0 {
		e.plan("DeleteProject", argoCD, "the AppProject goes when no Application names it any more")
		return
	}
	e.plan("DeleteProject", "the API server", "the AppProject goes at once: of Applications that name it Argo CD then deletes nothing")
}

func (e *explainer) planNamespace(o snapshot.Object) {
	switch of, is := e.ownerOf(o); {
	case of.Name == "": // nobody's in Demarc
	case is == gone:
		e.planGone(o, of)
	case is == there:
		e.plan("DeleteTenant", operator, "the namespace goes with its "+called(of)+", when its claims, Applications and AppProject are gone")
	default:
		e.plan("DeleteTenant", operator, "the namespace goes with its "+called(of)+", if that is there: it could not be read")
	}
	e.plan("DeleteContent", namespaces, "deletes all that is in the namespace, each seen to be gone")
	e.plan("DeleteNamespace", namespaces, "the namespace goes")
}

// planObject says what comes of an object, and who makes it anew.
func (e *explainer) planObject(o snapshot.Object) {
	e.plan("Delete", "the API server", "marks it as being deleted; it goes when its last finalizer is off")
	if c := metav1.GetControllerOf(o); c != nil {
		e.plan("MadeAnew", "the controller of "+c.Kind+" "+c.Name, "makes another in its place: delete "+c.Kind+" "+c.Name+" if that is not wanted")
	}
	e.planOwner(o)
	if id := o.GetAnnotations()[argocd.TrackingID]; id != "" && e.partyOf(o) == ownership.Team {
		e.plan("MadeAnew", "Argo CD", "delivers it again while Git has it: "+id)
	}
}
