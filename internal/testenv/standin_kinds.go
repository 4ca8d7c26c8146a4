package testenv

import (
	"context"
	"fmt"
	"hash/fnv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

// deployOther makes what a claim of another kind than service runs as, and says in tracked
// what that is. A StatefulSet runs at once; of a Job and a CronJob the test says how they go.
func (s standIn) deployOther(ctx context.Context, tracked map[string]any, kind v1alpha1.ClaimKind, image, app string, replicas int32) error {
	ns, claim := tracked["namespace"].(string), tracked["name"].(string)
	labels := map[string]string{v1alpha1.LabelClaim: claim}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
		AutomountServiceAccountToken: ptr.To(false), Containers: []corev1.Container{{Name: claim, Image: image}}}}
	meta := metav1.ObjectMeta{Namespace: ns, Name: claim, Labels: labels}
	track := func(group, kind string) {
		tracked["group"], tracked["kind"], tracked["name"] = group, kind, meta.Name
		meta.Annotations = map[string]string{"argocd.argoproj.io/tracking-id": fmt.Sprintf("%s:%s/%s:%s/%s", app, group, kind, ns, meta.Name)}
	}
	switch kind {
	case v1alpha1.KindStateful:
		track("apps", "StatefulSet")
		return s.deployStateful(ctx, &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template}})
	case v1alpha1.KindJob:
		of := fnv.New32a()
		_, _ = of.Write([]byte(image))
		meta.Name = fmt.Sprintf("%s-%08x", claim, of.Sum32())
		track("batch", "Job")
		template.Spec.RestartPolicy = corev1.RestartPolicyNever
		return client.IgnoreAlreadyExists(s.client.Create(ctx, &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Template: template}}))
	default:
		track("batch", "CronJob")
		template.Spec.RestartPolicy = corev1.RestartPolicyNever
		return client.IgnoreAlreadyExists(s.client.Create(ctx, &batchv1.CronJob{ObjectMeta: meta, Spec: batchv1.CronJobSpec{
			Schedule: "@daily", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: template}}}}))
	}
}

func (s standIn) deployStateful(ctx context.Context, set *appsv1.StatefulSet) error {
	if err := s.client.Create(ctx, set); client.IgnoreAlreadyExists(err) != nil {
		return err
	} else if err != nil {
		if err := s.client.Get(ctx, client.ObjectKeyFromObject(set), set); err != nil {
			return err
		}
	}
	n := *set.Spec.Replicas
	for i := range n {
		pod := &corev1.Pod{Spec: *set.Spec.Template.Spec.DeepCopy(), ObjectMeta: metav1.ObjectMeta{
			Namespace: set.Namespace, Name: fmt.Sprintf("%s-%d", set.Name, i), Labels: set.Labels,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "StatefulSet", Name: set.Name, UID: set.UID, Controller: ptr.To(true)}},
		}}
		if err := s.client.Create(ctx, pod); client.IgnoreAlreadyExists(err) != nil {
			return err
		} else if err != nil {
			continue
		}
		pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}
		if err := s.client.Status().Update(ctx, pod); err != nil {
			return err
		}
	}
	set.Status = appsv1.StatefulSetStatus{ObservedGeneration: set.Generation, Replicas: n, UpdatedReplicas: n, ReadyReplicas: n, AvailableReplicas: n,
		CurrentRevision: set.Name + "-1", UpdateRevision: set.Name + "-1"}
	return s.client.Status().Update(ctx, set)
}
