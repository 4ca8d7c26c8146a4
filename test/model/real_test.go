package model

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/test/model/world"
)

// realKinds are those that are played with and recorded.
var realKinds = map[string]schema.GroupVersionKind{}

func init() {
	for _, gvk := range []schema.GroupVersionKind{
		{Version: "v1", Kind: "Namespace"}, {Version: "v1", Kind: "ConfigMap"}, {Version: "v1", Kind: "ResourceQuota"},
		{Version: "v1", Kind: "LimitRange"}, {Version: "v1", Kind: "ServiceAccount"}, {Version: "v1", Kind: "PersistentVolumeClaim"},
		{Group: "apps", Version: "v1", Kind: "Deployment"}, {Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRoleBinding"},
		{Group: "argoproj.io", Version: "v1alpha1", Kind: "Application"}, {Group: "argoproj.io", Version: "v1alpha1", Kind: "AppProject"},
		{Group: "demarc.dev", Version: "v1alpha1", Kind: "Tenant"}, {Group: "demarc.dev", Version: "v1alpha1", Kind: "ServiceClaim"},
	} {
		realKinds[gvk.Kind] = gvk
	}
}

// realStore is a cluster elsewhere, as an administrator's hands reach it. What is
// refused is told and is no failure: much of what people do here is to be refused.
type realStore struct {
	ctx    context.Context
	client client.Client
	tell   func(string, ...any)
}

func (s realStore) done(what string, err error) {
	if client.IgnoreNotFound(err) != nil {
		s.tell("%s: %v", what, err)
	}
}

func (s realStore) create(o world.Object) {
	s.done("create "+world.KeyOf(o).String(), s.client.Create(s.ctx, o.DeepCopy()))
}

func (s realStore) update(k world.Key, change func(world.Object)) {
	s.done("update "+k.String(), retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live := kube.Named(realKinds[k.Kind], k.Namespace, k.Name)
		if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(live), live); err != nil {
			return err
		}
		change(live)
		return s.client.Update(s.ctx, live)
	}))
}

func (s realStore) remove(k world.Key, cascade string) {
	policy := map[string]metav1.DeletionPropagation{"background": metav1.DeletePropagationBackground,
		"foreground": metav1.DeletePropagationForeground, "orphan": metav1.DeletePropagationOrphan}[cascade]
	s.done(fmt.Sprintf("delete %s %s", k, cascade), s.client.Delete(s.ctx, kube.Named(realKinds[k.Kind], k.Namespace, k.Name), client.PropagationPolicy(policy)))
}

func (s realStore) list(kind string) []world.Object {
	list := &unstructured.UnstructuredList{}
	gvk := realKinds[kind]
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(kind + "List"))
	if err := s.client.List(s.ctx, list); err != nil {
		s.tell("list %s: %v", kind, err)
		return nil
	}
	var all []world.Object
	for i := range list.Items {
		all = append(all, &list.Items[i])
	}
	return all
}
