package guardrail

import (
	"slices"

	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
)

// What the rules measure with where the Platform says nothing.
const (
	DefaultLimitRatio         = 10
	DefaultGracePeriodSeconds = 300
)

// limits are the Platform's, defaults filled in. What is listed is sorted: the order in
// which it is named is no change.
func limits(g v1alpha1.PlatformGuardrails) v1alpha1.GuardrailLimits {
	l := *g.Limits.DeepCopy()
	if l.LimitRatio == nil {
		l.LimitRatio = ptr.To[int32](DefaultLimitRatio)
	}
	if l.GracePeriodSeconds == nil {
		l.GracePeriodSeconds = ptr.To[int32](DefaultGracePeriodSeconds)
	}
	for _, list := range [][]string{l.Registries, l.Labels, l.IngressClasses, l.StorageClasses, l.PriorityClasses} {
		slices.Sort(list)
	}
	return l
}
