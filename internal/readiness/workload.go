package readiness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"demarc.dev/demarc/internal/render"
)

// workload asks whether what was asked for runs, from live objects alone. What
// Argo CD says of health is asked last: it is Healthy over objects that are
// missing, replicas that are zero and images that matched nothing.
func (c Claim) workload(delivery metav1.Condition) metav1.Condition {
	if c.Claim.Spec.Source != nil {
		return c.sourced(delivery)
	}
	if c.Deployment == nil {
		if delivery.Status == metav1.ConditionTrue {
			return no(WorkloadReady, "Progressing", c.waitsFor())
		}
		return no(WorkloadReady, "WaitingForDelivery", "there is no Deployment yet")
	}
	for _, check := range []func(metav1.Condition) *metav1.Condition{
		c.imageAsked, c.paused, c.podTrouble, c.refused, c.zero, c.rolled, c.podImages, c.healthy,
	} {
		if found := check(delivery); found != nil {
			return *found
		}
	}
	return yes(WorkloadReady, "Running", c.proof())
}

func (c Claim) proof() string {
	n := render.Replicas(c.Claim)
	if n == 1 {
		return fmt.Sprintf("1 replica of %s runs", c.Claim.Spec.Image)
	}
	return fmt.Sprintf("%d replicas of %s run", n, c.Claim.Spec.Image)
}

// The Deployment must ask for the image that the claim asks for.
func (c Claim) imageAsked(delivery metav1.Condition) *metav1.Condition {
	live := mainImage(c.Deployment.Spec.Template.Spec, c.Claim.Name)
	if live == c.Claim.Spec.Image {
		return nil
	}
	if delivery.Status != metav1.ConditionTrue {
		return because(no(WorkloadReady, "WaitingForDelivery", fmt.Sprintf("the Deployment still asks for %s", live)))
	}
	return because(no(WorkloadReady, "ImageMismatch", fmt.Sprintf("the Deployment asks for %s and the claim for %s", live, c.Claim.Spec.Image)))
}

// A paused Deployment does not roll, whatever it reports.
func (c Claim) paused(metav1.Condition) *metav1.Condition {
	if c.Deployment.Spec.Paused {
		return because(no(WorkloadReady, "Suspended", "the Deployment is paused"))
	}
	return nil
}

