package history

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// deliveries reads Argo CD's history of the claim's Application, newest first.
func (a *Answer) deliveries(set *snapshot.Set, claim *v1alpha1.ServiceClaim) []Delivery {
	app, namespace := applicationOf(set, claim)
	if app == nil {
		if !a.unread(set, argocd.ApplicationKind.GroupKind(), namespace, render.ApplicationName(claim), "What Argo CD delivered is") {
			a.note("There is no Application of the claim: nothing was delivered yet.")
		}
		return nil
	}
	entries, _, _ := unstructured.NestedSlice(app.Object, "status", "history")
	list := make([]Delivery, 0, len(entries))
	for _, e := range entries {
		if entry, ok := e.(map[string]any); ok {
			list = append(list, delivery(entry))
		}
	}
	slices.SortStableFunc(list, func(x, y Delivery) int { return cmp.Compare(y.ID, x.ID) })
	return list
}

func delivery(entry map[string]any) (d Delivery) {
	d.ID, _ = entry["id"].(int64)
	d.Git, _, _ = unstructured.NestedString(entry, "revision")
	d.Image, _, _ = unstructured.NestedString(entry, "source", "helm", "valuesObject", "image")
	d.Started, d.At = moment(entry, "deployStartedAt"), moment(entry, "deployedAt")
	d.By = Initiator(entry)
	return d
}

// Initiator says who started one of Argo CD's operations; empty where it does not say.
func Initiator(from map[string]any) string {
	if name, _, _ := unstructured.NestedString(from, "initiatedBy", "username"); name != "" {
		return name
	}
	if by, _, _ := unstructured.NestedBool(from, "initiatedBy", "automated"); by {
		return "Argo CD (automated)"
	}
	return ""
}

func moment(from map[string]any, field string) *time.Time {
	text, _ := from[field].(string)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil
	}
	at = at.UTC()
	return &at
}

// ofDeliveries makes revisions of what Argo CD delivered: a job's pods leave none.
func (a *Answer) ofDeliveries() (out []Revision) {
	for i, d := range a.Deliveries {
		if d.Image == "" {
			continue
		}
		out = append(out, Revision{Number: d.ID, Object: "Argo CD's history", Image: d.Image, At: d.At, By: d.By, Git: d.Git, Current: i == 0})
	}
	if len(out) == 0 && len(a.Notes) == 0 {
		a.note("Argo CD's history of the claim says no image.")
	}
	return out
}

// late is how long after its delivery a ReplicaSet may be made, by clocks of whole seconds.
const late = time.Minute

// match gives each revision who delivered it: the last delivery of the same image that is
// not from before it.
func (a *Answer) match() {
	for _, d := range a.Deliveries { // newest first
		var of *Revision
		for i := range a.Revisions {
			r := &a.Revisions[i]
			if r.Image != d.Image || d.At == nil || r.At != nil && r.At.After(d.At.Add(late)) {
				continue
			}
			if of == nil || r.At != nil && of.At != nil && r.At.After(*of.At) {
				of = r
			}
		}
		if of == nil || of.By != "" {
			continue
		}
		if of.By, of.Git = d.By, d.Git; of.At == nil {
			of.At = d.At
		}
	}
}
