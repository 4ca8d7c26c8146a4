package adoption

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	podresources "k8s.io/component-helpers/resource"

	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// budget compares each key of the quota with what is in use, counted as the quota
// controller counts.
func (p *preview) budget(all []*made) []Use {
	if p.space.Quota == nil {
		p.note("no budget was given: the team's use will not be limited")
		return nil
	}
	quota, err := snapshot.Into[corev1.ResourceQuota](p.space.Quota)
	if err != nil {
		return nil // render made it
	}
	used, renewed := corev1.ResourceList{}, corev1.ResourceList{}
	for _, m := range all {
		for i := range m.pods {
			if !counts(&m.pods[i], p.set.At) {
				continue
			}
			add(used, Usage(&m.pods[i]))
			add(renewed, Usage(p.again(&m.pods[i])))
		}
	}
	_, hidden := p.set.Missed(kindPod, p.report.Namespace, "")
	var lines []Use
	for key, hard := range quota.Spec.Hard {
		now, then := used[key], renewed[key]
		if hidden {
			lines = append(lines, Use{Key: string(key), Hard: hard.String()})
			continue
		}
		lines = append(lines, Use{Key: string(key), Hard: hard.String(), Used: now.String(), Renewed: then.String(), Over: over(hard, now, then)})
	}
	p.room(all, quota.Spec.Hard, renewed)
	slices.SortFunc(lines, func(a, b Use) int { return slices.Compare([]byte(a.Key), []byte(b.Key)) })
	for _, q := range in[corev1.ResourceQuota](p, kindQuota) {
		if q.Name != render.QuotaName {
			p.note("ResourceQuota %s stays and holds beside the budget", q.Name)
		}
	}
	return lines
}

// room notes the rollouts that would not find room beside what runs.
func (p *preview) room(all []*made, hard, renewed corev1.ResourceList) {
	for _, m := range all {
		if !m.surges {
			continue
		}
		spec := m.template.Spec.DeepCopy()
		p.defaults(spec)
		usage := Usage(&corev1.Pod{Spec: *spec})
		for _, key := range slices.Sorted(maps.Keys(usage)) {
			asks := usage[key]
			limit, limited := hard[key]
			with := renewed[key].DeepCopy()
			with.Add(asks)
			if now := renewed[key]; limited && now.Cmp(limit) <= 0 && with.Cmp(limit) > 0 {
				p.note("a rollout of %s makes a pod beside those that run, and the budget has no room for it: %s would be %s of %s", m.name, key, with.String(), limit.String())
				break
			}
		}
	}
}

// over is by how much the greater of two uses is above the budget.
func over(hard, now, then resource.Quantity) string {
	most := now
	if then.Cmp(most) > 0 {
		most = then
	}
	if most.Cmp(hard) <= 0 {
		return ""
	}
	by := most.DeepCopy()
	by.Sub(hard)
	return by.String()
}

func add(to, more corev1.ResourceList) {
	for key, q := range more {
		sum := to[key]
		sum.Add(q)
		to[key] = sum
	}
}

// counts reports whether the quota controller counts a pod: not one that has ended, and
// not one that should have ended by now.
func counts(pod *corev1.Pod, now time.Time) bool {
	if pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		return false
	}
	if at, grace := pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds; at != nil && grace != nil {
		return !now.After(at.Add(time.Duration(*grace) * time.Second))
	}
	return true
}

// Usage is what a pod counts for in a quota of Demarc's, init containers and what a
// resize has given it included.
func Usage(pod *corev1.Pod) corev1.ResourceList {
	options := podresources.PodResourcesOptions{UseStatusResources: true}
	requests, limits := podresources.PodRequests(pod, options), podresources.PodLimits(pod, options)
	return corev1.ResourceList{
		corev1.ResourcePods:           resource.MustParse("1"),
		corev1.ResourceRequestsCPU:    requests[corev1.ResourceCPU],
		corev1.ResourceRequestsMemory: requests[corev1.ResourceMemory],
		corev1.ResourceLimitsMemory:   limits[corev1.ResourceMemory],
	}
}

// again is a pod as it would be if it were made once more.
func (p *preview) again(pod *corev1.Pod) *corev1.Pod {
	out := &corev1.Pod{ObjectMeta: pod.ObjectMeta, Spec: *pod.Spec.DeepCopy()}
	p.defaults(&out.Spec)
	return out
}

// defaults fills in what the API server and the LimitRange fill in.
func (p *preview) defaults(spec *corev1.PodSpec) {
	limit, request := p.containerDefaults()
	each := func(c *corev1.Container) {
		for key, q := range c.Resources.Limits {
			if _, said := c.Resources.Requests[key]; !said {
				set(&c.Resources.Requests, key, q)
			}
		}
		for key, q := range limit {
			if _, said := c.Resources.Limits[key]; !said {
				set(&c.Resources.Limits, key, q)
			}
		}
		for key, q := range request {
			if _, said := c.Resources.Requests[key]; !said {
				set(&c.Resources.Requests, key, q)
			}
		}
	}
	for i := range spec.Containers {
		each(&spec.Containers[i])
	}
	for i := range spec.InitContainers {
		each(&spec.InitContainers[i])
	}
}

func set(list *corev1.ResourceList, key corev1.ResourceName, q resource.Quantity) {
	if *list == nil {
		*list = corev1.ResourceList{}
	}
	(*list)[key] = q.DeepCopy()
}

// containerDefaults are those of the LimitRange that would be made; none without one.
func (p *preview) containerDefaults() (limit, request corev1.ResourceList) {
	if p.space.Limits == nil {
		return nil, nil
	}
	r, err := snapshot.Into[corev1.LimitRange](p.space.Limits)
	if err != nil {
		return nil, nil // render made it
	}
	for _, item := range r.Spec.Limits {
		if item.Type == corev1.LimitTypeContainer {
			return item.Default, item.DefaultRequest
		}
	}
	return nil, nil
}
