package readiness

import (
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// room says what one more pod needs beyond what the quota has left, so that it is
// known what to free. Without figures it gives the cluster's own words.
func (c Claim) room(words string) string {
	if lacks := c.lacks(); lacks != "" {
		return "the old pod runs on, and the new one needs room beside it that the budget lacks: free " + lacks
	}
	return words
}

// lacks is what the quota has not left for one more pod; empty where it has room, or
// where it is not known.
func (c Claim) lacks() string {
	if c.Quota == nil {
		return ""
	}
	need := podNeeds(c.Live.template().Spec)
	var lacks []string
	for name, hard := range c.Quota.Status.Hard {
		asked, counts := need[name]
		if !counts {
			continue
		}
		left := hard.DeepCopy()
		left.Sub(c.Quota.Status.Used[name])
		if asked.Cmp(left) > 0 {
			missing := asked.DeepCopy()
			missing.Sub(left)
			lacks = append(lacks, fmt.Sprintf("%s of %s", missing.String(), name))
		}
	}
	sort.Strings(lacks)
	return strings.Join(lacks, ", ")
}

// podNeeds is what a pod counts for in a quota. Requests that the LimitRange
// fills in are not seen here; the words of the refusal then stand.
func podNeeds(spec corev1.PodSpec) map[corev1.ResourceName]resource.Quantity {
	need := map[corev1.ResourceName]resource.Quantity{corev1.ResourcePods: *resource.NewQuantity(1, resource.DecimalSI)}
	add := func(name corev1.ResourceName, from corev1.ResourceList, key corev1.ResourceName) {
		if q, ok := from[key]; ok {
			sum := need[name]
			sum.Add(q)
			need[name] = sum
		}
	}
	for _, ctr := range spec.Containers {
		add(corev1.ResourceRequestsCPU, ctr.Resources.Requests, corev1.ResourceCPU)
		add(corev1.ResourceRequestsMemory, ctr.Resources.Requests, corev1.ResourceMemory)
		add(corev1.ResourceLimitsMemory, ctr.Resources.Limits, corev1.ResourceMemory)
	}
	return need
}
