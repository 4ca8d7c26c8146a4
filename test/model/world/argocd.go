package world

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/argocd"
)

// ArgoCD delivers Applications and takes them down again. It decides on what it has
// seen of the cluster, which may be less than what is there.
type ArgoCD struct {
	World   *World
	Running bool
	seen    int64
}

// See lets it see the cluster as it is now.
func (a *ArgoCD) See() bool {
	moved := a.Running && a.seen != a.World.revision
	if moved {
		a.seen = a.World.revision
	}
	return moved
}

// Step lets it do its next write for an Application, if there is one to do.
func (a *ArgoCD) Step(k Key) bool {
	app := a.World.Get(k)
	if !a.Running || app == nil {
		return false
	}
	switch phase, _, _ := unstructured.NestedString(app.Object, "status", "operationState", "phase"); {
	case phase == "Terminating":
		return a.status(k, func(s map[string]any) {
			s["operationState"] = map[string]any{"phase": "Failed", "message": "operation was ended"}
		})
	case phase == "Running": // an operation comes first, whatever else is asked
		return a.sync(app)
	case app.GetDeletionTimestamp() != nil && slices.ContainsFunc(app.GetFinalizers(), argocd.Holds):
		return a.remove(app)
	case app.GetDeletionTimestamp() != nil:
		return false
	default:
		return a.compare(app)
	}
}

func (a *ArgoCD) status(k Key, change func(map[string]any)) bool {
	before := a.World.Get(k).GetResourceVersion()
	after, err := a.World.Update("argocd", k, func(o Object) error {
		s, _ := o.Object["status"].(map[string]any)
		if s == nil {
			s = map[string]any{}
		}
		change(s)
		o.Object["status"] = s
		return nil
	})
	return err == nil && after.GetResourceVersion() != before
}

// project of an Application, nil where it is not there.
func (a *ArgoCD) project(app Object) Object {
	name, _, _ := unstructured.NestedString(app.Object, "spec", "project")
	return a.World.Get(Key{"AppProject", app.GetNamespace(), name})
}

// compare says how the cluster differs from what the Application asks for, and begins a
// sync where it does.
func (a *ArgoCD) compare(app Object) bool {
	k := KeyOf(app)
	if a.project(app) == nil {
		return a.status(k, func(s map[string]any) {
			s["conditions"] = []any{map[string]any{"type": "InvalidSpecError", "message": "application references a project which does not exist"}}
		})
	}
	state, resources := "Synced", []any{}
	for _, want := range desired(app) {
		live := a.World.Get(KeyOf(want))
		if live == nil || live.GetDeletionTimestamp() != nil || !sameSpec(want, live) {
			state = "OutOfSync"
		}
		gvk := want.GroupVersionKind()
		resources = append(resources, map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind,
			"namespace": want.GetNamespace(), "name": want.GetName(), "status": state})
	}
	source, _, _ := unstructured.NestedMap(app.Object, "spec", "source")
	destination, _, _ := unstructured.NestedMap(app.Object, "spec", "destination")
	if a.status(k, func(s map[string]any) {
		delete(s, "conditions")
		s["sync"] = map[string]any{"status": state, "revision": "1", "comparedTo": map[string]any{"source": source, "destination": destination}}
		s["health"] = map[string]any{"status": "Healthy"}
		s["resources"] = resources
	}) {
		return true
	}
	_, automated, _ := unstructured.NestedMap(app.Object, "spec", "syncPolicy", "automated")
	if state == "Synced" || !automated {
		return false
	}
	return a.status(k, func(s map[string]any) { s["operationState"] = map[string]any{"phase": "Running"} })
}

// sync makes the next object that is missing, or ends.
func (a *ArgoCD) sync(app Object) bool {
	for _, want := range desired(app) {
		live := a.World.Get(KeyOf(want))
		switch {
		case live == nil:
			if _, err := a.World.Create("argocd", want); err != nil {
				return a.retry(app, err)
			}
			return true
		case live.GetDeletionTimestamp() != nil:
			return a.retry(app, nil)
		case !sameSpec(want, live):
			_, err := a.World.Update("argocd", KeyOf(want), func(o Object) error {
				o.Object["spec"] = want.Object["spec"]
				return nil
			})
			return err == nil
		}
	}
	return a.status(KeyOf(app), func(s map[string]any) { s["operationState"] = map[string]any{"phase": "Succeeded"} })
}

// retry goes on for ever, as the Application asks; only the first time is new.
func (a *ArgoCD) retry(app Object, err error) bool {
	why := "an object is being deleted"
	if err != nil {
		why = err.Error()
	}
	return a.status(KeyOf(app), func(s map[string]any) {
		s["operationState"] = map[string]any{"phase": "Running", "message": "Retrying attempt: " + why, "retryCount": int64(1)}
	})
}

// remove takes down what it has seen of an Application's objects, then lets it go.
func (a *ArgoCD) remove(app Object) bool {
	if a.project(app) == nil {
		return a.status(KeyOf(app), func(s map[string]any) {
			s["conditions"] = []any{map[string]any{"type": "DeletionError", "message": "the project does not exist"}}
		})
	}
	left := false
	for _, kind := range Delivered {
		for _, o := range a.World.All(kind, a.seen) {
			if !Tracks(app.GetName(), o) || argocd.Keeps(o.GetAnnotations()) != "" {
				continue
			}
			left = true
			if live := a.World.Get(KeyOf(o)); live != nil && live.GetDeletionTimestamp() == nil {
				a.World.delete("argocd", KeyOf(o), finalizersOf(kind)...)
				return true
			}
		}
	}
	if left {
		return false // until it sees that they are gone
	}
	_, err := a.World.Update("argocd", KeyOf(app), func(o Object) error {
		o.SetFinalizers(slices.DeleteFunc(slices.Clone(o.GetFinalizers()), argocd.Holds))
		return nil
	})
	return err == nil
}

// finalizersOf are those with which a kind is deleted: what owns nothing needs none.
func finalizersOf(kind string) []string {
	if kind == "Deployment" {
		return []string{foreground}
	}
	return nil
}

// Tracks says that an object is an Application's.
func Tracks(app string, o Object) bool {
	return strings.HasPrefix(o.GetAnnotations()["argocd.argoproj.io/tracking-id"], app+":")
}
