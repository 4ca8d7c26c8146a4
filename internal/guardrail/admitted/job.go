package admitted

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"
)

// selector gives a Job the labels by which it knows its pods.
func selector(j *batchv1.Job) {
	if j.Spec.Template.Labels == nil {
		j.Spec.Template.Labels = map[string]string{}
	}
	labels := j.Spec.Template.Labels
	for key, value := range map[string]string{"job-name": j.Name, batchv1.JobNameLabel: j.Name, "controller-uid": string(j.UID), batchv1.ControllerUidLabel: string(j.UID)} {
		if _, ok := labels[key]; !ok {
			labels[key] = value
		}
	}
	point(&j.Spec.Selector, metav1.LabelSelector{})
	if j.Spec.Selector.MatchLabels == nil {
		j.Spec.Selector.MatchLabels = map[string]string{}
	}
	if _, ok := j.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel]; !ok {
		j.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel] = string(j.UID)
	}
}

// podResources completes the resources of a pod as a whole, where it has some, from those
// of its containers.
func podResources(p *corev1.PodSpec) {
	if p.Resources == nil || len(p.Resources.Requests)+len(p.Resources.Limits) == 0 {
		return
	}
	all := &corev1.Pod{Spec: corev1.PodSpec{Containers: p.Containers, InitContainers: p.InitContainers}}
	requests := supported(resourcehelper.AggregateContainerRequests(all, resourcehelper.PodResourcesOptions{}))
	limits := supported(resourcehelper.AggregateContainerLimits(all, resourcehelper.PodResourcesOptions{}))
	if p.Resources.Requests == nil {
		p.Resources.Requests = corev1.ResourceList{}
	}
	lay(p.Resources.Requests, requests)
	lay(p.Resources.Requests, supported(p.Resources.Limits))
	for name, limit := range limits {
		request, asked := p.Resources.Requests[name]
		if _, has := p.Resources.Limits[name]; has || !asked || !everywhere(p, name) {
			continue
		}
		if p.Resources.Limits == nil {
			p.Resources.Limits = corev1.ResourceList{}
		}
		if request.Cmp(limit) > 0 {
			limit = request
		}
		p.Resources.Limits[name] = limit.DeepCopy()
	}
}

// supported are the resources that a pod as a whole may have.
func supported(list corev1.ResourceList) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, q := range list {
		if resourcehelper.IsSupportedPodLevelResource(name) {
			out[name] = q
		}
	}
	return out
}

// everywhere reports whether every container has a limit of a resource.
func everywhere(p *corev1.PodSpec, name corev1.ResourceName) bool {
	for _, c := range slices.Concat(p.InitContainers, p.Containers) {
		if _, ok := c.Resources.Limits[name]; !ok {
			return false
		}
	}
	return true
}
