package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"demarc.dev/demarc/test/poll"
)

// standIn plays Argo CD, the controllers of Deployments and quotas, and the kubelets: for each Application that appears it
// writes what they would, in nine writes: each state that the operator tells apart, once. The real ones write more.
//
//	Application:  out of sync → syncing →            synced, progressing →                                healthy
//	Deployment:                          created                         → unavailable →       available
//	Pod:                                                                              created → ready
//
// The API server itself counts the pod in the quota.
type standIn struct {
	client  kubernetes.Interface
	dynamic dynamic.Interface
	// counted holds a channel for each namespace, closed when its quota has figures: before that no pod is admitted.
	counted sync.Map
	quotas  chan *corev1.ResourceQuota
	apps    chan *unstructured.Unstructured
	// finished are the Applications that are healthy.
	finished *tally
}

// workers of the stand-in for Applications, and as many again for quotas.
const workers = 16

// play begins to play; a failure ends the context with its cause.
func play(ctx context.Context, fail context.CancelCauseFunc, g *ground, o Options) (*standIn, error) {
	config, err := g.admin(standInActor)
	if err != nil {
		return nil, err
	}
	all := o.Tenants * o.Claims
	s := &standIn{
		quotas: make(chan *corev1.ResourceQuota, o.Tenants), apps: make(chan *unstructured.Unstructured, all), finished: newTally(all),
	}
	if s.client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	if s.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	group, workCtx := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error { return each(workCtx, s.quotas, s.count) })
		group.Go(func() error { return each(workCtx, s.apps, s.deliver) })
	}
	go func() {
		if err := group.Wait(); err != nil && ctx.Err() == nil {
			fail(fmt.Errorf("the stand-in: %w", err))
		}
	}()
	if err := watch(ctx, s.dynamic, applications, func(u *unstructured.Unstructured, added bool) {
		if added {
			s.apps <- u
		}
	}); err != nil {
		return nil, err
	}
	return s, watch(ctx, s.dynamic, corev1.SchemeGroupVersion.WithResource("resourcequotas"), s.sawQuota)
}

func (s *standIn) sawQuota(u *unstructured.Unstructured, added bool) {
	var quota corev1.ResourceQuota
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &quota); err != nil {
		return // the API server's own object
	}
	if added {
		s.quotas <- &quota
		return
	}
	gate := s.gate(quota.Namespace)
	select {
	case <-gate:
	default:
		close(gate) // only this watch closes, one event after the other
	}
}

func (s *standIn) gate(namespace string) chan struct{} {
	gate, _ := s.counted.LoadOrStore(namespace, make(chan struct{}))
	return gate.(chan struct{})
}

// count gives a quota its first figures, as the quota controller would, and its namespace the account that pods without one
// of their own run as.
func (s *standIn) count(ctx context.Context, quota *corev1.ResourceQuota) error {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: quota.Namespace, Name: "default"}}
	if _, err := s.client.CoreV1().ServiceAccounts(quota.Namespace).Create(ctx, account, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	quota.Status = corev1.ResourceQuotaStatus{Hard: quota.Spec.Hard, Used: corev1.ResourceList{}}
	for name := range quota.Spec.Hard {
		quota.Status.Used[name] = resource.MustParse("0")
	}
	_, err := s.client.CoreV1().ResourceQuotas(quota.Namespace).UpdateStatus(ctx, quota, metav1.UpdateOptions{})
	return err
}

// deliver takes one Application to healthy.
func (s *standIn) deliver(ctx context.Context, app *unstructured.Unstructured) error {
	service := serviceOf(app)
	for _, status := range []map[string]any{service.compared(app, "OutOfSync"), service.operation(app, "Running")} {
		if err := s.patch(ctx, app, status); err != nil {
			return err
		}
	}
	deployment, err := s.client.AppsV1().Deployments(service.namespace).Create(ctx, service.deployment(), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := s.patch(ctx, app, service.synced(app)); err != nil {
		return err
	}
	deployments := s.client.AppsV1().Deployments(service.namespace)
	deployment.Status = rolled(deployment, 0)
	if deployment, err = deployments.UpdateStatus(ctx, deployment, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := s.pod(ctx, service); err != nil {
		return err
	}
	deployment.Status = rolled(deployment, 1)
	if _, err := deployments.UpdateStatus(ctx, deployment, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := s.patch(ctx, app, healthy); err != nil {
		return err
	}
	s.finished.mark(app.GetName())
	return nil
}

// pod makes the one pod of a service and says that it is ready.
func (s *standIn) pod(ctx context.Context, service service) error {
	select {
	case <-s.gate(service.namespace):
	case <-ctx.Done():
		return nil
	}
	var pod *corev1.Pod
	err := poll.Until(ctx, 20*time.Millisecond, time.Minute, "create pod of "+service.name, func(ctx context.Context) (done bool, err error) {
		pod, err = s.client.CoreV1().Pods(service.namespace).Create(ctx, service.pod(), metav1.CreateOptions{})
		if err != nil && !apierrors.IsForbidden(err) && !apierrors.IsConflict(err) { // its quota is being counted
			return false, err
		}
		return err == nil, err
	})
	if err != nil {
		return err
	}
	pod.Status = running(pod)
	_, err = s.client.CoreV1().Pods(service.namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}
