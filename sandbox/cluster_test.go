package sandbox_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"demarc.dev/demarc/sandbox"
)

func testDeployment(t *testing.T, c kubernetes.Interface) {
	labels := map[string]string{"app": "web"}
	replicas := int32(3)
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec("registry.example/web:1")},
	}}
	if _, err := c.AppsV1().Deployments("team").Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, 3*time.Minute, func(ctx context.Context) error {
		d, err := c.AppsV1().Deployments("team").Get(ctx, "web", metav1.GetOptions{})
		if err == nil && d.Status.ReadyReplicas != replicas {
			err = fmt.Errorf("%d pods are ready", d.Status.ReadyReplicas)
		}
		return err
	})
}

func podSpec(image string) corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: image}}}
}

func testImages(t *testing.T, c kubernetes.Interface) {
	waiting := func(reason string) func(corev1.ContainerStatus) bool {
		return func(s corev1.ContainerStatus) bool {
			return s.State.Waiting != nil && s.State.Waiting.Reason == reason && !s.Ready
		}
	}
	for host, ok := range map[string]func(corev1.ContainerStatus) bool{
		"unpullable": waiting("ImagePullBackOff"),
		"crashing": func(s corev1.ContainerStatus) bool {
			return waiting("CrashLoopBackOff")(s) && s.RestartCount > 0 && s.LastTerminationState.Terminated.ExitCode == 1
		},
		"unready": func(s corev1.ContainerStatus) bool { return s.State.Running != nil && !s.Ready },
	} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: host}, Spec: podSpec(host + ".invalid/team/app:1")}
		if _, err := c.CoreV1().Pods("team").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, 3*time.Minute, func(ctx context.Context) error {
			pod, err := c.CoreV1().Pods("team").Get(ctx, host, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if len(pod.Status.ContainerStatuses) != 1 || !ok(pod.Status.ContainerStatuses[0]) {
				return fmt.Errorf("%s: %+v", host, pod.Status.ContainerStatuses)
			}
			return nil
		})
	}
}

const configMap = `apiVersion: v1
kind: ConfigMap
metadata: {name: delivered}
data: {by: argocd}
`

func testArgoCD(t *testing.T, s *sandbox.Sandbox) {
	repo, err := s.Repository(t.Context(), "delivery")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Commit(t.Context(), "first", map[string][]byte{"app/cm.yaml": []byte(configMap)}); err != nil {
		t.Fatal(err)
	}
	config, err := s.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	apps := dynamic.NewForConfigOrDie(config).Resource(schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}).Namespace("argocd")
	app := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": map[string]any{"name": "delivery"},
		"spec": map[string]any{
			"project":     "default",
			"source":      map[string]any{"repoURL": repo.URL(), "path": "app", "targetRevision": "main"},
			"destination": map[string]any{"server": "https://kubernetes.default.svc", "namespace": "team"},
			"syncPolicy":  map[string]any{"automated": map[string]any{}},
		},
	}}
	if _, err := apps.Create(t.Context(), app, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, 3*time.Minute, func(ctx context.Context) error {
		app, err := apps.Get(ctx, "delivery", metav1.GetOptions{})
		if err != nil {
			return err
		}
		sync, _, _ := unstructured.NestedString(app.Object, "status", "sync", "status")
		health, _, _ := unstructured.NestedString(app.Object, "status", "health", "status")
		if sync != "Synced" || health != "Healthy" {
			conditions, _, _ := unstructured.NestedSlice(app.Object, "status", "conditions")
			return fmt.Errorf("%s, %s: %v", sync, health, conditions)
		}
		return nil
	})
	if out := kubectl(t, s, "get", "configmap", "-n", "team", "delivered", "-o", "jsonpath={.data.by}"); out != "argocd" {
		t.Errorf("delivered: %q", out)
	}
}
