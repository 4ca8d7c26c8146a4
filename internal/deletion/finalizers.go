package deletion

import (
	"encoding/json"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/finalizer"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
)

const (
	operator = finalizer.Operator
	argoCD   = finalizer.ArgoCD
)

// object adds what holds an object: its finalizers, and those of what it owns where its
// deletion waits for that. It reports whether anything does.
func (e *explainer) object(o snapshot.Object, at stage) (held bool) {
	for _, f := range o.GetFinalizers() {
		switch {
		case f == metav1.FinalizerDeleteDependents:
			held = e.dependents(o, at) || held
		case at == later && finalizer.Known(f):
			// Whoever put it on does its part when the deletion comes.
		default:
			e.add(at, e.held(o, f))
			held = true
		}
	}
	return e.podEnds(o) || held
}

// held is one finalizer of one object.
func (e *explainer) held(o snapshot.Object, f string) Blocker {
	h := finalizer.Of(f)
	b := Blocker{
		Object: ObjectOf(o), Reason: "Finalizer", Finalizer: f, Controller: h.Controller, Until: h.Waits,
		Since: since(o), Party: e.party(o, h.Controller), Next: h.Next,
		Command: finalizer.Command(f, ObjectOf(o).Kubectl(), o.GetFinalizers()),
	}
	if by, when := putOn(o, f); by != "" {
		b.Says = "put on by " + by
		if !when.IsZero() {
			b.Says += " at " + when.UTC().Format(time.RFC3339)
		}
	}
	return b
}

// party that can act on a finalizer: what the cluster's own controllers hold is the
// platform's, all else whose the object is.
func (e *explainer) party(o snapshot.Object, controller string) ownership.Party {
	if controller == operator || controller == argoCD {
		return ownership.Platform
	}
	return e.partyOf(o)
}

// dependents are those that the garbage collector must see gone before an object that
// is deleted in the foreground.
func (e *explainer) dependents(o snapshot.Object, at stage) bool {
	b := e.held(o, metav1.FinalizerDeleteDependents)
	b.Reason = "DependentsRemain"
	for _, d := range e.ownedBy(o) {
		b.WaitsFor = append(b.WaitsFor, ObjectOf(d).String())
		e.object(d, at)
	}
	if len(b.WaitsFor) == 0 && o.GetNamespace() != "" {
		e.unreadIn(o.GetNamespace())
	}
	b.Next, b.Command = ownership.BlockerOf(b.Reason).Next, ""
	if len(b.WaitsFor) == 0 {
		b.Next = strings.ReplaceAll(finalizer.Of(metav1.FinalizerDeleteDependents).Next, "-n NAMESPACE", "-n "+o.GetNamespace())
	}
	e.add(at, b)
	return true
}

// ownedBy lists what names an object as an owner that it blocks.
func (e *explainer) ownedBy(o snapshot.Object) []snapshot.Object {
	var out []snapshot.Object
	for _, d := range e.set.In(o.GetNamespace()) {
		for _, ref := range d.GetOwnerReferences() {
			if ref.UID == o.GetUID() && ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion {
				out = append(out, d)
			}
		}
	}
	return out
}

// podEnds adds a pod of which nobody says that it has ended, after its grace.
func (e *explainer) podEnds(o snapshot.Object) bool {
	at := o.GetDeletionTimestamp()
	if ObjectOf(o).GroupKind() != kindPod || at == nil || len(o.GetFinalizers()) > 0 || e.set.At.Sub(at.Time) < patience {
		return false
	}
	e.add(now, Blocker{
		Object: ObjectOf(o), Reason: "PodNotEnded", Controller: "the kubelet of its node", Since: since(o),
		Until: "its containers have ended", Party: ownership.BlockerOf("PodNotEnded").Party, Next: ownership.BlockerOf("PodNotEnded").Next,
		Command: "kubectl get " + ObjectOf(o).Kubectl() + " -o wide",
	})
	return true
}

// putOn tells who put a finalizer on, as the API server recorded it.
func putOn(o snapshot.Object, f string) (manager string, at time.Time) {
	for _, m := range o.GetManagedFields() {
		if m.FieldsV1 == nil {
			continue
		}
		var fields struct {
			Metadata struct {
				Finalizers map[string]any `json:"f:finalizers"`
			} `json:"f:metadata"`
		}
		if json.Unmarshal(m.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		if _, owns := fields.Metadata.Finalizers[`v:"`+f+`"`]; owns {
			if m.Time != nil {
				at = m.Time.Time
			}
			return m.Manager, at
		}
	}
	return "", time.Time{}
}
