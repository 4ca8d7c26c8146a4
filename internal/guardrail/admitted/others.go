package admitted

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

func namespace(o *corev1.Namespace) {
	if o.Name == "" {
		return
	}
	if o.Labels == nil {
		o.Labels = map[string]string{}
	}
	o.Labels[corev1.LabelMetadataName] = o.Name
}

// secret has what was written as text among its data.
func secret(o *corev1.Secret) {
	set(&o.Type, corev1.SecretTypeOpaque)
	for key, text := range o.StringData {
		if o.Data == nil {
			o.Data = map[string][]byte{}
		}
		o.Data[key] = []byte(text)
	}
	o.StringData = nil
}

func service(s *corev1.ServiceSpec) {
	set(&s.SessionAffinity, corev1.ServiceAffinityNone)
	if s.SessionAffinity == corev1.ServiceAffinityNone {
		s.SessionAffinityConfig = nil
	}
	if c := s.SessionAffinityConfig; s.SessionAffinity == corev1.ServiceAffinityClientIP && (c == nil || c.ClientIP == nil || c.ClientIP.TimeoutSeconds == nil) {
		s.SessionAffinityConfig = &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: ptr.To(corev1.DefaultClientIPServiceAffinitySeconds)}}
	}
	set(&s.Type, corev1.ServiceTypeClusterIP)
	for i := range s.Ports {
		if p := &s.Ports[i]; p.TargetPort == intstr.FromInt32(0) || p.TargetPort == intstr.FromString("") {
			p.TargetPort = intstr.FromInt32(p.Port)
		}
	}
	traffic(s)
}

// traffic is by which nodes a Service is reached.
func traffic(s *corev1.ServiceSpec) {
	outside := s.Type == corev1.ServiceTypeLoadBalancer || s.Type == corev1.ServiceTypeNodePort
	if outside || s.Type == corev1.ServiceTypeClusterIP && len(s.ExternalIPs) > 0 {
		set(&s.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	}
	if outside || s.Type == corev1.ServiceTypeClusterIP {
		point(&s.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	}
	if s.Type == corev1.ServiceTypeLoadBalancer {
		point(&s.AllocateLoadBalancerNodePorts, true)
	}
}

func networkPolicy(s *networkingv1.NetworkPolicySpec) {
	if len(s.PolicyTypes) > 0 {
		return
	}
	s.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
	if len(s.Egress) > 0 {
		s.PolicyTypes = append(s.PolicyTypes, networkingv1.PolicyTypeEgress)
	}
}

// defaultUtilization is the share of its request, in per cent, that an autoscaler keeps
// CPU at where nothing else is said.
const defaultUtilization = 80

func autoscaler(s *autoscalingv2.HorizontalPodAutoscalerSpec) {
	point(&s.MinReplicas, 1)
	if len(s.Metrics) == 0 {
		s.Metrics = []autoscalingv2.MetricSpec{cpuMetric(defaultUtilization)}
	}
	if s.Behavior == nil {
		return
	}
	const period = 15
	percent := autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: period}
	s.Behavior.ScaleUp = scaling(s.Behavior.ScaleUp, ptr.To[int32](0),
		autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PodsScalingPolicy, Value: 4, PeriodSeconds: period}, percent)
	s.Behavior.ScaleDown = scaling(s.Behavior.ScaleDown, nil, percent)
}

// scaling fills the rules for one direction.
func scaling(r *autoscalingv2.HPAScalingRules, window *int32, policies ...autoscalingv2.HPAScalingPolicy) *autoscalingv2.HPAScalingRules {
	if r == nil {
		r = &autoscalingv2.HPAScalingRules{}
	}
	point(&r.SelectPolicy, autoscalingv2.MaxChangePolicySelect)
	if r.StabilizationWindowSeconds == nil {
		r.StabilizationWindowSeconds = window
	}
	if r.Policies == nil {
		r.Policies = policies
	}
	return r
}

func cpuMetric(utilization int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name:   corev1.ResourceCPU,
		Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &utilization},
	}}
}
