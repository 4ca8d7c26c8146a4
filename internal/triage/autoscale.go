package triage

import (
	"cmp"
	"fmt"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finding"
)

// autoscalers are HorizontalPodAutoscalers: DM139, DM140, DM333 to DM335. One at its minimum,
// or whose target is scaled to zero, is as it should be.
func autoscalers(w *world) (all []found) {
	for _, a := range w.autoscalers {
		if a.DeletionTimestamp == nil {
			all = append(all, w.autoscaler(a)...)
		}
	}
	return all
}

func scalerCondition(a *autoscalingv2.HorizontalPodAutoscaler, kind autoscalingv2.HorizontalPodAutoscalerConditionType) autoscalingv2.HorizontalPodAutoscalerCondition {
	for _, c := range a.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return autoscalingv2.HorizontalPodAutoscalerCondition{}
}

func (w *world) autoscaler(a *autoscalingv2.HorizontalPodAutoscaler) []found {
	ref, target := refOf(autoscalerKind, a), scaleTarget(a)
	of := func(id, message string, c autoscalingv2.HorizontalPodAutoscalerCondition) []found {
		return []found{{id: id, object: ref, message: fmt.Sprintf("the autoscaler %s %s: %s", a.Name, message, said(c.Message)), args: map[string]string{},
			evidence: []finding.Evidence{{Object: ref, Field: fmt.Sprintf("status.conditions[%s]", c.Type), Value: said(string(c.Status) + " " + c.Reason + ": " + c.Message), Time: c.LastTransitionTime.Time}}}}
	}
	able, active, bounded := scalerCondition(a, autoscalingv2.AbleToScale), scalerCondition(a, autoscalingv2.ScalingActive), scalerCondition(a, autoscalingv2.ScalingLimited)
	switch {
	case able.Status == corev1.ConditionFalse && able.Reason == "FailedGetScale" && w.settled(able.LastTransitionTime.Time):
		return of("DM140", "has no target that can be scaled", able)
	case active.Status == corev1.ConditionFalse && (active.Reason == "AmbiguousSelector" || active.Reason == "InvalidSelector"):
		return of("DM139", "cannot tell which pods are its own", active)
	case active.Status == corev1.ConditionFalse && strings.HasPrefix(active.Reason, "FailedGet") && w.since(active.LastTransitionTime.Time) > slow/2:
		return noMetric(of, active, target, unnamed(a, active.Message))
	case bounded.Status == corev1.ConditionTrue && bounded.Reason == "TooManyReplicas" && w.since(bounded.LastTransitionTime.Time) > slow:
		list := of("DM335", fmt.Sprintf("is at its maximum of %d and would go on", a.Spec.MaxReplicas), bounded)
		list[0].evidence = append(list[0].evidence, finding.Evidence{Object: ref, Field: "spec.maxReplicas", Value: fmt.Sprint(a.Spec.MaxReplicas)})
		return list
	}
	return nil
}

func scaleTarget(a *autoscalingv2.HorizontalPodAutoscaler) finding.Object {
	t := a.Spec.ScaleTargetRef
	group, _, grouped := strings.Cut(t.APIVersion, "/")
	if !grouped {
		group = ""
	}
	return finding.Object{Group: group, Kind: t.Kind, Namespace: a.Namespace, Name: t.Name}
}

// unnamed are the words of a condition without the names of metrics and objects in them: these
// the team chose, and they may read like an API that does not answer.
func unnamed(a *autoscalingv2.HorizontalPodAutoscaler, message string) string {
	for _, m := range a.Spec.Metrics {
		var names []string
		if m.Pods != nil {
			names = append(names, m.Pods.Metric.Name)
		}
		if m.External != nil {
			names = append(names, m.External.Metric.Name)
		}
		if m.Object != nil {
			names = append(names, m.Object.Metric.Name, m.Object.DescribedObject.Name)
		}
		for _, name := range names {
			message = strings.ReplaceAll(message, cmp.Or(name, message), "…")
		}
	}
	return message
}

// noMetric tells a workload that says no requests from a metrics API that does not answer.
func noMetric(of func(string, string, autoscalingv2.HorizontalPodAutoscalerCondition) []found, c autoscalingv2.HorizontalPodAutoscalerCondition, target finding.Object, says string) []found {
	switch {
	case has(says, "missing request for"):
		list := of("DM334", "cannot reckon with "+words(target)+", which says no request", c)
		list[0].args["target"], list[0].args["targetKind"] = target.Name, strings.ToLower(target.Kind)
		return list
	case has(says, "unable to fetch metrics from", "could not find the requested resource", "the server is currently unable to handle the request", "no custom metrics API", "no external metrics API"):
		list := of("DM333", "gets no metrics", c)
		list[0].after = []cause{{metricsService(says), []string{"DM508"}}}
		list[0].shares = []finding.Object{metricsService(says)}
		return list
	case has(says, "no metrics returned", "did not receive metrics for", "no recommendation"):
		list := of("DM336", "gets no metrics of pods that are to be there", c)
		list[0].after = append([]cause{{target, nil}}, cause{target, symptoms})
		return list
	}
	return of("DM336", "gets no metrics", c)
}

// metricsService is the APIService behind which a metric would be.
func metricsService(message string) finding.Object {
	name := "v1beta1.metrics.k8s.io"
	switch {
	case has(message, "custom.metrics", "custom metrics"):
		name = "v1beta1.custom.metrics.k8s.io"
	case has(message, "external.metrics", "external metrics"):
		name = "v1beta1.external.metrics.k8s.io"
	}
	return finding.Object{Group: apiServiceKind.Group, Kind: apiServiceKind.Kind, Name: name}
}
