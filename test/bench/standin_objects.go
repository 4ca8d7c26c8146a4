package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/ownership"
)

// revision that the stand-in claims to have delivered.
const revision = "0123456789abcdef0123456789abcdef01234567"

// service is what charts/service would be rendered with.
type service struct{ application, namespace, name, team, image string }

func serviceOf(app *unstructured.Unstructured) service {
	value := func(key string) string {
		text, _, _ := unstructured.NestedString(app.Object, "spec", "source", "helm", "valuesObject", key)
		return text
	}
	team := value("team")
	return service{
		application: app.GetName(), namespace: v1alpha1.NamespaceOf(team), name: value("claim"), team: team, image: value("image"),
	}
}

func (s service) labels() map[string]string {
	return map[string]string{
		"app.kubernetes.io/name": s.name, "app.kubernetes.io/managed-by": "demarc",
		v1alpha1.LabelTeam: s.team, v1alpha1.LabelClaim: s.name,
	}
}

func (s service) deployment() *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: s.name, Namespace: s.namespace, Labels: s.labels(), Annotations: map[string]string{
			"argocd.argoproj.io/tracking-id": fmt.Sprintf("%s:apps/Deployment:%s/%s", s.application, s.namespace, s.name),
		}},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](1),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelClaim: s.name}},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: s.labels()}, Spec: s.podSpec()},
		},
	}
}

func (s service) pod() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: s.name + "-1", Namespace: s.namespace, Labels: s.labels()}, Spec: s.podSpec()}
}

// podSpec is the chart's but for the account: nobody makes the account "default" here.
func (s service) podSpec() corev1.PodSpec {
	return corev1.PodSpec{
		ServiceAccountName:           ownership.DeliverAccount,
		AutomountServiceAccountToken: ptr.To(false),
		SecurityContext:              &corev1.PodSecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{{Name: s.name, Image: s.image, Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")},
			Limits:   corev1.ResourceList{"memory": resource.MustParse("256Mi")},
		}}},
	}
}

func available(d *appsv1.Deployment) appsv1.DeploymentStatus {
	return appsv1.DeploymentStatus{
		ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
		Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable"}},
	}
}

func running(p *corev1.Pod) corev1.PodStatus {
	c := p.Spec.Containers[0]
	return corev1.PodStatus{
		Phase:      corev1.PodRunning,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		ContainerStatuses: []corev1.ContainerStatus{{Name: c.Name, Image: c.Image, Ready: true, Started: ptr.To(true),
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}}},
	}
}

// synced is Argo CD's status once it has applied what the Application names.
func (s service) synced(app *unstructured.Unstructured) map[string]any {
	spec := app.Object["spec"].(map[string]any) // required by its CRD
	now := time.Now().UTC().Format(time.RFC3339)
	return map[string]any{
		"sync": map[string]any{
			"status": "Synced", "revision": revision,
			"comparedTo": map[string]any{"source": spec["source"], "destination": spec["destination"]},
		},
		"health":       map[string]any{"status": "Progressing"},
		"reconciledAt": now,
		"operationState": map[string]any{
			"phase": "Succeeded", "message": "successfully synced", "startedAt": now, "finishedAt": now,
			"operation":  map[string]any{"sync": map[string]any{"revision": revision}},
			"syncResult": map[string]any{"revision": revision, "source": spec["source"]},
		},
		"resources": []any{map[string]any{
			"group": appsv1.GroupName, "version": "v1", "kind": "Deployment", "namespace": s.namespace, "name": s.name, "status": "Synced",
		}},
	}
}

var healthy = map[string]any{"health": map[string]any{"status": "Healthy"}}

// patch writes an Application's status as Argo CD does: its kind has no status subresource.
func (s *standIn) patch(ctx context.Context, app *unstructured.Unstructured, status map[string]any) error {
	body, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	_, err = s.dynamic.Resource(applications).Namespace(app.GetNamespace()).Patch(ctx, app.GetName(), types.MergePatchType, body, metav1.PatchOptions{})
	return err
}
