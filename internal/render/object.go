package render

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/owner"
)

// Object is one object as it is applied: only the fields that are ours.
type Object = *unstructured.Unstructured

// managedBy is the value of app.kubernetes.io/managed-by on what Demarc makes.
const managedBy = "demarc"

// object turns an apply configuration into an Object. The configurations hold
// what was set and nothing else, so no zero value is ever claimed as ours.
func object(applyConfiguration any) Object {
	raw, err := json.Marshal(applyConfiguration)
	if err == nil {
		u := &unstructured.Unstructured{}
		if err = u.UnmarshalJSON(raw); err == nil {
			return u
		}
	}
	panic(fmt.Sprintf("render: an apply configuration that is no object: %v", err)) // only a mistake in this package gets here
}

// own stamps an object as the team's share that its owner keeps.
func own(o Object, by owner.Ref, team string) Object {
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels["app.kubernetes.io/managed-by"] = managedBy
	if team != "" {
		labels[v1alpha1.LabelTeam] = team
	}
	o.SetLabels(labels)
	by.Stamp(o)
	return o
}
