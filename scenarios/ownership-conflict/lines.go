package main

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// told are the condition lines that the article shows for the second service. They are compared with, never printed.
var told = []string{
	"NamespaceReady=False (NamespaceError) Object /team-payments is already owned by another ServiceClaim controller payments",
	"Ready=False (ResourcesNotReady) one of the claim's resources is not ready",
}

// conditions of any object, in the order in which its status holds them.
func conditions(object *unstructured.Unstructured) ([]metav1.Condition, error) {
	var shape struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &shape); err != nil {
		return nil, fmt.Errorf("read the conditions of %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return shape.Status.Conditions, nil
}

// lines are an object's conditions as text; without types, all of them.
func lines(object *unstructured.Unstructured, types ...string) ([]string, error) {
	found, err := conditions(object)
	var out []string
	for _, c := range found {
		if len(types) == 0 || slices.Contains(types, c.Type) {
			out = append(out, fmt.Sprintf("%s=%s (%s) %s", c.Type, c.Status, c.Reason, c.Message))
		}
	}
	return out, err
}

// ready reports whether an object's condition Ready is True.
func ready(object *unstructured.Unstructured) (bool, error) { return is(object, metav1.ConditionTrue) }

// refused reports whether it is False.
func refused(object *unstructured.Unstructured) (bool, error) {
	return is(object, metav1.ConditionFalse)
}

func is(object *unstructured.Unstructured, status metav1.ConditionStatus) (bool, error) {
	found, err := conditions(object)
	return slices.ContainsFunc(found, func(c metav1.Condition) bool { return c.Type == "Ready" && c.Status == status }), err
}
