package admitted

import corev1 "k8s.io/api/core/v1"

// qos is the class of a pod by what it asks for.
func qos(p *corev1.PodSpec) corev1.PodQOSClass {
	if r := p.Resources; r != nil && len(r.Requests)+len(r.Limits) > 0 {
		return classOf(r.Requests, r.Limits)
	}
	var of corev1.PodQOSClass
	for _, list := range [][]corev1.Container{p.InitContainers, p.Containers} {
		for _, c := range list {
			one := classOf(c.Resources.Requests, c.Resources.Limits)
			if of != "" && of != one {
				return corev1.PodQOSBurstable
			}
			of = one
		}
	}
	if of == "" {
		return corev1.PodQOSBestEffort
	}
	return of
}

// classOf is guaranteed where cpu and memory both are limited to what is requested.
func classOf(requests, limits corev1.ResourceList) corev1.PodQOSClass {
	of := map[corev1.PodQOSClass]bool{}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		request, limit := requests[name], limits[name]
		switch {
		case request.IsZero() && limit.IsZero():
			of[corev1.PodQOSBestEffort] = true
		case request.Cmp(limit) == 0:
			of[corev1.PodQOSGuaranteed] = true
		default:
			of[corev1.PodQOSBurstable] = true
		}
	}
	for class := range of {
		if len(of) == 1 {
			return class
		}
	}
	return corev1.PodQOSBurstable
}
