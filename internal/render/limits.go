package render

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"demarc.dev/demarc/api/v1alpha1"
)

// limits gives a container that says nothing what the quota asks every container
// to say. Both default and defaultRequest are set: with a maximum or a default
// alone Kubernetes takes the limit for the request.
func limits(ns string, a v1alpha1.Amounts, s Settings) Object {
	limit := share(s.MemoryLimit, a.Memory, a.Pods, leastMemory)
	request := corev1.ResourceList{
		corev1.ResourceCPU:    share(s.CPURequest, a.CPU, a.Pods, leastCPU),
		corev1.ResourceMemory: least(s.MemoryRequest, limit),
	}
	return object(corev1ac.LimitRange(LimitsName, ns).WithSpec(
		corev1ac.LimitRangeSpec().WithLimits(corev1ac.LimitRangeItem().
			WithType(corev1.LimitTypeContainer).
			WithDefault(corev1.ResourceList{corev1.ResourceMemory: limit}).
			WithDefaultRequest(request))))
}

// What a default is never lowered below: with less no container starts, and a limit of 0
// would be none at all.
var leastCPU, leastMemory = resource.MustParse("1m"), resource.MustParse("16Mi")

// share lowers a default to what one pod's part of the budget is, so that the
// budget's number of pods can really be had, as far as that is something to run with.
func share(q resource.Quantity, budget *resource.Quantity, pods *int64, floor resource.Quantity) resource.Quantity {
	if budget == nil || pods == nil || *pods <= 0 || budget.IsZero() {
		return canonical(q)
	}
	part := resource.NewMilliQuantity(budget.MilliValue()/(*pods), budget.Format)
	if budget.Format == resource.BinarySI || budget.Value() >= 1<<20 {
		part = resource.NewQuantity(budget.Value()/(*pods), budget.Format)
	}
	if part.Cmp(floor) < 0 {
		*part = floor
	}
	return least(q, *part)
}

func least(a, b resource.Quantity) resource.Quantity {
	if a.Cmp(b) <= 0 {
		return canonical(a)
	}
	return canonical(b)
}

// rounded goes up to what the API server keeps, a thousandth of a CPU or a byte:
// it rounds in the same way, and what is read back must equal what was written.
func rounded(q resource.Quantity, to resource.Scale) resource.Quantity {
	q.RoundUp(to)
	return canonical(q)
}

// canonical is the form that the API server stores, so that what is read back
// equals what was written.
func canonical(q resource.Quantity) resource.Quantity {
	return resource.MustParse(q.String())
}

func count(n int64) resource.Quantity { return *resource.NewQuantity(n, resource.DecimalSI) }
