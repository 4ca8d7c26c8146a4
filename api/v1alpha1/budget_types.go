package v1alpha1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Quantity is an amount of a resource in Kubernetes' notation, a string or an
// integer. It is kept as written and parsed on use: a stored value that no longer
// parses then spoils one object, not every list of the kind.
type Quantity = intstr.IntOrString

// Budget is what all pods of a team may ask for together. A key that is absent
// sets no limit; an absent budget means no quota at all.
type Budget struct {
	// CPU that all pods together may request, such as 2, "500m" or "1.5", at most a
	// million. It becomes requests.cpu of the team's ResourceQuota.
	// +optional
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && !quantity(string(self)).isLessThan(quantity('0'))",message="cpu must be a quantity of 0 or more, such as 2, \"500m\" or \"1.5\" (quote a fraction); leave it out for no limit"
	// +kubebuilder:validation:XValidation:rule="!isQuantity(string(self)) || !quantity(string(self)).isGreaterThan(quantity('1M'))",message="cpu must be at most 1M, a million: no cluster has more"
	CPU *Quantity `json:"cpu,omitempty"`

	// Memory that all pods together may request and may be limited to, such as
	// 4Gi, at most 1Ei. It becomes requests.memory and limits.memory of the
	// ResourceQuota.
	// +optional
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && !quantity(string(self)).isLessThan(quantity('0'))",message="memory must be a quantity of 0 or more, such as 4Gi or 512Mi; leave it out for no limit"
	// +kubebuilder:validation:XValidation:rule="!isQuantity(string(self)) || !quantity(string(self)).isGreaterThan(quantity('1Ei'))",message="memory must be at most 1Ei: no cluster has more"
	Memory *Quantity `json:"memory,omitempty"`

	// Pods is the number of pods that may exist at the same time, a whole number
	// from 0 to a million. During a rollout a service has more pods than replicas.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0",message="pods must be a whole number of 0 or more; leave it out for no limit"
	// +kubebuilder:validation:XValidation:rule="self <= 1000000",message="pods must be at most 1000000, a million: no cluster has more"
	Pods *int64 `json:"pods,omitempty"`
}

// Amounts is a Budget parsed; nil means no limit.
type Amounts struct {
	CPU, Memory *resource.Quantity
	Pods        *int64
}

// Empty reports whether no limit is set.
func (a Amounts) Empty() bool { return a.CPU == nil && a.Memory == nil && a.Pods == nil }

// Amounts parses the budget. Admission refuses what does not parse, so an error
// means an object that was stored past it; the error names the field.
func (b *Budget) Amounts() (Amounts, error) {
	if b == nil {
		return Amounts{}, nil
	}
	cpu, err := parseQuantity("cpu", b.CPU)
	if err != nil {
		return Amounts{}, err
	}
	memory, err := parseQuantity("memory", b.Memory)
	if err != nil {
		return Amounts{}, err
	}
	return Amounts{CPU: cpu, Memory: memory, Pods: b.Pods}, nil
}

func parseQuantity(field string, q *Quantity) (*resource.Quantity, error) {
	if q == nil {
		return nil, nil
	}
	parsed, err := resource.ParseQuantity(q.String())
	if err != nil {
		return nil, fmt.Errorf("%s %q is not a quantity such as 2, 500m or 4Gi", field, q.String())
	}
	if parsed.Sign() < 0 {
		return nil, fmt.Errorf("%s %q is negative", field, q.String())
	}
	return &parsed, nil
}
