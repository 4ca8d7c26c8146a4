package review

import (
	"context"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

var rbacKinds = []string{"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"}

// Trim leaves of an object what tells that it changed.
func Trim(o any) (any, error) {
	if m, ok := o.(*metav1.PartialObjectMetadata); ok {
		return &metav1.PartialObjectMetadata{TypeMeta: m.TypeMeta, ObjectMeta: metav1.ObjectMeta{
			Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion}}, nil
	}
	return o, nil
}

// watch follows all that an answer may hang on: RBAC by its metadata, and what the answers
// are made from by its generation.
func (r *Runner) watch(ctx context.Context) error {
	for _, kind := range rbacKinds {
		o := &metav1.PartialObjectMetadata{}
		o.SetGroupVersionKind(rbacv1.SchemeGroupVersion.WithKind(kind))
		if err := r.watchKind(ctx, r.RBAC, o, client.Object.GetResourceVersion); err != nil {
			return err
		}
	}
	for _, o := range []client.Object{&v1alpha1.OwnershipContract{}, &v1alpha1.Platform{}, &v1alpha1.Tenant{}} {
		if err := r.watchKind(ctx, r.Cache, o, func(o client.Object) string { return fmt.Sprint(o.GetGeneration()) }); err != nil {
			return err
		}
	}
	return nil
}

// watchKind notes each change of a kind by which what version says of it is another.
func (r *Runner) watchKind(ctx context.Context, from cache.Cache, kind client.Object, version func(client.Object) string) error {
	informer, err := from.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watch %T: %w", kind, err)
	}
	changed := func(any) { r.pace.changed(r.Clock.Now()) }
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: changed, DeleteFunc: changed,
		UpdateFunc: func(before, after any) {
			was, ok := before.(client.Object)
			is, too := after.(client.Object)
			if !ok || !too || version(was) != version(is) { // a resync changes nothing
				changed(after)
			}
		}})
	return err
}
