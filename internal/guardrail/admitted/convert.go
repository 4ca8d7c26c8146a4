package admitted

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Interfaces are what the API server's code is told of Kubernetes' own kinds: their types,
// and which of them is served in several versions, between which it converts.
type Interfaces struct {
	*runtime.Scheme
	runtime.EquivalentResourceRegistry
}

// NewInterfaces makes them.
func NewInterfaces() Interfaces {
	equivalent := runtime.NewEquivalentResourceRegistry()
	for _, gvk := range autoscalers {
		equivalent.RegisterKindFor(KindOf(gvk).Resource, "", gvk)
	}
	return Interfaces{builtin, equivalent}
}

// GetObjectCreater is part of admission.ObjectInterfaces.
func (i Interfaces) GetObjectCreater() runtime.ObjectCreater { return i.Scheme }

// GetObjectTyper is part of admission.ObjectInterfaces.
func (i Interfaces) GetObjectTyper() runtime.ObjectTyper { return i.Scheme }

// GetObjectDefaulter is part of admission.ObjectInterfaces.
func (i Interfaces) GetObjectDefaulter() runtime.ObjectDefaulter { return i.Scheme }

// GetObjectConvertor is part of admission.ObjectInterfaces.
func (i Interfaces) GetObjectConvertor() runtime.ObjectConvertor { return i.Scheme }

// GetEquivalentResourceMapper is part of admission.ObjectInterfaces.
func (i Interfaces) GetEquivalentResourceMapper() runtime.EquivalentResourceMapper {
	return i.EquivalentResourceRegistry
}

// autoscalers are the versions of the one kind of a team that Kubernetes serves in two.
var autoscalers = []schema.GroupVersionKind{
	autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"),
	autoscalingv1.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"),
}

func addConversions(s *runtime.Scheme) error {
	if err := s.AddConversionFunc((*autoscalingv1.HorizontalPodAutoscaler)(nil), (*autoscalingv2.HorizontalPodAutoscaler)(nil), func(a, b any, _ conversion.Scope) error {
		newer(a.(*autoscalingv1.HorizontalPodAutoscaler), b.(*autoscalingv2.HorizontalPodAutoscaler))
		return nil
	}); err != nil {
		return err
	}
	return s.AddConversionFunc((*autoscalingv2.HorizontalPodAutoscaler)(nil), (*autoscalingv1.HorizontalPodAutoscaler)(nil), func(a, b any, _ conversion.Scope) error {
		older(a.(*autoscalingv2.HorizontalPodAutoscaler), b.(*autoscalingv1.HorizontalPodAutoscaler))
		return nil
	})
}

func newer(from *autoscalingv1.HorizontalPodAutoscaler, to *autoscalingv2.HorizontalPodAutoscaler) {
	to.ObjectMeta = *from.ObjectMeta.DeepCopy()
	to.Spec = autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference(from.Spec.ScaleTargetRef),
		MinReplicas:    from.Spec.MinReplicas, MaxReplicas: from.Spec.MaxReplicas,
	}
	utilization := int32(defaultUtilization)
	if from.Spec.TargetCPUUtilizationPercentage != nil {
		utilization = *from.Spec.TargetCPUUtilizationPercentage
	}
	to.Spec.Metrics = []autoscalingv2.MetricSpec{cpuMetric(utilization)}
	to.Status = autoscalingv2.HorizontalPodAutoscalerStatus{ObservedGeneration: from.Status.ObservedGeneration, LastScaleTime: from.Status.LastScaleTime,
		CurrentReplicas: from.Status.CurrentReplicas, DesiredReplicas: from.Status.DesiredReplicas}
}

func older(from *autoscalingv2.HorizontalPodAutoscaler, to *autoscalingv1.HorizontalPodAutoscaler) {
	to.ObjectMeta = *from.ObjectMeta.DeepCopy()
	to.Spec = autoscalingv1.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv1.CrossVersionObjectReference(from.Spec.ScaleTargetRef),
		MinReplicas:    from.Spec.MinReplicas, MaxReplicas: from.Spec.MaxReplicas,
	}
	for _, m := range from.Spec.Metrics {
		if m.Resource != nil && m.Resource.Name == "cpu" && m.Resource.Target.AverageUtilization != nil {
			to.Spec.TargetCPUUtilizationPercentage = m.Resource.Target.AverageUtilization
		}
	}
	to.Status = autoscalingv1.HorizontalPodAutoscalerStatus{ObservedGeneration: from.Status.ObservedGeneration, LastScaleTime: from.Status.LastScaleTime,
		CurrentReplicas: from.Status.CurrentReplicas, DesiredReplicas: from.Status.DesiredReplicas}
}
