package drift

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finding"
)

// missing finds what is declared and not there: by what an Application lists, and where
// there is no Argo CD by what a claim is rendered to.
func (w *world) missing() {
	for _, app := range w.apps {
		if app.object.GetDeletionTimestamp() != nil {
			continue
		}
		for i, r := range app.Status.Resources {
			if r.Hook || r.RequiresPruning || !w.in(r.Namespace) || !w.lacks(key{schema.GroupKind{Group: r.Group, Kind: r.Kind}, r.Namespace, r.Name}) {
				continue
			}
			w.gap(app, &app.Status.Resources[i])
		}
	}
	for _, r := range w.q.Rendered {
		k := keyOf(r.Object)
		if w.argo() && k.GroupKind != ApplicationKind || !w.lacks(k) {
			continue
		}
		d := &declaration{live: r.Object, by: Source{Claim: r.Claim}}
		out := w.difference(Missing, d, nil, nil)
		out.Message = "claim " + r.Claim + " declares it, and it is not there"
		out.Then = d.appliedNext(false)
		if k.GroupKind == ApplicationKind {
			out.Then = Then{Reverts, "Demarc's operator makes it within seconds, while it runs; the claim says what it waits for"}
		}
		out.Mend.Says = "if it is meant to be gone, delete the claim"
		w.add(d, out, nil)
	}
}

// lacks says that an object was looked for and is not there. Files may leave out a whole
// kind.
func (w *world) lacks(k key) bool {
	if w.set.Get(k.GroupKind, k.namespace, k.name) != nil {
		return false
	}
	if _, missed := w.set.Missed(k.GroupKind, k.namespace, k.name); missed || !w.set.Serves(k.GroupKind) {
		return false
	}
	return !w.q.Files || len(w.set.Of(k.GroupKind)) > 0
}

func (w *world) gap(app *application, r *argocd.Resource) {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind})
	live.SetNamespace(r.Namespace)
	live.SetName(r.Name)
	d := &declaration{live: live, app: app, says: r, by: Source{Application: app.name(), Sync: r.Status}}
	if rendered, ok := w.rendered[keyOf(live)]; ok {
		d.by.Claim = rendered.Claim
	}
	out := w.difference(Missing, d, nil, w.deleted(live))
	out.Message = fmt.Sprintf("%s declares it, and it is not there", d.by)
	out.Then = app.next("made again", "it is")
	out.Mend.Says = "if it is meant to be gone, take it out of Git; if not, sync Application " + app.name()
	switch {
	case app.running():
		out.Severity, out.Then = finding.Note, Then{Reverts, "a sync is under way"}
	case r.Status == "Synced":
		out.Then.Says += "; Argo CD has not seen yet that it is gone"
	}
	w.add(d, out, nil)
}
