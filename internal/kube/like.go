package kube

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Like is an empty object of a kind.
func Like(gvk schema.GroupVersionKind) unstructured.Unstructured {
	u := unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	return u
}

// Named is an object of a kind with a name and, where it has one, a namespace.
func Named(gvk schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	u := Like(gvk)
	u.SetNamespace(namespace)
	u.SetName(name)
	return &u
}
