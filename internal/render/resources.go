package render

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"demarc.dev/demarc/api/v1alpha1"
)

// What the chart gives a container that says nothing; a test holds it against the chart.
var (
	RoadCPURequest    = resource.MustParse("100m")
	RoadMemoryRequest = resource.MustParse("128Mi")
	RoadMemoryLimit   = resource.MustParse("256Mi")
)

var one = intstr.FromInt32(1)

// resources are what a container asks for where it says something. The other half of what
// it says is moved along: a request above the road's limit raises that, a limit below the
// road's request lowers that. Amounts stay as they are written.
func resources(r *v1alpha1.ClaimResources) map[string]any {
	if r == nil || r.Requests == nil && r.Limits == nil {
		return nil
	}
	var asked, most v1alpha1.ClaimAmounts
	if r.Requests != nil {
		asked = *r.Requests
	}
	if r.Limits != nil {
		most = *r.Limits
	}
	if asked.CPU == nil {
		asked.CPU = lower(RoadCPURequest, most.CPU)
	}
	if asked.Memory == nil {
		asked.Memory = lower(RoadMemoryRequest, most.Memory)
	}
	if most.Memory == nil {
		most.Memory = raised(RoadMemoryLimit, asked.Memory)
	}
	return map[string]any{"requests": amounts(asked), "limits": amounts(most)}
}

func amounts(a v1alpha1.ClaimAmounts) map[string]any {
	v := map[string]any{}
	for name, q := range map[string]*v1alpha1.Quantity{"cpu": a.CPU, "memory": a.Memory} {
		if q != nil {
			v[name] = q.String()
		}
	}
	return v
}

// lower is the road's own amount, or a limit that is below it.
func lower(road resource.Quantity, limit *v1alpha1.Quantity) *v1alpha1.Quantity {
	if q := parsed(limit); q != nil && q.Cmp(road) < 0 {
		return limit
	}
	own := intstr.FromString(road.String())
	return &own
}

// raised is the road's own amount, or a request that is above it.
func raised(road resource.Quantity, request *v1alpha1.Quantity) *v1alpha1.Quantity {
	if q := parsed(request); q != nil && q.Cmp(road) > 0 {
		return request
	}
	own := intstr.FromString(road.String())
	return &own
}

// parsed is nil for what is absent; admission refuses what does not parse.
func parsed(q *v1alpha1.Quantity) *resource.Quantity {
	if q == nil {
		return nil
	}
	p, err := resource.ParseQuantity(q.String())
	if err != nil {
		return nil
	}
	return &p
}
