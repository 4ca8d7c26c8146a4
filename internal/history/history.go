// Package history says which revisions of a service there were: their images, when they came
// and by whom, as far as the cluster still knows; and what going back to one would change.
package history

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

var (
	platformKind    = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Platform"}
	claimKind       = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "ServiceClaim"}
	contractKind    = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "OwnershipContract"}
	deploymentKind  = schema.GroupKind{Group: "apps", Kind: "Deployment"}
	replicaSetKind  = schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}
	statefulSetKind = schema.GroupKind{Group: "apps", Kind: "StatefulSet"}
	controllerKind  = schema.GroupKind{Group: "apps", Kind: "ControllerRevision"}
)

// Answer is the history of a claim. Its field names in JSON stay.
type Answer struct {
	Claim     string `json:"claim"`
	Team      string `json:"team"`
	Namespace string `json:"namespace"`
	// Image that the claim asks for; empty where it has a source.
	Image string `json:"image,omitempty"`
	// Revisions that are still known, newest first.
	Revisions []Revision `json:"revisions"`
	// Deliveries are Argo CD's, newest first.
	Deliveries []Delivery `json:"deliveries,omitempty"`
	// Notes say what is not known, and why.
	Notes []string `json:"notes,omitempty"`
}

// Revision is one state that the service's pods had.
type Revision struct {
	// Number by Kubernetes' count of the object; of a job by Argo CD's history.
	Number int64 `json:"revision"`
	// Object that keeps it.
	Object string `json:"object"`
	// Image of the container that is named after the claim, or of the first.
	Image string `json:"image"`
	// At is when it came, absent where that is not known.
	At *time.Time `json:"at,omitempty"`
	// By says who brought it; empty where that is not known.
	By string `json:"by,omitempty"`
	// Current is the one that is rolled out now, or is to be.
	Current bool `json:"current,omitempty"`
	// Pods there are of it.
	Pods int32 `json:"pods"`
	// Git is the commit that Argo CD delivered it from: of the chart, or of the team's source.
	Git string `json:"git,omitempty"`
	// Differs lists what of its pods is other than the current revision's, beside the image.
	Differs []string `json:"differs,omitempty"`
}

// Delivery is one entry of Argo CD's history.
type Delivery struct {
	ID int64 `json:"id"`
	// Started and At are when it began and ended.
	Started *time.Time `json:"started,omitempty"`
	At      *time.Time `json:"at,omitempty"`
	Git     string     `json:"git,omitempty"`
	By      string     `json:"by,omitempty"`
	// Image that it was to deliver, of a claim with one.
	Image string `json:"image,omitempty"`
}

// Of tells the history of a claim; ok is whether the claim is in the set.
func Of(set *snapshot.Set, name string) (a Answer, ok bool) {
	live := set.Get(claimKind, "", name)
	if live == nil {
		return Answer{}, false
	}
	claim, err := snapshot.Into[v1alpha1.ServiceClaim](live)
	if err != nil {
		return Answer{Claim: name, Notes: []string{"the claim cannot be read: " + err.Error()}}, true
	}
	ns := v1alpha1.NamespaceOf(claim.Spec.Team)
	a = Answer{Claim: name, Team: claim.Spec.Team, Namespace: ns, Image: claim.Spec.Image}
	a.Deliveries = a.deliveries(set, claim)
	switch kind := render.WorkloadOf(claim).Kind; {
	case claim.Spec.Image == "":
		a.note("The pods are made by manifests of the team's own: what counts is the history of their repository, and here are Argo CD's deliveries of it.")
	case kind == deploymentKind.Kind:
		a.Revisions = a.replicaSets(set, name)
	case kind == statefulSetKind.Kind:
		a.Revisions = a.controllerRevisions(set, name)
	default:
		a.Revisions = a.ofDeliveries()
	}
	a.match()
	a.author(claim)
	return a, true
}

func (a *Answer) note(text string) { a.Notes = append(a.Notes, text) }

// unread notes that objects could not be read, and reports whether that is so.
func (a *Answer) unread(set *snapshot.Set, kind schema.GroupKind, namespace, name, what string) bool {
	missed, ok := set.Missed(kind, namespace, name)
	if ok {
		a.note(what + " not known, because " + Because(missed))
	}
	return ok
}

// Because says why something could not be read.
func Because(u snapshot.Unread) string {
	if u.Why == "" {
		return "you may not " + u.String()
	}
	return "to " + u.String()
}

// applicationOf is the claim's Application, nil where it is not in the set.
func applicationOf(set *snapshot.Set, claim *v1alpha1.ServiceClaim) (app snapshot.Object, namespace string) {
	var platform *v1alpha1.Platform
	if o := set.Get(platformKind, "", v1alpha1.PlatformName); o != nil {
		if p, err := snapshot.Into[v1alpha1.Platform](o); err == nil {
			platform = p
		}
	}
	namespace = render.SettingsOf(platform).ArgoCDNamespace
	return set.Get(argocd.ApplicationKind.GroupKind(), namespace, render.ApplicationName(claim)), namespace
}
