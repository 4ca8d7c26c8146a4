package guardrail

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"demarc.dev/demarc/api/v1alpha1"
)

// Fill fills into a pod that is made in a team's namespace what the policies demarc-fill-*
// of the chart do: whose it is, which system calls it has, and what its containers request.
// What the pod says itself is left alone.
func Fill(pod *corev1.Pod, team string, requests corev1.ResourceList) {
	if _, says := pod.Labels[v1alpha1.LabelTeam]; !says {
		if pod.Labels == nil {
			pod.Labels = map[string]string{}
		}
		pod.Labels[v1alpha1.LabelTeam] = team
	}
	windows := pod.Spec.OS != nil && pod.Spec.OS.Name == corev1.Windows
	if c := pod.Spec.SecurityContext; !windows && (c == nil || c.SeccompProfile == nil) {
		if c == nil {
			c = &corev1.PodSecurityContext{}
			pod.Spec.SecurityContext = c
		}
		c.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}
	}
	for name, amount := range requests {
		if r := pod.Spec.Resources; r != nil && (has(r.Requests, name) || has(r.Limits, name)) {
			continue
		}
		request(pod.Spec.InitContainers, name, amount)
		request(pod.Spec.Containers, name, amount)
	}
}

func request(list []corev1.Container, name corev1.ResourceName, amount resource.Quantity) {
	for i := range list {
		if has(list[i].Resources.Requests, name) {
			continue
		}
		if list[i].Resources.Requests == nil {
			list[i].Resources.Requests = corev1.ResourceList{}
		}
		list[i].Resources.Requests[name] = amount.DeepCopy()
	}
}

func has(list corev1.ResourceList, name corev1.ResourceName) bool {
	_, ok := list[name]
	return ok
}
