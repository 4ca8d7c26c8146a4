package testenv

import (
	"context"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/operator"
)

// StandIn plays Argo CD, the quota controller and the nodes, until the test ends:
// quotas are counted, Applications are synced, their Deployment runs what they ask.
func (e *Env) StandIn(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	scheme, err := operator.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(e.Config, ctrl.Options{
		Scheme: scheme, Metrics: server.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	if err != nil {
		t.Fatal(err)
	}
	app := &unstructured.Unstructured{}
	app.SetGroupVersionKind(argocd.ApplicationKind)
	s := standIn{e.Client}
	for _, add := range []error{
		ctrl.NewControllerManagedBy(mgr).Named("quota").For(&corev1.ResourceQuota{}).Complete(reconcileFunc(s.count)),
		ctrl.NewControllerManagedBy(mgr).Named("sync").For(app).Complete(reconcileFunc(s.sync)),
	} {
		if add != nil {
			t.Fatal(add)
		}
	}
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return stop
}

type reconcileFunc func(context.Context, ctrl.Request) error

func (f reconcileFunc) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, f(ctx, req)
}

type standIn struct{ client client.Client }

func (s standIn) count(ctx context.Context, req ctrl.Request) error {
	q := &corev1.ResourceQuota{}
	if err := s.client.Get(ctx, req.NamespacedName, q); err != nil {
		return client.IgnoreNotFound(err)
	}
	if len(q.Status.Hard) == len(q.Spec.Hard) {
		return nil
	}
	q.Status.Hard, q.Status.Used = q.Spec.Hard, corev1.ResourceList{}
	for name := range q.Spec.Hard {
		q.Status.Used[name] = resource.MustParse("0")
	}
	return s.client.Status().Update(ctx, q)
}

// sync delivers what the Application's values say, or takes it away.
func (s standIn) sync(ctx context.Context, req ctrl.Request) error {
	app := &unstructured.Unstructured{}
	app.SetGroupVersionKind(argocd.ApplicationKind)
	if err := s.client.Get(ctx, req.NamespacedName, app); err != nil {
		return client.IgnoreNotFound(err)
	}
	values, ok, _ := unstructured.NestedMap(app.Object, "spec", "source", "helm", "valuesObject")
	if !ok {
		return nil
	}
	ns, _, _ := unstructured.NestedString(app.Object, "spec", "destination", "namespace")
	name, image, replicas := values["claim"].(string), values["image"].(string), int32(values["replicas"].(int64))
	kind, _ := values["kind"].(string)
	if app.GetDeletionTimestamp() != nil {
		return s.remove(ctx, app, ns, name)
	}
	tracked := map[string]any{"group": "apps", "version": "v1", "kind": "Deployment", "namespace": ns, "name": name, "status": "Synced"}
	var err error
	switch v1alpha1.ClaimKind(kind) {
	case v1alpha1.KindStateful, v1alpha1.KindJob, v1alpha1.KindCronJob:
		err = s.deployOther(ctx, tracked, v1alpha1.ClaimKind(kind), image, app.GetName(), replicas)
	default:
		err = s.deploy(ctx, ns, name, image, replicas, app.GetName())
	}
	if err != nil {
		return err
	}
	source, _, _ := unstructured.NestedMap(app.Object, "spec", "source")
	destination, _, _ := unstructured.NestedMap(app.Object, "spec", "destination")
	status := map[string]any{
		"sync":      map[string]any{"status": "Synced", "revision": "1", "comparedTo": map[string]any{"source": source, "destination": destination}},
		"health":    map[string]any{"status": "Healthy"},
		"resources": []any{tracked},
	}
	patch := &unstructured.Unstructured{Object: map[string]any{"status": status}}
	patch.SetGroupVersionKind(argocd.ApplicationKind)
	patch.SetNamespace(app.GetNamespace())
	patch.SetName(app.GetName())
	return s.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(patch), client.FieldOwner("stand-in"), client.ForceOwnership)
}

func (s standIn) deploy(ctx context.Context, ns, name, image string, replicas int32, app string) error {
	labels := map[string]string{v1alpha1.LabelClaim: name}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
		AutomountServiceAccountToken: ptr.To(false),
		Containers:                   []corev1.Container{{Name: name, Image: image}}}}
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Labels: labels,
			Annotations: map[string]string{"argocd.argoproj.io/tracking-id": app + ":apps/Deployment:" + ns + "/" + name}},
		Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template},
	}
	if err := s.client.Create(ctx, d); client.IgnoreAlreadyExists(err) != nil {
		return err
	} else if err != nil {
		if err := s.client.Update(ctx, d); err != nil {
			return err
		}
	}
	for i := range replicas {
		pod := &corev1.Pod{Spec: *template.Spec.DeepCopy(), ObjectMeta: metav1.ObjectMeta{
			Namespace: ns, Name: name + "-" + string('a'+i), Labels: labels,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: name + "-1", UID: d.UID, Controller: ptr.To(true)}},
		}}
		// Looked for first: a creation that fails counts in the quota all the same.
		if err := s.client.Get(ctx, client.ObjectKeyFromObject(pod), &corev1.Pod{}); !apierrors.IsNotFound(err) {
			if err != nil {
				return err
			}
			continue
		}
		if err := s.client.Create(ctx, pod); err != nil {
			return err
		}
		pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}
		if err := s.client.Status().Update(ctx, pod); err != nil {
			return err
		}
	}
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas}
	return s.client.Status().Update(ctx, d)
}

func (s standIn) remove(ctx context.Context, app *unstructured.Unstructured, ns, name string) error {
	key := metav1.ObjectMeta{Namespace: ns, Name: name}
	for _, o := range []client.Object{&appsv1.Deployment{ObjectMeta: key}, &appsv1.StatefulSet{ObjectMeta: key}, &batchv1.CronJob{ObjectMeta: key}} {
		if err := client.IgnoreNotFound(s.client.Delete(ctx, o)); err != nil {
			return err
		}
	}
	if err := s.client.DeleteAllOf(ctx, &batchv1.Job{}, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelClaim: name},
		client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		return err
	}
	app.SetFinalizers(nil)
	return client.IgnoreNotFound(s.client.Update(ctx, app))
}
