package kube

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
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

// Untyped is a typed object of a kind as the Ensurer takes it.
func Untyped(o client.Object, gvk schema.GroupVersionKind) *unstructured.Unstructured {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		panic("kube: a typed object that does not convert: " + err.Error()) // only a mistake in the API package gets here
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(gvk)
	return u
}
