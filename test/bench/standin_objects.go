package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
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
	return &corev1.Pod{Spec: s.podSpec(), ObjectMeta: metav1.ObjectMeta{
		Name: s.name + "-1", Namespace: s.namespace, Labels: s.labels(),
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: s.name + "-1", UID: "stand-in", Controller: ptr.To(true)}},
	}}
}

// podSpec is the chart's.
func (s service) podSpec() corev1.PodSpec {
	return corev1.PodSpec{
		AutomountServiceAccountToken: ptr.To(false),
		SecurityContext:              &corev1.PodSecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{{Name: s.name, Image: s.image, Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")},
			Limits:   corev1.ResourceList{"memory": resource.MustParse("256Mi")},
		}}},
	}
}

// rolled is the status of a Deployment with its one pod there, and so many available.
func rolled(d *appsv1.Deployment, available int32) appsv1.DeploymentStatus {
	status := appsv1.DeploymentStatus{
		ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: available, AvailableReplicas: available,
		UnavailableReplicas: 1 - available,
		Conditions:          []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "ReplicaSetUpdated"}},
	}
	if available > 0 {
		status.Conditions = append(status.Conditions, appsv1.DeploymentCondition{
			Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable",
		})
	}
	return status
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

// compared is Argo CD's status after a comparison with what the Application names now.
func (s service) compared(app *unstructured.Unstructured, sync string) map[string]any {
	spec := app.Object["spec"].(map[string]any) // required by its CRD
	return map[string]any{
		"sync": map[string]any{
			"status": sync, "revision": revision,
			"comparedTo": map[string]any{"source": spec["source"], "destination": spec["destination"]},
		},
		"health":       map[string]any{"status": "Missing"},
		"reconciledAt": time.Now().UTC().Format(time.RFC3339),
		"resources": []any{map[string]any{
			"group": appsv1.GroupName, "version": "v1", "kind": "Deployment", "namespace": s.namespace, "name": s.name, "status": sync,
		}},
	}
}

// operation is Argo CD's status of a sync.
func (s service) operation(app *unstructured.Unstructured, phase string) map[string]any {
	spec := app.Object["spec"].(map[string]any)
	now := time.Now().UTC().Format(time.RFC3339)
	state := map[string]any{
		"phase": phase, "startedAt": now,
		"operation":  map[string]any{"sync": map[string]any{"revision": revision}},
		"syncResult": map[string]any{"revision": revision, "source": spec["source"]},
	}
	if phase != "Running" {
		state["message"], state["finishedAt"] = "successfully synced", now
	}
	return map[string]any{"operationState": state}
}

// synced is Argo CD's status once it has applied everything.
func (s service) synced(app *unstructured.Unstructured) map[string]any {
	status := s.compared(app, "Synced")
	status["health"] = map[string]any{"status": "Progressing"}
	maps.Copy(status, s.operation(app, "Succeeded"))
	return status
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
