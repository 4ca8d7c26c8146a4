package who

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/snapshot"
)

// applicationOf is the Application that tracks an object, without a name where none does.
func (d *decision) applicationOf(o snapshot.Object) Object {
	app := kindOf(applications)
	app.Namespace = d.settings.ArgoCDNamespace
	if id := o.GetAnnotations()[argocd.TrackingID]; id != "" {
		tracked, ok := argocd.ParseTrackingID(id)
		kind := o.GroupVersionKind().GroupKind()
		if !ok || tracked.Group != kind.Group || tracked.Kind != kind.Kind || tracked.Name != o.GetName() ||
			o.GetNamespace() != "" && tracked.Namespace != o.GetNamespace() {
			d.note("%s carries the tracking id of another object (%s): Argo CD does not deliver it.", o.GetKind()+" "+o.GetName(), id)
			return Object{}
		}
		app.Name, app.Namespace = tracked.Application, cmp.Or(tracked.ApplicationNamespace, app.Namespace)
		return app
	}
	// The older way is a label that Helm sets too: the Application itself must say so.
	name := argocd.InstanceOf(o)
	if live := d.get(Ref{applications, app.Namespace, name}); live != nil && lists(live, o) {
		app.Name = name
		return app
	}
	return Object{}
}

func lists(app, o snapshot.Object) bool {
	decoded, err := argocd.Decode(app)
	kind := o.GroupVersionKind().GroupKind()
	return err == nil && slices.ContainsFunc(decoded.Status.Resources, func(r argocd.Resource) bool {
		return r.Group == kind.Group && r.Kind == kind.Kind && r.Name == o.GetName() && r.Namespace == o.GetNamespace()
	})
}

// sources are an Application's places in Git.
func (d *decision) sources(app snapshot.Object) {
	var list []any
	if one, ok, _ := unstructured.NestedMap(app.Object, "spec", "source"); ok {
		list = append(list, one)
	}
	more, _, _ := unstructured.NestedSlice(app.Object, "spec", "sources")
	for _, s := range append(list, more...) {
		fields, _ := s.(map[string]any)
		word := func(name string) string { text, _ := fields[name].(string); return text }
		if word("repoURL") == "" {
			continue
		}
		place := Place{URL: word("repoURL"), Path: cmp.Or(word("path"), word("chart")), Revision: cmp.Or(word("targetRevision"), "HEAD"),
			From: "Application " + app.GetNamespace() + "/" + app.GetName()}
		for _, r := range d.contract.Spec.Repositories {
			if sameURL(r.URL, place.URL) {
				place.Repository = r.Name
			}
		}
		d.answer.Change.Places = append(d.answer.Change.Places, place)
	}
}
