package parity

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/admitted"
)

// bearing are the kinds that carry a pod, and where in them it stands.
var bearing = []struct {
	version, kind string
	template      []string
}{
	{"v1", "Pod", nil},
	{"v1", "ReplicationController", []string{"spec", "template"}},
	{"apps/v1", "Deployment", []string{"spec", "template"}},
	{"apps/v1", "StatefulSet", []string{"spec", "template"}},
	{"apps/v1", "DaemonSet", []string{"spec", "template"}},
	{"apps/v1", "ReplicaSet", []string{"spec", "template"}},
	{"batch/v1", "Job", []string{"spec", "template"}},
	{"batch/v1", "CronJob", []string{"spec", "jobTemplate", "spec", "template"}},
}

// changeable are the ones of them whose pods may be changed.
var changeable = []string{"ReplicationController", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "CronJob"}

// example of a rule, as an object of its kind.
func example(text string) runtime.Object {
	typed, err := admitted.Typed(unread(text))
	if err != nil {
		panic(err)
	}
	return typed
}

// unread is an example of a rule as it was written: that all of them can be read, their own
// tests see to.
func unread(text string) *unstructured.Unstructured {
	o, err := guardrail.Example(text)
	if err != nil {
		panic(err)
	}
	return o
}

// carrying is an example's pod in another kind that carries one; nil where the example
// carries none.
func carrying(text, kind string) runtime.Object {
	o := unread(text)
	metadata, spec := podOf(o)
	if spec == nil {
		return nil
	}
	for _, b := range bearing {
		if b.kind == kind {
			return made(o, b.version, b.kind, b.template, metadata, spec)
		}
	}
	panic("no kind " + kind + " carries a pod")
}

// podOf is the metadata of an object's pods, and what they are to be.
func podOf(o *unstructured.Unstructured) (metadata, spec map[string]any) {
	for _, b := range bearing {
		if b.kind == o.GetKind() {
			spec, _, _ = unstructured.NestedMap(o.Object, append(append([]string{}, b.template...), "spec")...)
			metadata, _, _ = unstructured.NestedMap(o.Object, append(append([]string{}, b.template...), "metadata")...)
		}
	}
	return metadata, spec
}

func made(from *unstructured.Unstructured, version, kind string, template []string, podMetadata, spec map[string]any) runtime.Object {
	metadata := map[string]any{"name": from.GetName()}
	if labels := from.GetLabels(); labels != nil {
		metadata["labels"] = labels
	}
	if annotations := from.GetAnnotations(); annotations != nil {
		metadata["annotations"] = annotations
	}
	out := map[string]any{"apiVersion": version, "kind": kind, "metadata": metadata}
	delete(spec, "restartPolicy")
	switch kind {
	case "Pod":
		out["spec"] = spec
		return encoded(out)
	case "Job", "CronJob":
		spec["restartPolicy"] = "Never"
	}
	labels := map[string]any{"app": "web"}
	if old, ok := podMetadata["labels"].(map[string]any); ok {
		for key, value := range old {
			labels[key] = value
		}
	}
	pod := map[string]any{"metadata": map[string]any{"labels": labels}, "spec": spec}
	if annotations, ok := podMetadata["annotations"]; ok {
		pod["metadata"].(map[string]any)["annotations"] = annotations
	}
	if err := unstructured.SetNestedMap(out, pod, template...); err != nil {
		panic(err)
	}
	body := out["spec"].(map[string]any)
	switch kind {
	case "CronJob":
		body["schedule"] = "0 * * * *"
	case "Job":
	case "ReplicationController":
		body["selector"] = map[string]any{"app": "web"}
	default:
		body["selector"] = map[string]any{"matchLabels": map[string]any{"app": "web"}}
	}
	return encoded(out)
}

func encoded(content map[string]any) runtime.Object {
	raw, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	return parsed(string(raw))
}

// parsed is an object that is written here.
func parsed(text string) runtime.Object {
	o, err := admitted.Decode([]byte(text))
	if err != nil {
		panic(err)
	}
	return o
}
