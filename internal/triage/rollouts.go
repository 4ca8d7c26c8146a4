package triage

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/internal/finding"
)

// symptoms are of a workload that lacks pods, whatever keeps them.
var symptoms = []string{"DM144", "DM142", "DM338", "DM124", "DM143"}

// after are the causes of a workload's trouble: what is wrong with it or hits it, and then
// what is told of its pods as symptoms.
func afterOf(top finding.Object, own string) []cause {
	var others []string
	for _, id := range symptoms {
		if id == own {
			break // those behind it follow from it
		}
		others = append(others, id)
	}
	causes := []cause{{top, nil}}
	if len(others) > 0 {
		causes = append(causes, cause{top, others})
	}
	return causes
}

func deploymentCondition(d *appsv1.Deployment, kind appsv1.DeploymentConditionType) *appsv1.DeploymentCondition {
	for i := range d.Status.Conditions {
		if d.Status.Conditions[i].Type == kind {
			return &d.Status.Conditions[i]
		}
	}
	return nil
}

// mayTakeDown says that a rollout takes old pods down before new ones are there.
func mayTakeDown(d *appsv1.Deployment) bool {
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return true
	}
	replicas := int(ptr.Deref(d.Spec.Replicas, 1))
	if d.Spec.Strategy.RollingUpdate == nil || d.Spec.Strategy.RollingUpdate.MaxUnavailable == nil {
		return replicas >= 4
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(d.Spec.Strategy.RollingUpdate.MaxUnavailable, replicas, false)
	return err == nil && n > 0
}

// rollouts are Deployments: DM124, DM125 and DM143. A rollout under way is none of them.
func rollouts(w *world) (all []found) {
	for _, d := range w.deployments {
		if d.DeletionTimestamp != nil {
			continue
		}
		ref := refOf(deploymentKind, d)
		if d.Spec.Paused {
			all = append(all, paused(d, ref)...)
			continue
		}
		progress, available := deploymentCondition(d, appsv1.DeploymentProgressing), deploymentCondition(d, appsv1.DeploymentAvailable)
		switch {
		case progress != nil && progress.Status == corev1.ConditionFalse && progress.Reason == "ProgressDeadlineExceeded":
			f := found{id: "DM124", object: ref, after: afterOf(ref, "DM124"), args: map[string]string{},
				message:  fmt.Sprintf("the rollout of %s made no progress in time", words(ref)),
				evidence: []finding.Evidence{{Object: ref, Field: "status.conditions[Progressing]", Value: said(progress.Reason + ": " + progress.Message), Time: progress.LastUpdateTime.Time}, counted(d, ref)}}
			if d.Status.AvailableReplicas > 0 {
				f.severity = finding.Warning
				f.message += "; the old version serves"
			}
			all = append(all, f)
		case available != nil && available.Status == corev1.ConditionFalse && w.since(available.LastTransitionTime.Time) >= slow:
			all = append(all, short(ref, d.Status.AvailableReplicas, ptr.Deref(d.Spec.Replicas, 1), available.LastTransitionTime.Time, "status.conditions[Available]"))
		}
	}
	return all
}

// paused is told of where a change waits for it.
func paused(d *appsv1.Deployment, ref finding.Object) []found {
	if d.Status.UpdatedReplicas >= ptr.Deref(d.Spec.Replicas, 1) {
		return nil
	}
	return []found{{id: "DM125", object: ref, args: map[string]string{}, message: fmt.Sprintf("%s is paused, and a change of it waits", words(ref)),
		evidence: []finding.Evidence{{Object: ref, Field: "spec.paused", Value: "true"}, counted(d, ref)}}}
}

// counted are the pods of a Deployment.
func counted(d *appsv1.Deployment, ref finding.Object) finding.Evidence {
	return finding.Evidence{Object: ref, Field: "status", Value: fmt.Sprintf("%d of %d pods are of the new version, and %d are available", d.Status.UpdatedReplicas, ptr.Deref(d.Spec.Replicas, 1), d.Status.AvailableReplicas)}
}

// short is a workload with fewer pods that serve than it asks for, for long.
func short(ref finding.Object, have, want int32, at time.Time, field string) found {
	f := found{id: "DM143", object: ref, after: afterOf(ref, "DM143"), args: map[string]string{},
		message:  fmt.Sprintf("%s has no pod available", words(ref)),
		evidence: []finding.Evidence{{Object: ref, Field: field, Value: fmt.Sprintf("%d of %d", have, want), Time: at}}}
	if have > 0 {
		f.severity, f.message = finding.Warning, fmt.Sprintf("%s has fewer pods available than it asks for", words(ref))
	}
	return f
}
