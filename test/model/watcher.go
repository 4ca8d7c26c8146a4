package model

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/test/model/world"
)

// watcher asks the invariants of every write.
type watcher struct {
	cluster *cluster
	// names of Tenants and claims that ever were.
	names map[string][]string
	// holding is the revision since which a claim carries our finalizer.
	holding map[string]int64
	// going is the revision since which a Tenant is being deleted.
	going map[string]int64
	// released are Applications that were ours and are nobody's.
	released map[string]bool
	// broken are the invariants that did not hold.
	broken []string
}

// write is a change with what all invariants ask of it.
type write struct {
	world.Change
	// byUs says that the operator wrote it, in this task.
	byUs bool
	task *task
	// created, deleted, lost: made, its deletion begun or past, finalizers gone.
	created, deleted bool
	lost             []string
}

// byOperator says whether an actor is the operator, in one of its lives.
func byOperator(actor string) bool { return strings.HasPrefix(actor, "operator-") }

func (w *watcher) change(c world.Change) {
	o := write{Change: c, byUs: byOperator(c.Actor)}
	if o.byUs {
		o.task = w.cluster.acting(c.Actor)
	}
	o.created = c.Before == nil
	o.deleted = c.Before != nil && c.Before.GetDeletionTimestamp() == nil && (c.After == nil || c.After.GetDeletionTimestamp() != nil)
	if c.Before != nil {
		for _, f := range c.Before.GetFinalizers() {
			if c.After == nil || !slices.Contains(c.After.GetFinalizers(), f) {
				o.lost = append(o.lost, f)
			}
		}
	}
	w.cluster.tell("%s: %s", c.Actor, o)
	for _, invariant := range invariants {
		if why := invariant.breaks(w, o); why != "" {
			w.broken = append(w.broken, fmt.Sprintf("%s: %s (%s: %s)", invariant.name, why, c.Actor, o))
			w.cluster.tell("!!! %s", w.broken[len(w.broken)-1])
		}
	}
	w.remember(o)
}

// String says what a write did.
func (o write) String() string {
	switch {
	case o.created:
		return "made " + o.Key.String()
	case o.After == nil:
		return "removed " + o.Key.String()
	case o.deleted:
		return "began to delete " + o.Key.String()
	case len(o.lost) > 0:
		return fmt.Sprintf("took %v off %s", o.lost, o.Key)
	case !sameStatus(o.Before, o.After):
		return "wrote the status of " + o.Key.String() + said(o.After)
	default:
		return "changed " + o.Key.String()
	}
}

func sameStatus(a, b world.Object) bool {
	return fmt.Sprint(a.Object["status"]) == fmt.Sprint(b.Object["status"])
}

// said is the reason of Ready of an object of ours.
func said(o world.Object) string {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if m, ok := c.(map[string]any); ok && m["type"] == "Ready" {
			return fmt.Sprintf(" (%v: %v)", m["reason"], m["message"])
		}
	}
	return ""
}

// remember keeps what later writes are compared with.
func (w *watcher) remember(o write) {
	name, at := o.Key.Name, w.cluster.Revision()
	switch o.Key.Kind {
	case "Tenant", "ServiceClaim":
		if o.created && !slices.Contains(w.names[o.Key.Kind], name) {
			w.names[o.Key.Kind] = append(w.names[o.Key.Kind], name)
		}
	case "Application":
		w.released[name] = o.After != nil && !ours(o.After)
	}
	if o.Key.Kind == "Tenant" {
		if o.created {
			delete(w.going, name)
		}
		if o.deleted {
			w.going[name] = at
		}
	}
	if o.Key.Kind != "ServiceClaim" {
		return
	}
	if !delivers(o.After) {
		delete(w.holding, name)
	} else if _, known := w.holding[name]; !known {
		w.holding[name] = at
	}
}

func ours(o world.Object) bool { return o.GetLabels()[v1alpha1.LabelOwner] != "" }

func going(o world.Object) bool { return o != nil && o.GetDeletionTimestamp() != nil }

// stays is that an object is there and is to be.
func stays(o world.Object) bool { return o != nil && o.GetDeletionTimestamp() == nil }

// delivers is that a claim is held by us, for what is delivered for it.
func delivers(claim world.Object) bool {
	return claim != nil && slices.Contains(claim.GetFinalizers(), v1alpha1.FinalizerClaim)
}

func asked(o world.Object, annotation string) bool {
	return strings.TrimSpace(o.GetAnnotations()[annotation]) != ""
}

// claimsOf are a team's.
func (w *watcher) claimsOf(team string) []world.Object {
	return slices.DeleteFunc(w.cluster.Now("ServiceClaim"), func(o world.Object) bool { return teamOf(o) != team })
}

func teamOf(claim world.Object) string {
	team, _, _ := unstructured.NestedString(claim.Object, "spec", "team")
	return team
}

// inProject are the Applications in a team's project.
func (w *watcher) inProject(team string) []string {
	var in []string
	for _, app := range w.cluster.Now("Application") {
		if project, _, _ := unstructured.NestedString(app.Object, "spec", "project"); project == v1alpha1.NamespaceOf(team) {
			in = append(in, app.GetName())
		}
	}
	return in
}

// delivered are the objects of a claim that are there.
func (w *watcher) delivered(claim world.Object) []string {
	var there []string
	for _, kind := range world.Delivered {
		for _, o := range w.cluster.Now(kind) {
			if world.Tracks(teamOf(claim)+"."+claim.GetName(), o) {
				there = append(there, world.KeyOf(o).String())
			}
		}
	}
	return there
}

// application of a claim, where it is ours.
func (w *watcher) application(claim world.Object) world.Object {
	app := w.cluster.Get(world.Key{Kind: "Application", Namespace: "argocd", Name: teamOf(claim) + "." + claim.GetName()})
	if app == nil || !ours(app) {
		return nil
	}
	return app
}

// argoFinalizers are those of Argo CD's among some.
func argoFinalizers(list []string) bool { return slices.ContainsFunc(list, argocd.Holds) }
