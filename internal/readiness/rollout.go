package readiness

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"demarc.dev/demarc/internal/render"
)

// A paused Deployment does not roll, whatever it reports.
func (c Claim) paused(metav1.Condition) *metav1.Condition {
	if d := c.Live.Deployment; d != nil && d.Spec.Paused {
		return because(no(WorkloadReady, "Suspended", "the Deployment is paused"))
	}
	return nil
}

// Pods that the API server refuses never exist; the Deployment carries the
// refusal in the cluster's own words.
func (c Claim) refused(metav1.Condition) *metav1.Condition {
	d := c.Live.Deployment
	if d == nil {
		return nil
	}
	failure := deploymentCondition(d, appsv1.DeploymentReplicaFailure)
	if failure == nil || failure.Status != corev1.ConditionTrue {
		return nil
	}
	reason := refusalReason(failure.Message)
	if reason != "QuotaExceeded" {
		return because(no(WorkloadReady, reason, failure.Message))
	}
	old := d.Status.Replicas - d.Status.UpdatedReplicas
	switch {
	case old <= 0:
		return because(no(WorkloadReady, reason, failure.Message))
	case c.maxUnavailable() > 0 && !c.overdue():
		// The rollout takes old pods down first and goes on in the room they leave.
		return because(no(WorkloadReady, "Progressing", "old pods make room for new ones, one by one, in a full budget"))
	default:
		return because(no(WorkloadReady, "NoRoomToRoll", c.room(failure.Message)))
	}
}

// Zero asked for and zero running is what was asked for.
func (c Claim) zero(delivery metav1.Condition) *metav1.Condition {
	if render.Replicas(c.Claim) != 0 || delivery.Status != metav1.ConditionTrue || !c.Live.count().observed {
		return nil
	}
	if n := c.Live.count(); n.asked != 0 || n.there != 0 {
		return nil
	}
	return because(yes(WorkloadReady, "ScaledToZero", "no replica runs, as asked"))
}

// The rollout is over when all that was asked for is updated and available and
// nothing old is left.
func (c Claim) rolled(metav1.Condition) *metav1.Condition {
	n, asked := c.Live.count(), render.Replicas(c.Claim)
	done := n.observed && n.updated == n.there
	if a := c.Claim.Spec.Autoscaling; a != nil {
		// How many there are is the autoscaler's to say: while it adds some, as many as
		// there have to be at least are there.
		done = done && asked <= n.asked && n.asked <= a.Max && n.available >= asked
	} else {
		done = done && n.asked == asked && n.there == asked && n.available == asked
	}
	switch {
	case done:
		return nil
	case c.overdue():
		return because(no(WorkloadReady, "Degraded", "the rollout made no progress in time: "+deploymentCondition(c.Live.Deployment, appsv1.DeploymentProgressing).Message))
	case c.Live.StatefulSet != nil && n.there < asked:
		return because(c.unmade())
	default:
		return because(no(WorkloadReady, "Progressing", c.waitsFor()))
	}
}

// unmade says why a StatefulSet lacks pods: unlike a Deployment it keeps what was refused
// in Events alone.
func (c Claim) unmade() metav1.Condition {
	if lacks := c.lacks(); lacks != "" {
		return no(WorkloadReady, "QuotaExceeded", "the budget has no room for another pod: free "+lacks)
	}
	words := c.waitsFor()
	if len(c.Pods) == 0 {
		words += "; if no pod appears, kubectl describe statefulset " + c.Claim.Name + " says what refuses it"
	}
	return no(WorkloadReady, "Progressing", words)
}

// overdue says that the Deployment's own deadline for progress has passed.
func (c Claim) overdue() bool {
	if c.Live.Deployment == nil {
		return false
	}
	p := deploymentCondition(c.Live.Deployment, appsv1.DeploymentProgressing)
	return p != nil && p.Reason == "ProgressDeadlineExceeded"
}

func (c Claim) maxUnavailable() int {
	rolling := c.Live.Deployment.Spec.Strategy.RollingUpdate
	asked := int(render.Replicas(c.Claim))
	if rolling == nil || rolling.MaxUnavailable == nil {
		return asked / 4
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(rolling.MaxUnavailable, asked, false)
	if err != nil {
		return 0
	}
	return n
}

func deploymentCondition(d *appsv1.Deployment, kind appsv1.DeploymentConditionType) *appsv1.DeploymentCondition {
	for i := range d.Status.Conditions {
		if d.Status.Conditions[i].Type == kind {
			return &d.Status.Conditions[i]
		}
	}
	return nil
}
