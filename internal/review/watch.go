package review

import (
	"context"
	"fmt"
	"unique"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

// Trim leaves of RBAC what says who may do what, and whether it changed: of a large cluster
// there are tens of thousands of bindings. Words that all of them have are held once.
func Trim(o any) (any, error) {
	switch x := o.(type) {
	case *rbacv1.ClusterRole:
		meta := metav1.ObjectMeta{Name: x.Name, ResourceVersion: x.ResourceVersion, Labels: x.Labels} // by which it is aggregated
		return &rbacv1.ClusterRole{ObjectMeta: meta, Rules: x.Rules, AggregationRule: x.AggregationRule}, nil
	case *rbacv1.Role:
		return &rbacv1.Role{ObjectMeta: bare(x), Rules: x.Rules}, nil
	case *rbacv1.ClusterRoleBinding:
		return &rbacv1.ClusterRoleBinding{ObjectMeta: bare(x), RoleRef: ref(x.RoleRef), Subjects: subjects(x.Subjects)}, nil
	case *rbacv1.RoleBinding:
		return &rbacv1.RoleBinding{ObjectMeta: bare(x), RoleRef: ref(x.RoleRef), Subjects: subjects(x.Subjects)}, nil
	}
	return o, nil
}

func bare(o client.Object) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: once(o.GetNamespace()), Name: once(o.GetName()), ResourceVersion: o.GetResourceVersion()}
}

func ref(r rbacv1.RoleRef) rbacv1.RoleRef {
	return rbacv1.RoleRef{APIGroup: once(r.APIGroup), Kind: once(r.Kind), Name: once(r.Name)}
}

func subjects(list []rbacv1.Subject) []rbacv1.Subject {
	out := make([]rbacv1.Subject, 0, len(list))
	for _, s := range list {
		out = append(out, rbacv1.Subject{APIGroup: once(s.APIGroup), Kind: once(s.Kind), Namespace: once(s.Namespace), Name: once(s.Name)})
	}
	return out
}

// once is a word that is held once, however often it is read.
func once(s string) string { return unique.Make(s).Value() }

// watch follows all that an answer may hang on: RBAC, which is read from there, and what the
// answers are made from by its generation.
func (r *Runner) watch(ctx context.Context) error {
	for _, o := range []client.Object{&rbacv1.ClusterRole{}, &rbacv1.ClusterRoleBinding{}, &rbacv1.Role{}, &rbacv1.RoleBinding{}} {
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
