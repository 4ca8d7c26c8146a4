package operator

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/controller/ownershipcontract"
	"demarc.dev/demarc/internal/controller/tenant"
	"demarc.dev/demarc/internal/kube"
)

// cacheSyncTimeout: a cache that cannot sync makes the operator unready and says
// so; it does not end it, since what it lacks (a right, mostly) may be given back.
const cacheSyncTimeout = 365 * 24 * time.Hour

// keptKinds are cached only where they carry our label.
var keptKinds = append(slices.Concat(tenant.Kept, ownershipcontract.Kept),
	schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"})

// cacheOptions keeps the cache to what is ours: what carries our label, one
// ConfigMap of Argo CD's, and of workloads what proves a claim.
func cacheOptions(watches *watchHealth) cache.Options {
	by := map[client.Object]cache.ByObject{
		&corev1.ConfigMap{}:   {Field: fields.OneTermEqualSelector("metadata.name", argocd.ConfigMap)},
		&corev1.Pod{}:         {Label: has(v1alpha1.LabelClaim), Transform: trimPod},
		&appsv1.Deployment{}:  {Transform: trim},
		&appsv1.StatefulSet{}: {Transform: trim},
		&appsv1.DaemonSet{}:   {Transform: trim},
		&batchv1.Job{}:        {Label: has(v1alpha1.LabelClaim), Transform: trim},
		&batchv1.CronJob{}:    {Label: has(v1alpha1.LabelClaim), Transform: trim},
	}
	for _, gvk := range keptKinds {
		like := kube.Like(gvk)
		by[&like] = cache.ByObject{Label: has(v1alpha1.LabelOwner), Transform: trim}
	}
	return cache.Options{
		ByObject:                 by,
		DefaultTransform:         trim,
		DefaultWatchErrorHandler: watches.failed,
	}
}

// argoCacheOptions keeps the cache of Argo CD's kinds to what is ours.
func argoCacheOptions(mgr ctrl.Manager, watches *watchHealth) cache.Options {
	return cache.Options{
		Scheme:                   mgr.GetScheme(),
		Mapper:                   mgr.GetRESTMapper(),
		HTTPClient:               mgr.GetHTTPClient(),
		DefaultLabelSelector:     has(v1alpha1.LabelOwner),
		DefaultTransform:         trim,
		DefaultWatchErrorHandler: watches.failed,
	}
}

func has(label string) labels.Selector {
	r, err := labels.NewRequirement(label, selection.Exists, nil)
	if err != nil {
		panic("operator: a label of ours that is none: " + err.Error())
	}
	return labels.NewSelector().Add(*r)
}

// trim drops what nothing here reads and what takes most of the room.
func trim(o any) (any, error) {
	if m, ok := o.(client.Object); ok {
		m.SetManagedFields(nil)
	}
	if u, ok := o.(*unstructured.Unstructured); ok && u.GroupVersionKind() == argocd.ApplicationKind {
		unstructured.RemoveNestedField(u.Object, "status", "history")
		unstructured.RemoveNestedField(u.Object, "status", "operationState", "operation")
	}
	return o, nil
}

// trimPod keeps of a pod its labels, images and status.
func trimPod(o any) (any, error) {
	p, ok := o.(*corev1.Pod)
	if !ok {
		return o, nil
	}
	p.ManagedFields, p.Annotations = nil, nil
	spec := corev1.PodSpec{}
	for _, c := range p.Spec.Containers {
		spec.Containers = append(spec.Containers, corev1.Container{Name: c.Name, Image: c.Image})
	}
	p.Spec = spec
	return p, nil
}

func controllerOptions(o Options) config.Controller {
	return config.Controller{
		CacheSyncTimeout:   cacheSyncTimeout,
		SkipNameValidation: ptr.To(o.SkipNameValidation),
	}
}

// watchHealth remembers watches that the API server refuses.
type watchHealth struct {
	mu      sync.Mutex
	refused map[string]failure
}

type failure struct {
	err  error
	when time.Time
}

// refusalAge is how long after a refusal a watch counts as failing. A reflector
// tries again within half a minute, so one that is refused still renews it.
const refusalAge = 45 * time.Second

// failed is told by every reflector of a list or watch that failed.
func (w *watchHealth) failed(ctx context.Context, r *toolscache.Reflector, err error) {
	toolscache.DefaultWatchErrorHandler(ctx, r, err)
	if !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused == nil {
		w.refused = map[string]failure{}
	}
	w.refused[r.TypeDescription()] = failure{err, time.Now()}
}

// check is an error while a watch is refused.
func (w *watchHealth) check() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for kind, f := range w.refused {
		if time.Since(f.when) < refusalAge {
			return fmt.Errorf("the operator may not watch %s: %w", kind, f.err)
		}
	}
	return nil
}
