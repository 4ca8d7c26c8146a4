package admitted

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// limits fills a pod's requests and limits in from the LimitRanges of its namespace, and
// says so in an annotation, as the API server does.
func (s *Surroundings) limits(p *corev1.Pod) {
	for _, l := range s.LimitRanges {
		if l.Namespace != p.Namespace {
			continue
		}
		requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
		for _, item := range l.Spec.Limits {
			if item.Type == corev1.LimitTypeContainer {
				maps.Copy(requests, item.DefaultRequest)
				maps.Copy(limits, item.Default)
			}
		}
		var said []string
		for _, part := range []struct {
			kind string
			list []corev1.Container
		}{{"container", p.Spec.Containers}, {"init container", p.Spec.InitContainers}} {
			for i := range part.list {
				said = append(said, merge(&part.list[i], part.kind, requests, limits)...)
			}
		}
		if len(said) > 0 {
			if p.Annotations == nil {
				p.Annotations = map[string]string{}
			}
			p.Annotations["kubernetes.io/limit-ranger"] = "LimitRanger plugin set: " + strings.Join(said, "; ")
		}
	}
}

func merge(c *corev1.Container, kind string, requests, limits corev1.ResourceList) (said []string) {
	for _, part := range []struct {
		what     string
		of       *corev1.ResourceList
		default_ corev1.ResourceList
	}{{"request", &c.Resources.Requests, requests}, {"limit", &c.Resources.Limits, limits}} {
		if *part.of == nil {
			*part.of = corev1.ResourceList{}
		}
		var names []string
		for _, name := range slices.Sorted(maps.Keys(part.default_)) {
			if _, ok := (*part.of)[name]; !ok {
				(*part.of)[name] = part.default_[name].DeepCopy()
				names = append(names, string(name))
			}
		}
		if len(names) > 0 {
			said = append(said, fmt.Sprintf("%s %s for %s %s", strings.Join(names, ", "), part.what, kind, c.Name))
		}
	}
	return said
}
