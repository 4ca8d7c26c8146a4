package guardrail

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type fields = map[string]any

// shape is a kind that runs pods, and where in it their template stands.
type shape struct {
	apiVersion, kind string
	// path of the pods' spec, as messages name it.
	path string
	// restart that the kind asks for.
	restart string
	// other fields of its spec.
	with fields
}

var selects = fields{"matchLabels": fields{"app": "web"}}

// shapes are all that run pods.
var shapes = []shape{
	{"v1", "Pod", "spec.", "", nil},
	{"v1", "ReplicationController", "spec.template.spec.", "", fields{"selector": fields{"app": "web"}}},
	{"apps/v1", "Deployment", "spec.template.spec.", "", fields{"selector": selects}},
	{"apps/v1", "StatefulSet", "spec.template.spec.", "", fields{"selector": selects, "serviceName": "web"}},
	{"apps/v1", "DaemonSet", "spec.template.spec.", "", fields{"selector": selects}},
	{"apps/v1", "ReplicaSet", "spec.template.spec.", "", fields{"selector": selects}},
	{"batch/v1", "Job", "spec.template.spec.", "Never", nil},
	{"batch/v1", "CronJob", "spec.jobTemplate.spec.template.spec.", "Never", fields{"schedule": "@daily"}},
}

// of makes an object of the kind with these pods.
func (s shape) of(template fields) *unstructured.Unstructured {
	template = copied(template)
	labels := fields{"app": "web"}
	metadata, _ := template["metadata"].(fields)
	if metadata == nil {
		metadata = fields{}
	}
	if given, ok := metadata["labels"].(fields); ok {
		labels = given
	}
	metadata["labels"] = labels
	template["metadata"] = metadata
	if s.restart != "" {
		template["spec"].(fields)["restartPolicy"] = s.restart
	}
	o := fields{"apiVersion": s.apiVersion, "kind": s.kind, "metadata": fields{"name": "web"}}
	switch s.kind {
	case "Pod":
		metadata["name"] = "web"
		o["metadata"], o["spec"] = metadata, template["spec"]
	case "CronJob":
		o["spec"] = fields{"jobTemplate": fields{"spec": fields{"template": template}}}
	default:
		o["spec"] = fields{"template": template}
	}
	for key, value := range s.with {
		o["spec"].(fields)[key] = value
	}
	return &unstructured.Unstructured{Object: o}
}

// template of the pods of a Deployment, Job or CronJob, or a pod as one.
func template(t *testing.T, o *unstructured.Unstructured) fields {
	t.Helper()
	path := []string{"spec", "template"}
	switch o.GetKind() {
	case "Pod":
		return copied(fields{"spec": o.Object["spec"]})
	case "CronJob":
		path = []string{"spec", "jobTemplate", "spec", "template"}
	}
	found, ok, err := unstructured.NestedMap(o.Object, path...)
	if err != nil || !ok {
		t.Fatalf("%s has no template: %v", o.GetKind(), err)
	}
	return found
}

func copied(f fields) fields { return (&unstructured.Unstructured{Object: f}).DeepCopy().Object }
