package deletion

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finalizer"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/snapshot"
)

// delivered lists what an Application tracks and is there: what it says now, and what
// its claim noted before.
func (e *explainer) delivered(app snapshot.Object, decoded *argocd.Application, claim *v1alpha1.ServiceClaim) []snapshot.Object {
	var names []Object
	if decoded != nil {
		for _, r := range decoded.Status.Resources {
			if !r.Hook && r.Name != "" {
				names = append(names, Object{r.Group, r.Kind, r.Namespace, r.Name})
			}
		}
	}
	if claim != nil {
		for _, o := range claim.Status.Inventory {
			names = append(names, Object{o.Group, o.Kind, o.Namespace, o.Name})
		}
	}
	var out []snapshot.Object
	for _, name := range names {
		live := e.set.Get(name.GroupKind(), name.Namespace, name.Name)
		if live == nil {
			e.needs(name)
			continue
		}
		if tracks(app, live) && !slices.Contains(out, live) {
			out = append(out, live)
		}
	}
	return out
}

// tracks reports whether Argo CD tracks an object for an Application.
func tracks(app, o snapshot.Object) bool {
	return argocd.Tracks(o, app.GetNamespace(), app.GetName())
}

// deliveries explains what was delivered: what holds each, what Argo CD will not
// delete, and whether it has not begun although there is something to delete.
func (e *explainer) deliveries(app snapshot.Object, delivered []snapshot.Object, claim *v1alpha1.ServiceClaim, at stage) (waits []string, idle bool) {
	_, confines, _ := e.projectOf(app)
	var acted, pending bool
	for _, o := range delivered {
		name := ObjectOf(o)
		why, confirms := keeps(o, app)
		if confines != nil {
			if forbidden := confines.forbids(name); forbidden != "" {
				e.stays(o, "NotPermitted", forbidden, claim, at)
				continue
			}
		}
		switch {
		case going(o):
			acted = true
			e.object(o, at)
			waits = append(waits, name.String())
		case confirms:
			e.unconfirmed(app, o, at)
			waits = append(waits, name.String())
		case why != "":
			e.stays(o, "Kept", why, claim, at)
		default:
			pending = true
			e.object(o, later) // it holds as soon as it is asked to go
		}
	}
	return waits, pending && !acted
}

// keeps says by what an object tells Argo CD to leave it, or to ask before.
func keeps(o, app snapshot.Object) (why string, confirms bool) {
	why = argocd.Keeps(o.GetAnnotations())
	if why == "" && !strings.Contains(o.GetAnnotations()["argocd.argoproj.io/sync-options"], "Delete=") {
		options, _, _ := unstructured.NestedStringSlice(app.Object, "spec", "syncPolicy", "syncOptions")
		if slices.Contains(options, "Delete=false") {
			return "Delete=false of its Application", false
		}
	}
	if why != "Delete=confirm" {
		return why, false
	}
	approved, err := time.Parse(time.RFC3339, app.GetAnnotations()["argocd.argoproj.io/deletion-approved"])
	if asked := app.GetDeletionTimestamp(); err == nil && asked != nil && !approved.Before(asked.Time) {
		return "", false
	}
	return why, true
}

// unconfirmed adds an object that Argo CD deletes only when somebody says yes.
func (e *explainer) unconfirmed(app, o snapshot.Object, at stage) {
	row := ownership.BlockerOf("Unconfirmed")
	e.add(at, Blocker{
		Object: ObjectOf(o), Reason: "Unconfirmed", Controller: argoCD, Party: row.Party, Since: since(app),
		Until: "its deletion is confirmed on the Application", Says: "argocd.argoproj.io/sync-options: Delete=confirm", Next: row.Next,
		Command: "kubectl annotate --overwrite " + ObjectOf(app).Kubectl() + ` argocd.argoproj.io/deletion-approved="$(date -u +%FT%TZ)"`,
	})
}

// stays adds an object that Argo CD leaves. A claim waits for what its drain looks at;
// all else is left behind.
func (e *explainer) stays(o snapshot.Object, reason, why string, claim *v1alpha1.ServiceClaim, at stage) {
	if claim == nil || !readiness.Watched(o.GroupVersionKind().Group, o.GetKind()) {
		e.leaves(ObjectOf(o), why)
		return
	}
	row := ownership.BlockerOf(reason)
	e.add(at, Blocker{
		Object: ObjectOf(o), Reason: reason, Controller: operator, Party: row.Party, Until: "it is gone by another hand",
		Says: why, Next: row.Next, Command: "kubectl delete " + ObjectOf(o).Kubectl(),
	})
}

// staysAll is an Application that goes alone: Argo CD has no finalizer on it.
func (e *explainer) staysAll(app snapshot.Object, delivered []snapshot.Object) {
	for _, o := range delivered {
		if !going(o) || slices.ContainsFunc(o.GetFinalizers(), func(f string) bool { return !finalizer.Known(f) }) {
			e.leaves(ObjectOf(o), "Application "+app.GetName()+" carries no finalizer by which Argo CD would delete it")
		}
	}
}
