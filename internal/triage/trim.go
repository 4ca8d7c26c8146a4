package triage

import (
	"slices"

	"demarc.dev/demarc/internal/snapshot"
)

// Trim leaves out of an object what no check asks for, which of a large cluster is most of it:
// who wrote which field, though not when; what was applied last; what is in Secrets and
// ConfigMaps; the schemas of kinds; of pods that are plainly well all but where they run, what
// they ask for and what selects them. It changes the object.
func Trim(o snapshot.Object) {
	meta := child(o.Object, "metadata")
	for _, entry := range entries(meta, "managedFields") {
		delete(entry, "fieldsV1")
	}
	delete(child(meta, "annotations"), "kubectl.kubernetes.io/last-applied-configuration")
	switch o.GroupVersionKind().GroupKind() {
	case secretKind, configMapKind:
		for _, field := range []string{"data", "stringData", "binaryData"} {
			delete(o.Object, field)
		}
	case podKind:
		if plainlyWell(o) {
			thin(o)
		}
	case definitionKind:
		delete(child(o.Object, "spec"), "versions")
	}
}

// thin leaves of a pod that is plainly well what leanPod reads of it, and what says that it is
// well.
func thin(o snapshot.Object) {
	meta, spec, status := child(o.Object, "metadata"), child(o.Object, "spec"), child(o.Object, "status")
	delete(meta, "managedFields")
	keep(spec, "nodeName", "nodeSelector", "containers", "initContainers", "overhead", "resources", "volumes")
	for _, list := range []string{"containers", "initContainers"} {
		for _, c := range entries(spec, list) {
			keep(c, "name", "ports", "resources", "restartPolicy")
		}
	}
	if volumes, there := spec["volumes"].([]any); there { // a dump may hold a pod without a spec
		spec["volumes"] = slices.DeleteFunc(volumes, func(v any) bool {
			volume, _ := v.(map[string]any)
			return child(volume, "persistentVolumeClaim") == nil
		})
	}
	keep(status, "phase", "conditions", "containerStatuses")
	for _, c := range entries(status, "conditions") {
		keep(c, "type", "status", "lastTransitionTime")
	}
	for _, c := range entries(status, "containerStatuses") {
		keep(c, "name", "restartCount", "state")
	}
}

// keep drops all other fields.
func keep(of map[string]any, fields ...string) {
	for field := range of {
		if !slices.Contains(fields, field) {
			delete(of, field)
		}
	}
}

// entries are the objects of a list.
func entries(of map[string]any, field string) (out []map[string]any) {
	list, _ := of[field].([]any)
	for _, e := range list {
		if one, ok := e.(map[string]any); ok {
			out = append(out, one)
		}
	}
	return out
}
