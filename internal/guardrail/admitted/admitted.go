// Package admitted says what the API server has made of an object when its policies see
// it: decoded by its type, defaults filled in, quantities in their canonical form, the
// metadata that the server sets. Policies are written for that object, not for the text
// of a file.
//
//	file ─decode─▶ typed object ─defaults─▶ ─LimitRange, ServiceAccount, classes─▶ ─metadata, status─▶ policy
//
// A test holds it against a real API server, field by field.
package admitted

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	strict "sigs.k8s.io/json"
)

// Object is one object: of its Go type where Kubernetes serves the kind itself, and
// unstructured where a CustomResourceDefinition does.
type Object = runtime.Object

// Decode reads an object from JSON as the API server does: unknown fields are dropped,
// names of fields are matched by case.
func Decode(raw []byte) (Object, error) {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := strict.UnmarshalCaseSensitivePreserveInts(raw, &head); err != nil {
		return nil, err
	}
	gvk := schema.FromAPIVersionAndKind(head.APIVersion, head.Kind)
	typed, err := builtin.New(gvk)
	if runtime.IsNotRegisteredError(err) {
		o := &unstructured.Unstructured{}
		return o, o.UnmarshalJSON(raw)
	}
	if err != nil {
		return nil, err
	}
	if err := strict.UnmarshalCaseSensitivePreserveInts(raw, typed); err != nil {
		return nil, err
	}
	return typed, nil
}

// Typed makes an object that was read of a cluster, or made, one of its Go type.
func Typed(o *unstructured.Unstructured) (Object, error) {
	raw, err := o.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("write %s %s as JSON: %w", o.GetKind(), o.GetName(), err)
	}
	return Decode(raw)
}
