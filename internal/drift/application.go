package drift

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/snapshot"
)

// application is what is read of one, beside what internal/argocd does.
type application struct {
	argocd.Application
	object snapshot.Object
	policy struct {
		Automated *struct {
			SelfHeal bool  `json:"selfHeal"`
			Enabled  *bool `json:"enabled"`
		} `json:"automated"`
		SyncOptions []string `json:"syncOptions"`
	}
	ignored []ignore
}

func applicationOf(o snapshot.Object) (*application, error) {
	decoded, err := argocd.Decode(o)
	if err != nil {
		return nil, err
	}
	app := &application{Application: *decoded, object: o}
	var spec struct {
		Spec struct {
			SyncPolicy        any      `json:"syncPolicy"`
			IgnoreDifferences []ignore `json:"ignoreDifferences"`
		} `json:"spec"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &spec); err != nil {
		return nil, fmt.Errorf("Application %s is not what Argo CD writes: %w", app.name(), err)
	}
	if policy, ok := spec.Spec.SyncPolicy.(map[string]any); ok {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(policy, &app.policy); err != nil {
			return nil, fmt.Errorf("Application %s is not what Argo CD writes: %w", app.name(), err)
		}
	}
	app.ignored = spec.Spec.IgnoreDifferences
	return app, nil
}

func (a *application) name() string { return a.object.GetNamespace() + "/" + a.object.GetName() }

// automated says whether Argo CD syncs by itself, and selfHeals whether it does when only the
// cluster has changed.
func (a *application) automated() bool {
	auto := a.policy.Automated
	return auto != nil && (auto.Enabled == nil || *auto.Enabled)
}

func (a *application) selfHeals() bool { return a.automated() && a.policy.Automated.SelfHeal }

// respects says whether a sync leaves alone what comparing does.
func (a *application) respects() bool {
	return slices.Contains(a.policy.SyncOptions, "RespectIgnoreDifferences=true")
}

// lists is what the Application says of an object, nil where it does not track it.
func (a *application) lists(k key) *argocd.Resource {
	for i, r := range a.Status.Resources {
		if r.Group == k.Group && r.Kind == k.Kind && r.Name == k.name && r.Namespace == k.namespace {
			return &a.Status.Resources[i]
		}
	}
	return nil
}

// compared is when Argo CD last compared, zero where it is not known.
func (a *application) compared() time.Time {
	at, _ := time.Parse(time.RFC3339, a.Status.ReconciledAt)
	return at
}

// running says whether a sync is under way.
func (a *application) running() bool {
	state := a.Status.OperationState
	return len(a.Operation) > 0 || state != nil && state.Phase == "Running"
}

// stuck says why Argo CD does not get on, empty where it does.
func (a *application) stuck() string {
	if a.object.GetAnnotations()["argocd.argoproj.io/skip-reconcile"] == "true" {
		return "the Application is annotated argocd.argoproj.io/skip-reconcile"
	}
	for _, c := range a.Status.Conditions {
		if strings.HasSuffix(c.Type, "Error") {
			return c.Type + ": " + c.Message
		}
	}
	if state := a.Status.OperationState; state != nil && (state.Phase == "Failed" || state.Phase == "Error") {
		return "its last sync failed: " + state.Message
	}
	return ""
}

// tracking is the Application that delivers an object. named is what the object says, and
// app is nil where that one is not in the snapshot.
func (w *world) tracking(o snapshot.Object) (app *application, named string) {
	k := keyOf(o)
	id := o.GetAnnotations()[argocd.TrackingID]
	if id == "" {
		return w.listing(o)
	}
	t, ok := argocd.ParseTrackingID(id)
	if !ok || t.Group != k.Group || t.Kind != k.Kind || t.Name != k.name || k.namespace != "" && t.Namespace != k.namespace {
		return nil, "" // copied from another object
	}
	app = w.app(func(a *application) bool {
		return a.object.GetName() == t.Application && (t.ApplicationNamespace == "" || t.ApplicationNamespace == a.object.GetNamespace())
	})
	switch {
	case app != nil:
		return app, app.name()
	case t.ApplicationNamespace != "":
		return nil, t.ApplicationNamespace + "/" + t.Application
	default:
		return nil, t.Application
	}
}

// listing is the Application of an object that has no tracking id. The older way is a label
// that Helm sets too: the Application itself must say so.
func (w *world) listing(o snapshot.Object) (app *application, named string) {
	app = w.app(func(a *application) bool {
		return a.lists(keyOf(o)) != nil && (w.withoutMarks(o) || a.object.GetName() == argocd.InstanceOf(o))
	})
	if app == nil {
		return nil, ""
	}
	return app, app.name()
}

// withoutMarks says that an object is of a dump that leaves out what is annotated to Secrets.
func (w *world) withoutMarks(o snapshot.Object) bool {
	return w.q.Files && keyOf(o).GroupKind == secretKind && len(o.GetAnnotations()) == 0
}

// app is the first for which something holds, nil where there is none.
func (w *world) app(holds func(*application) bool) *application {
	if i := slices.IndexFunc(w.apps, holds); i >= 0 {
		return w.apps[i]
	}
	return nil
}
