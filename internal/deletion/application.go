package deletion

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finalizer"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
)

// application explains one Application: Argo CD deletes what it delivered, and takes
// its finalizer off when that is gone. claim is whose it is, nil where it is not Demarc's.
func (e *explainer) application(app snapshot.Object, claim *v1alpha1.ServiceClaim, at stage) {
	decoded, err := argocd.Decode(app)
	if err != nil {
		e.report.Unread = append(e.report.Unread, unreadable(app, err))
		return
	}
	cascades := claim != nil || slices.ContainsFunc(app.GetFinalizers(), argocd.Holds)
	delivered := e.delivered(app, decoded, claim)
	if !cascades {
		e.staysAll(app, delivered)
		e.object(app, at)
		return
	}
	waits := compact(e.argoDown(at), e.operation(app, decoded, claim, at), e.projectGone(app, at))
	left, idle := e.deliveries(app, delivered, claim, at)
	waits = append(waits, append(left, e.hooks(app, at)...)...)
	e.applicationHeld(app, decoded, waits, idle, at)
}

// applicationHeld adds the Application itself, and those who hold it beside Argo CD.
func (e *explainer) applicationHeld(app snapshot.Object, decoded *argocd.Application, waits []string, idle bool, at stage) {
	for _, f := range app.GetFinalizers() {
		if !argocd.Holds(f) && !finalizer.Known(f) {
			e.add(at, e.held(app, f))
		}
	}
	mine := slices.IndexFunc(app.GetFinalizers(), argocd.Holds)
	if !going(app) || mine < 0 {
		return
	}
	b := e.held(app, app.GetFinalizers()[mine])
	b.Reason, b.WaitsFor = "ApplicationDeleting", waits
	if says, since := deletionError(decoded, app); says != "" {
		b.Reason, b.Says, b.Since = "DeletionError", says, since
		b.Next = ownership.BlockerOf(b.Reason).Next
		b.Command = "kubectl describe " + ObjectOf(app).Kubectl()
	} else if len(waits) == 0 {
		if silent, is := e.argoSilent(app); is && idle {
			e.add(at, silent)
			b.WaitsFor = append(b.WaitsFor, silent.Object.String())
		}
	}
	if len(b.WaitsFor) > 0 {
		b.Next, b.Command = wait, ""
	}
	e.add(at, b)
}

// deletionError is what Argo CD says of a deletion that failed.
func deletionError(app *argocd.Application, o snapshot.Object) (says string, at *time.Time) {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for i, c := range app.Status.Conditions {
		if c.Type != "DeletionError" {
			continue
		}
		at := since(o)
		if fields, ok := list[i].(map[string]any); ok {
			if text, _ := fields["lastTransitionTime"].(string); text != "" {
				if parsed, err := time.Parse(time.RFC3339, text); err == nil {
					at = &parsed
				}
			}
		}
		return "DeletionError: " + c.Message, at
	}
	return "", nil
}

// operation adds a sync that runs: Argo CD finishes it before it deletes anything. One
// of a claim's is ended by the operator when the claim is deleted.
func (e *explainer) operation(app snapshot.Object, decoded *argocd.Application, claim *v1alpha1.ServiceClaim, at stage) string {
	state := decoded.Status.OperationState
	if decoded.Operation == nil || claim != nil && at == later {
		return ""
	}
	row := ownership.BlockerOf("OperationRunning")
	b := Blocker{Object: Object{argocd.GroupVersion.Group, "Operation", app.GetNamespace(), app.GetName()}, Reason: "OperationRunning",
		Controller: argoCD, Party: row.Party, Until: "the sync has ended", Next: row.Next,
		Command: "kubectl patch " + ObjectOf(app).Kubectl() + ` --type=merge -p '{"status":{"operationState":{"phase":"Terminating"}}}'`}
	if state != nil {
		b.Says = state.Phase + ": " + state.Message
		b.Since = operationSince(app)
	}
	if claim != nil {
		b.Next, b.Command = "wait; Demarc's operator asks Argo CD to end it", ""
	}
	e.add(at, b)
	return b.Object.String()
}

func operationSince(app snapshot.Object) *time.Time {
	text, _, _ := unstructured.NestedString(app.Object, "status", "operationState", "startedAt")
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return &at
	}
	return nil
}

// projectGone adds the AppProject without which Argo CD deletes nothing.
func (e *explainer) projectGone(app snapshot.Object, at stage) string {
	name, _, missing := e.projectOf(app)
	if !missing {
		return ""
	}
	row := ownership.BlockerOf("ProjectMissing")
	b := Blocker{Object: Object{kindProject.Group, kindProject.Kind, app.GetNamespace(), name}, Reason: "ProjectMissing",
		Controller: argoCD, Party: row.Party, Says: "there is no such AppProject", Next: row.Next,
		Command: "kubectl get " + Object{kindProject.Group, kindProject.Kind, app.GetNamespace(), name}.Kubectl()}
	e.add(at, b)
	return b.Object.String()
}

// hooks adds the finalizers by which Argo CD runs what Git asks for around a deletion.
func (e *explainer) hooks(app snapshot.Object, at stage) (waits []string) {
	for _, o := range e.set.Of(kindJob) {
		hook := o.GetAnnotations()["argocd.argoproj.io/hook"]
		if (hook != "PreDelete" && hook != "PostDelete") || !tracks(app, o) || at == later {
			continue
		}
		row := ownership.BlockerOf("HookRunning")
		e.add(at, Blocker{Object: ObjectOf(o), Reason: "HookRunning", Controller: argoCD, Party: row.Party, Since: since(app),
			Until: "the " + hook + " hook has succeeded", Next: row.Next, Command: "kubectl logs -n " + o.GetNamespace() + " job/" + o.GetName()})
		waits = append(waits, ObjectOf(o).String())
	}
	return waits
}

func compact(names ...string) []string {
	return slices.DeleteFunc(names, func(s string) bool { return s == "" })
}

func unreadable(o snapshot.Object, err error) snapshot.Unread {
	return snapshot.Unread{Verb: "decode", Group: o.GroupVersionKind().Group, Resource: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(), Why: err.Error()}
}
