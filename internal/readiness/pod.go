package readiness

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// waitingReasons sorts what a kubelet says of a container that does not start.
var waitingReasons = map[string]string{
	"ErrImagePull":               "ImagePullFailed",
	"ImagePullBackOff":           "ImagePullFailed",
	"InvalidImageName":           "ImagePullFailed",
	"ErrImageNeverPull":          "ImagePullFailed",
	"RegistryUnavailable":        "ImagePullFailed",
	"CrashLoopBackOff":           "CrashLooping",
	"RunContainerError":          "CrashLooping",
	"CreateContainerError":       "ContainerConfigError",
	"CreateContainerConfigError": "ContainerConfigError",
}

// TroubleOf says what keeps a pod from running, if something does. A pod that is
// starting, or going, is no trouble.
func TroubleOf(p *corev1.Pod) *Trouble {
	if p.DeletionTimestamp != nil {
		return nil
	}
	for _, cond := range p.Status.Conditions {
		if cond.Type == corev1.PodScheduled && cond.Status == corev1.ConditionFalse && cond.Reason == corev1.PodReasonUnschedulable {
			return &Trouble{"Unschedulable", "no node takes the pod: " + cond.Message}
		}
	}
	statuses := append(append([]corev1.ContainerStatus{}, p.Status.InitContainerStatuses...), p.Status.ContainerStatuses...)
	for _, s := range statuses {
		w := s.State.Waiting
		if w == nil {
			continue
		}
		if reason, known := waitingReasons[w.Reason]; known {
			return &Trouble{reason, containerWords(s)}
		}
	}
	return nil
}

func containerWords(s corev1.ContainerStatus) string {
	w := s.State.Waiting
	words := fmt.Sprintf("container %s of image %s: %s", s.Name, s.Image, w.Reason)
	if w.Message != "" {
		words += ": " + w.Message
	}
	if t := s.LastTerminationState.Terminated; t != nil {
		words += fmt.Sprintf(" (it last ended with exit code %d, %s)", t.ExitCode, t.Reason)
	}
	return words
}

func podReady(p *corev1.Pod) bool {
	for _, cond := range p.Status.Conditions {
		if cond.Type == corev1.PodReady {
			return cond.Status == corev1.ConditionTrue
		}
	}
	return false
}
