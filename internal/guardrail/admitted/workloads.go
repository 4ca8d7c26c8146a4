package admitted

import (
	"math"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// pod are the defaults of pods alone, which their templates do not have.
func pod(p *corev1.Pod) {
	if s := p.Spec.TerminationGracePeriodSeconds; s != nil && *s < 0 {
		*s = 1
	}
	point(&p.Spec.EnableServiceLinks, corev1.DefaultEnableServiceLinks)
	for _, list := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for i := range list {
			c := &list[i]
			if c.Resources.Limits != nil {
				if c.Resources.Requests == nil {
					c.Resources.Requests = corev1.ResourceList{}
				}
				lay(c.Resources.Requests, c.Resources.Limits)
			}
			for j := range c.Ports {
				if p.Spec.HostNetwork {
					fill(&c.Ports[j].HostPort, c.Ports[j].ContainerPort)
				}
			}
		}
	}
}

func deployment(s *appsv1.DeploymentSpec) {
	point(&s.Replicas, 1)
	set(&s.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	if s.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
		point(&s.Strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
		point(&s.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
		point(&s.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
	}
	point(&s.RevisionHistoryLimit, 10)
	point(&s.ProgressDeadlineSeconds, 600)
}

func statefulSet(s *appsv1.StatefulSetSpec) {
	set(&s.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	if s.UpdateStrategy.Type == "" {
		s.UpdateStrategy.Type = appsv1.RollingUpdateStatefulSetStrategyType
		point(&s.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
	}
	if rolling := s.UpdateStrategy.RollingUpdate; s.UpdateStrategy.Type == appsv1.RollingUpdateStatefulSetStrategyType && rolling != nil {
		point(&rolling.Partition, 0)
		point(&rolling.MaxUnavailable, intstr.FromInt32(1))
	}
	point(&s.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{})
	set(&s.PersistentVolumeClaimRetentionPolicy.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	set(&s.PersistentVolumeClaimRetentionPolicy.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	point(&s.Replicas, 1)
	point(&s.RevisionHistoryLimit, 10)
	for i := range s.VolumeClaimTemplates {
		t := &s.VolumeClaimTemplates[i]
		t.APIVersion, t.Kind = "v1", "PersistentVolumeClaim"
	}
}

func daemonSet(s *appsv1.DaemonSetSpec) {
	set(&s.UpdateStrategy.Type, appsv1.RollingUpdateDaemonSetStrategyType)
	if s.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		point(&s.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
		point(&s.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
		point(&s.UpdateStrategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
	}
	point(&s.RevisionHistoryLimit, 10)
}

func replicationController(o *corev1.ReplicationController) {
	point(&o.Spec.Replicas, 1)
	if o.Spec.Template == nil || o.Spec.Template.Labels == nil {
		return
	}
	if len(o.Spec.Selector) == 0 {
		o.Spec.Selector = o.Spec.Template.Labels
	}
	if len(o.Labels) == 0 {
		o.Labels = o.Spec.Template.Labels
	}
}

func job(o *batchv1.Job) {
	s := &o.Spec
	if s.Parallelism == nil {
		point(&s.Completions, 1)
	}
	point(&s.Parallelism, 1)
	if s.BackoffLimitPerIndex != nil {
		point(&s.BackoffLimit, math.MaxInt32)
	}
	point(&s.BackoffLimit, 6)
	if s.Template.Labels != nil && len(o.Labels) == 0 {
		o.Labels = s.Template.Labels
	}
	point(&s.CompletionMode, batchv1.NonIndexedCompletion)
	point(&s.Suspend, false)
	replacement := batchv1.TerminatingOrFailed
	if s.PodFailurePolicy != nil {
		replacement = batchv1.Failed
	}
	point(&s.PodReplacementPolicy, replacement)
	point(&s.ManualSelector, false)
}

func cronJob(s *batchv1.CronJobSpec) {
	set(&s.ConcurrencyPolicy, batchv1.AllowConcurrent)
	point(&s.Suspend, false)
	point(&s.SuccessfulJobsHistoryLimit, 3)
	point(&s.FailedJobsHistoryLimit, 1)
}
