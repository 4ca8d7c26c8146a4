package render

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
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

// OnCall says on an object who is called for the party that it was made for. A contact
// that names nobody gives no annotation, nor does one that looks like a secret, such as the
// address of a webhook: more people read these objects than Tenants. It stands in the
// metadata alone, since who is on call changes often, and must restart and sync nothing.
func OnCall(o Object, c v1alpha1.Contacts) Object {
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	c, _ = contract.Shown(c)
	for key, value := range map[string]string{v1alpha1.AnnotationOnCall: c.OnCall, v1alpha1.AnnotationChannel: c.Channel} {
		if strings.TrimSpace(value) != "" {
			annotations[key] = value
		}
	}
	if len(annotations) > 0 {
		o.SetAnnotations(annotations)
	}
	return o
}
