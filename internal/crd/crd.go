// Package crd asks of an object of Demarc's own kinds what the API server asks by their
// definitions: the schema and its CEL rules, in the same words, without a cluster.
package crd

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/charts"
)

// definition is what a kind is judged by.
type definition struct {
	schema *structural.Structural
	values validation.SchemaValidator
	rules  *cel.Validator
}

// Create says what the API server would refuse in a new object of one of Demarc's kinds,
// fields that there are not included; nil is that it would take it. The policies of the
// install are not asked. An object of a kind that is not Demarc's is an error.
func Create(o *unstructured.Unstructured) (field.ErrorList, error) {
	d, err := of(o.GetKind())
	if err != nil {
		return nil, err
	}
	raw, err := o.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
	fresh := &unstructured.Unstructured{} // whole numbers as the API server reads them
	if err := fresh.UnmarshalJSON(raw); err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
	object, found := fresh.Object, field.ErrorList{}
	pruned := pruning.PruneWithOptions(object, d.schema, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	for _, unknown := range pruned {
		found = append(found, field.Invalid(field.NewPath(unknown), nil, "there is no such field"))
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object, d.schema)
	defaulting.Default(object, d.schema)
	found = append(found, validation.ValidateCustomResource(nil, object, d.values)...)
	found = append(found, listtype.ValidateListSetsAndMaps(nil, d.schema, object)...)
	if !blocked(found) {
		rules, _ := d.rules.Validate(context.Background(), nil, d.schema, object, nil, celconfig.RuntimeCELCostBudget)
		found = append(found, rules...)
	}
	return found, nil
}

// blocked says that an object has not the shape that rules are asked of, as the API server
// sees it.
func blocked(found field.ErrorList) bool {
	return slices.ContainsFunc(found, func(e *field.Error) bool {
		return slices.Contains([]field.ErrorType{field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong,
			field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid}, e.Type)
	})
}

// definitions are read and compiled when they are first asked for.
var definitions = struct {
	sync.Mutex
	of map[string]*definition
}{of: map[string]*definition{}}

func of(kind string) (*definition, error) {
	definitions.Lock()
	defer definitions.Unlock()
	if d := definitions.of[kind]; d != nil {
		return d, nil
	}
	files, err := fs.Glob(charts.CRDs(), "*.yaml")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		d, err := read(file, kind)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Base(file), err)
		}
		if d != nil {
			definitions.of[kind] = d
			return d, nil
		}
	}
	return nil, fmt.Errorf("Demarc has no kind %q", kind)
}

// read compiles the definition in a file; nil where it is that of another kind.
func read(file, kind string) (*definition, error) {
	text, err := fs.ReadFile(charts.CRDs(), file)
	if err != nil {
		return nil, err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &crd); err != nil || crd.Spec.Names.Kind != kind {
		return nil, err
	}
	for _, v := range crd.Spec.Versions {
		if v.Name != v1alpha1.SchemeGroupVersion.Version || v.Schema == nil {
			continue
		}
		var internal apiextensions.CustomResourceValidation
		if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, &internal, nil); err != nil {
			return nil, err
		}
		d := &definition{}
		if d.schema, err = structural.NewStructural(internal.OpenAPIV3Schema); err != nil {
			return nil, err
		}
		if d.values, _, err = validation.NewSchemaValidator(internal.OpenAPIV3Schema); err != nil {
			return nil, err
		}
		d.rules = cel.NewValidator(d.schema, true, celconfig.PerCallLimit)
		return d, nil
	}
	return nil, fmt.Errorf("it has no version %s", v1alpha1.SchemeGroupVersion.Version)
}
