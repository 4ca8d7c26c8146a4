package triage

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/snapshot"
)

// Waiting counts the pods in these namespaces that are not ready and are neither ended nor
// going: where nothing is found, they are not so for long enough to be. No namespaces are all.
func Waiting(set *snapshot.Set, namespaces []string) (n int) {
	for _, o := range set.Of(podKind) {
		status := child(o.Object, "status")
		phase := corev1.PodPhase(text(status, "phase"))
		if o.GetDeletionTimestamp() != nil || phase == corev1.PodSucceeded || phase == corev1.PodFailed ||
			len(namespaces) > 0 && !slices.Contains(namespaces, o.GetNamespace()) {
			continue
		}
		ready := slices.ContainsFunc(verdicts(status["conditions"]), func(v verdict) bool {
			return v.kind == string(corev1.PodReady) && v.status == "True"
		})
		if !ready {
			n++
		}
	}
	return n
}
