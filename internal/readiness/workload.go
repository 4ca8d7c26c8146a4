package readiness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/render"
)

// workload asks whether what was asked for runs, from live objects alone. What
// Argo CD says of health is asked last: it is Healthy over objects that are
// missing, replicas that are zero and images that matched nothing.
func (c Claim) workload(delivery metav1.Condition) metav1.Condition {
	if c.Claim.Spec.Source != nil {
		return c.sourced(delivery)
	}
	template, checks, proven := c.Live.template(), c.runsOn(), c.proof
	switch c.Claim.Spec.Kind {
	case v1alpha1.KindJob:
		checks, proven = c.completes(), c.completed
	case v1alpha1.KindCronJob:
		checks, proven = c.repeats(), c.scheduled
	case v1alpha1.KindService, v1alpha1.KindWorker, v1alpha1.KindStateful:
	}
	if template == nil {
		if delivery.Status == metav1.ConditionTrue {
			return no(WorkloadReady, "Progressing", c.waitsFor())
		}
		return no(WorkloadReady, "WaitingForDelivery", fmt.Sprintf("there is no %s yet", render.WorkloadOf(c.Claim).Kind))
	}
	for _, check := range checks {
		if found := check(delivery); found != nil {
			return *found
		}
	}
	return proven()
}

type check = func(delivery metav1.Condition) *metav1.Condition

// runsOn are the checks of what runs all the time.
func (c Claim) runsOn() []check {
	return []check{c.imageAsked, c.paused, c.podTrouble, c.refused, c.zero, c.rolled, c.podImages, c.healthy}
}

func (c Claim) proof() metav1.Condition {
	words := fmt.Sprintf("%d replicas of %s run", render.Replicas(c.Claim), c.Claim.Spec.Image)
	switch a := c.Claim.Spec.Autoscaling; {
	case a != nil:
		words = fmt.Sprintf("%d to %d replicas of %s run", render.Replicas(c.Claim), a.Max, c.Claim.Spec.Image)
	case render.Replicas(c.Claim) == 1:
		words = fmt.Sprintf("1 replica of %s runs", c.Claim.Spec.Image)
	}
	return yes(WorkloadReady, "Running", words)
}

// The workload must ask for the image that the claim asks for.
func (c Claim) imageAsked(delivery metav1.Condition) *metav1.Condition {
	live, kind := mainImage(c.Live.template().Spec, c.Claim.Name), render.WorkloadOf(c.Claim).Kind
	if live == c.Claim.Spec.Image {
		return nil
	}
	if delivery.Status != metav1.ConditionTrue {
		return because(no(WorkloadReady, "WaitingForDelivery", fmt.Sprintf("the %s still asks for %s", kind, live)))
	}
	return because(no(WorkloadReady, "ImageMismatch", fmt.Sprintf("the %s asks for %s and the claim for %s", kind, live, c.Claim.Spec.Image)))
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
	found := health(c.Application.Status.Health.Status, c.Application.Status.Health.Message, c.waitsFor())
	if found != nil && found.Reason == "Progressing" && c.Claim.Spec.Expose != nil {
		return because(no(WorkloadReady, "WaitingForExpose", "the pods run; Argo CD waits for what exposes them to be taken up"))
	}
	return found
}

// waitsFor is one text for the whole way, whatever is first to be there: each text
// is a write.
func (c Claim) waitsFor() string {
	switch c.Claim.Spec.Kind {
	case v1alpha1.KindJob:
		return "waiting for " + c.Claim.Spec.Image + " to complete"
	case v1alpha1.KindCronJob:
		return "waiting for the CronJob to be there"
	case v1alpha1.KindService, v1alpha1.KindWorker, v1alpha1.KindStateful:
	}
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

func because(c metav1.Condition) *metav1.Condition { return &c }

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
