package manifest

import (
	"encoding/json"
	"errors"
	"reflect"

	strict "sigs.k8s.io/json"
)

// Decode reads the object into a type and refuses every field that the type has not.
func (d Doc) Decode(into any) error {
	wrong, err := strict.UnmarshalStrict(d.JSON, into)
	if err != nil {
		return d.mistyped(err, into)
	}
	var errs []error
	for _, one := range wrong {
		var field strict.FieldError
		if errors.As(one, &field) {
			errs = append(errs, d.Errorf(field.FieldPath(), "there is no such field"))
		}
	}
	return errors.Join(errs...)
}

// mistyped says in words what a value is and what it should be.
func (d Doc) mistyped(err error, into any) error {
	var wrong *json.UnmarshalTypeError
	fresh := reflect.New(reflect.TypeOf(into).Elem()).Interface()
	if !errors.As(json.Unmarshal(d.JSON, fresh), &wrong) {
		return d.Errorf("", "it cannot be read: %v", err)
	}
	want := words(wrong.Type)
	if want == wholeNumber && len(wrong.Value) > len("number") {
		return d.Errorf(wrong.Field, "%s is a fraction: write it as text, in quotes, where the field takes that", wrong.Value)
	}
	return d.Errorf(wrong.Field, "it is %s, and must be %s", article(wrong.Value), want)
}

const wholeNumber = "a whole number"

// words for a Go type that a person who writes YAML knows.
func words(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return wholeNumber
	case reflect.String:
		return "text (in quotes where it looks like a number)"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	default:
		return "a set of fields"
	}
}

func article(kind string) string {
	switch kind {
	case "string":
		return "text"
	case "bool":
		return "true or false"
	case "object":
		return "a set of fields"
	case "array":
		return "a list"
	default:
		return "a " + kind
	}
}