// Pods that the API server refuses never exist; the Deployment carries the
// refusal in the cluster's own words.
func (c Claim) refused(metav1.Condition) *metav1.Condition {
	failure := deploymentCondition(c.Deployment, appsv1.DeploymentReplicaFailure)
	if failure == nil || failure.Status != corev1.ConditionTrue {
		return nil
	}
	reason := refusalReason(failure.Message)
	if reason != "QuotaExceeded" {
		return because(no(WorkloadReady, reason, failure.Message))
	}
	old := c.Deployment.Status.Replicas - c.Deployment.Status.UpdatedReplicas
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

// refusalReason sorts what the API server says of pods that it refuses.
func refusalReason(message string) string {
	switch {
	case strings.Contains(message, "exceeded quota"):
		return "QuotaExceeded"
	case strings.Contains(message, "must be less than or equal to") && strings.Contains(message, "limit"):
		return "RequestAboveDefaultLimit"
	default:
		return "PodsRefused"
	}
}

// Zero asked for and zero running is what was asked for.
func (c Claim) zero(delivery metav1.Condition) *metav1.Condition {
	if render.Replicas(c.Claim) != 0 || delivery.Status != metav1.ConditionTrue || !c.observed() {
		return nil
	}
	if asked := c.Deployment.Spec.Replicas; asked == nil || *asked != 0 || c.Deployment.Status.Replicas != 0 {
		return nil
	}
	return because(yes(WorkloadReady, "ScaledToZero", "no replica runs, as asked"))
}

// A container that cannot start says so in its pod long before the Deployment
// gives up. Old pods do not speak for what is asked for now.
func (c Claim) podTrouble(metav1.Condition) *metav1.Condition {
	pods := slices.SortedFunc(slices.Values(c.Pods), func(a, b corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	for i := range pods {
		if mainImage(pods[i].Spec, c.Claim.Name) != c.Claim.Spec.Image {
			continue
		}
		if trouble := TroubleOf(&pods[i]); trouble != nil {
			return because(c.sameWords(no(WorkloadReady, trouble.Reason, trouble.Message)))
		}
	}
	return nil
}

// sameWords keeps what was said first of the same trouble of the same spec: a kubelet
// says ErrImagePull and ImagePullBackOff by turns.
func (c Claim) sameWords(now metav1.Condition) metav1.Condition {
	before := meta.FindStatusCondition(c.Claim.Status.Conditions, now.Type)
	if before != nil && before.Reason == now.Reason && before.ObservedGeneration == c.Claim.Generation {
		now.Message = before.Message
	}
	return now
}

// The rollout is over when all that was asked for is updated and available and
// nothing old is left.
func (c Claim) rolled(metav1.Condition) *metav1.Condition {
	d, asked := c.Deployment, render.Replicas(c.Claim)
	done := c.observed() && d.Spec.Replicas != nil && *d.Spec.Replicas == asked &&
		d.Status.UpdatedReplicas == asked && d.Status.Replicas == asked && d.Status.AvailableReplicas == asked
	switch {
	case done:
		return nil
	case c.overdue():
		return because(no(WorkloadReady, "Degraded", "the rollout made no progress in time: "+deploymentCondition(d, appsv1.DeploymentProgressing).Message))
	default:
		return because(no(WorkloadReady, "Progressing", c.waitsFor()))
	}
}

// What runs is what the pods say, not what the Deployment says: something may
// have changed them on the way.
func (c Claim) podImages(metav1.Condition) *metav1.Condition {
	ready := int32(0)
	for i := range c.Pods {
		p := &c.Pods[i]
		if p.DeletionTimestamp != nil || !podReady(p) {
			continue
		}
		if live := mainImage(p.Spec, c.Claim.Name); live != c.Claim.Spec.Image {
			return because(no(WorkloadReady, "ImageMismatch", fmt.Sprintf("pod %s runs %s and the claim asks for %s", p.Name, live, c.Claim.Spec.Image)))
		}
		ready++
	}
	if ready < render.Replicas(c.Claim) {
		return because(no(WorkloadReady, "Progressing", c.waitsFor()))
	}
	return nil
}

// Argo CD's health speaks for what is not a pod, such as an Ingress.
func (c Claim) healthy(delivery metav1.Condition) *metav1.Condition {
	if c.Application == nil || delivery.Status != metav1.ConditionTrue {
		return nil
	}
	return health(c.Application.Status.Health.Status, c.Application.Status.Health.Message, c.waitsFor())
}

// waitsFor is one text for the whole way, whatever is first to be there: each text
// is a write.
func (c Claim) waitsFor() string {
	return fmt.Sprintf("waiting for %d of %s to be available", render.Replicas(c.Claim), c.Claim.Spec.Image)
}

// health sorts Argo CD's word; waits is what to say while it is not there yet.
func health(status, message, waits string) *metav1.Condition {
	if message == "" {
		message = "Argo CD names no object"
	}
	switch status {
	case "Healthy":
		return nil
	case "Suspended":
		return because(no(WorkloadReady, "Suspended", "Argo CD says Suspended: "+message))
	case "Degraded":
		return because(no(WorkloadReady, "Degraded", "Argo CD says Degraded: "+message))
	default:
		return because(no(WorkloadReady, "Progressing", waits))
	}
}

func (c Claim) observed() bool {
	return c.Deployment.Status.ObservedGeneration >= c.Deployment.Generation
}

// overdue says that the Deployment's own deadline for progress has passed.
func (c Claim) overdue() bool {
	p := deploymentCondition(c.Deployment, appsv1.DeploymentProgressing)
	return p != nil && p.Reason == "ProgressDeadlineExceeded"
}

func (c Claim) maxUnavailable() int {
	rolling := c.Deployment.Spec.Strategy.RollingUpdate
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

func because(c metav1.Condition) *metav1.Condition { return &c }

func deploymentCondition(d *appsv1.Deployment, kind appsv1.DeploymentConditionType) *appsv1.DeploymentCondition {
	for i := range d.Status.Conditions {
		if d.Status.Conditions[i].Type == kind {
			return &d.Status.Conditions[i]
		}
	}
	return nil
}

// mainImage is the image of the container that is named after the claim, or of
// the first: others are sidecars.
func mainImage(spec corev1.PodSpec, name string) string {
	for _, ctr := range spec.Containers {
		if ctr.Name == name {
			return ctr.Image
		}
	}
	if len(spec.Containers) == 0 {
		return ""
	}
	return spec.Containers[0].Image
}
