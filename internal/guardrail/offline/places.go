package offline

import (
	"context"
	"reflect"

	celgo "github.com/google/cel-go/cel"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// PlacesVariable is the variable by which a policy tells the places that are broken: a list
// of maps, with the path of the field under "at", and under "is" what is there.
const PlacesVariable = "fresh"

// Place in an object that is broken.
type Place struct {
	// At is the path of the field, such as spec.containers[web].image.
	At string
	// Is is what is there; it may be empty.
	Is string
}

// where is the expression that asks for the places.
type where struct{}

// GetExpression is part of cel.ExpressionAccessor.
func (where) GetExpression() string {
	return "dyn(variables." + PlacesVariable + ").map(p, [string(p.at), string(p.?is.orValue(p.?n.orValue('')))])"
}

// ReturnTypes is part of cel.ExpressionAccessor.
func (where) ReturnTypes() []*celgo.Type { return []*celgo.Type{celgo.AnyType} }

// where a policy is broken; nil where it does not say so, or not in that form.
func (p *Policy) where(v *admission.VersionedAttributes, resource schema.GroupVersionResource, param runtime.Object, namespace *corev1.Namespace) (list []Place) {
	if p.places == nil {
		return nil
	}
	request := cel.CreateAdmissionRequest(v.Attributes, metav1.GroupVersionResource(resource), metav1.GroupVersionKind(v.VersionedKind))
	results, _, err := p.places.ForInput(context.Background(), v, request, cel.OptionalVariableBindings{VersionedParams: param},
		cel.CreateNamespaceObject(namespace), celconfig.RuntimeCELCostBudget)
	if err != nil || len(results) != 1 || results[0].Error != nil || results[0].EvalResult == nil {
		return nil
	}
	pairs, err := results[0].EvalResult.ConvertToNative(reflect.TypeFor[[][]string]())
	if err != nil {
		return nil
	}
	for _, pair := range pairs.([][]string) {
		list = append(list, Place{At: pair[0], Is: pair[1]})
	}
	return list
}
