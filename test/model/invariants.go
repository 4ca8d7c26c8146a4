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

// invariants of deletion. Each says of a write why it breaks it; empty is that it holds.
var invariants = []struct {
	name   string
	breaks func(*watcher, write) string
}{
	{"no namespace goes before its claims", namespaceLast},
	{"no project goes before its Applications", projectAfterApplications},
	{"nothing is made for who is going", nothingForWhoGoes},
	{"access goes last in a namespace", accessLast},
	{"a Tenant goes last", tenantLast},
	{"a claim goes when nothing of it is left", claimAfterItsObjects},
	{"no Application goes whose claim stays", applicationOfWhoStays},
	{"Argo CD's finalizer is taken off where nothing is left", argoFinalizerLast},
	{"what is others' is not touched", othersUntouched},
}

// namespaceLast: while a claim of the team's holds the Tenant, or an Application is in
// its project, the namespace stays. A claim that is held since after the Tenant's
// deletion began has read its Tenant since then, and delivers nothing.
func namespaceLast(w *watcher, o write) string {
	team := ""
	if o.Key.Kind == "Namespace" && o.deleted {
		team = o.Before.GetLabels()[v1alpha1.LabelTenant]
	}
	if team == "" {
		return ""
	}
	if o.Before.GetAnnotations()[v1alpha1.AnnotationAdopted] != "" {
		return "it was adopted, and stays"
	}
	if t := w.cluster.Get(world.Key{Kind: "Tenant", Name: team}); t != nil && !going(t) {
		return "its Tenant is not being deleted"
	}
	for _, c := range w.claimsOf(team) {
		since, held := w.holding[c.GetName()]
		if held && since < w.going[team] || w.application(c) != nil {
			return "claim " + c.GetName() + " holds it"
		}
	}
	if apps := w.inProject(team); len(apps) > 0 {
		return fmt.Sprintf("Applications %v are there", apps)
	}
	return ""
}

func projectAfterApplications(w *watcher, o write) string {
	if o.Key.Kind != "AppProject" || !o.deleted || o.Actor == "crds" {
		return ""
	}
	if apps := w.inProject(strings.TrimPrefix(o.Key.Name, "team-")); len(apps) > 0 {
		return fmt.Sprintf("Applications %v are there", apps)
	}
	return ""
}

// nothingForWhoGoes: what a service is delivered through is made only where the Tenant
// was there and stayed when the reconcile began; all else only where the reconcile could
// not know better from what it had seen.
func nothingForWhoGoes(w *watcher, o write) string {
	if !o.byUs || !o.created {
		return ""
	}
	team := o.After.GetLabels()[v1alpha1.LabelTeam]
	k := tenantKey(team)
	if o.Key.Kind == "Application" {
		name := claimKey(o.After.GetLabels()[v1alpha1.LabelClaim])
		_, syncs, _ := unstructured.NestedMap(o.After.Object, "spec", "syncPolicy", "automated")
		switch {
		case !delivers(w.cluster.Get(name)) && (!o.task.early || !o.task.saw(w.cluster, name, o.task.begun, delivers)):
			return "its claim does not hold it"
		case syncs && !o.task.saw(w.cluster, name, o.task.begun, func(claim world.Object) bool { return !going(claim) }):
			return "its claim is being deleted"
		case !syncs:
			return "" // only to be deleted
		}
	}
	if stays(w.cluster.Get(k)) {
		return ""
	}
	at := o.task.sawTenants
	if o.Key.Kind == "Namespace" || o.Key.Kind == "Application" {
		at = o.task.begun
	}
	if !o.task.saw(w.cluster, k, at, stays) {
		return "Tenant " + team + " is going, or is not there"
	}
	return ""
}

// accessLast: while anything else of a team's is in its namespace, the team can still
// mend what blocks. Force does not ask.
func accessLast(w *watcher, o write) string {
	if o.Key.Kind != "RoleBinding" || !o.byUs || !slices.Contains(o.lost, v1alpha1.FinalizerAccess) {
		return ""
	}
	team := o.Before.GetLabels()[v1alpha1.LabelTeam]
	t, ns := w.cluster.Get(world.Key{Kind: "Tenant", Name: team}), w.cluster.Get(world.Key{Kind: "Namespace", Name: o.Key.Namespace})
	if t != nil && asked(t, v1alpha1.AnnotationForce) {
		return ""
	}
	for _, left := range w.cluster.In(o.Key.Namespace) {
		if left.GetKind() != "RoleBinding" && (going(ns) || ours(left)) {
			return world.KeyOf(left).String() + " is still there"
		}
	}
	return ""
}

// tenantLast: the Tenant goes when all that it kept is gone, unless it is forced or its
// kind goes.
func tenantLast(w *watcher, o write) string {
	team := o.Key.Name
	if o.Key.Kind != "Tenant" || !o.byUs || !slices.Contains(o.lost, v1alpha1.FinalizerTenant) ||
		asked(o.Before, v1alpha1.AnnotationForce) || w.cluster.Going("Tenant") {
		return ""
	}
	for _, kind := range w.cluster.Kinds() {
		for _, left := range w.cluster.Now(kind) {
			if left.GetLabels()[v1alpha1.LabelOwner] == "tenant."+team {
				return world.KeyOf(left).String() + " is still there"
			}
		}
	}
	if apps := w.inProject(team); len(apps) > 0 {
		return fmt.Sprintf("Applications %v are there", apps)
	}
	for _, c := range w.claimsOf(team) {
		if since, held := w.holding[c.GetName()]; held && since < w.going[team] {
			return "claim " + c.GetName() + " holds it"
		}
	}
	return ""
}

// claimAfterItsObjects: whoever lets a claim go has seen that nothing of it is left,
// unless it is released or forced.
func claimAfterItsObjects(w *watcher, o write) string {
	if o.Key.Kind != "ServiceClaim" || !o.byUs || !slices.Contains(o.lost, v1alpha1.FinalizerClaim) || w.cluster.Going("ServiceClaim") {
		return ""
	}
	switch app := w.application(o.Before); {
	case app != nil && !going(app):
		return "its Application is there and is ours"
	case going(o.Before) && (asked(o.Before, v1alpha1.AnnotationForce) || asked(o.Before, v1alpha1.AnnotationRelease)):
		return ""
	case app != nil:
		return "its Application is there and is ours"
	}
	if there := w.delivered(o.Before); len(there) > 0 && !w.released[teamOf(o.Before)+"."+o.Key.Name] {
		return fmt.Sprintf("%v are there", there)
	}
	return ""
}

func applicationOfWhoStays(w *watcher, o write) string {
	if o.Key.Kind != "Application" || !o.deleted || !o.byUs {
		return ""
	}
	claim := w.cluster.Get(world.Key{Kind: "ServiceClaim", Name: o.Before.GetLabels()[v1alpha1.LabelClaim]})
	if claim != nil && !going(claim) {
		return "claim " + claim.GetName() + " is not being deleted"
	}
	return ""
}

func argoFinalizerLast(w *watcher, o write) string {
	if o.Key.Kind != "Application" || !o.byUs || !argoFinalizers(o.lost) {
		return ""
	}
	claim := w.cluster.Get(world.Key{Kind: "ServiceClaim", Name: o.Before.GetLabels()[v1alpha1.LabelClaim]})
	if claim == nil {
		return "there is no claim that asks for it"
	}
	if there := w.delivered(claim); len(there) > 0 && !asked(claim, v1alpha1.AnnotationForce) {
		return fmt.Sprintf("%v are there", there)
	}
	return ""
}

// overtook is that an object went with a finalizer that was put on only while the last one
// was taken off: the API server then deletes by the UID alone, whatever came meanwhile.
func (w *watcher) overtook(o write, finalizer string) bool {
	return o.After == nil && o.task.early && o.task.saw(w.cluster, o.Key, o.task.begun, func(was world.Object) bool {
		return was != nil && !slices.Contains(was.GetFinalizers(), finalizer)
	})
}

// othersUntouched: what carries no mark of ours is not written to, and nobody's
// finalizers but ours and Argo CD's are taken off.
func othersUntouched(w *watcher, o write) string {
	if !o.byUs || o.created {
		return ""
	}
	for _, f := range o.lost {
		if !strings.HasPrefix(f, "demarc.dev/") && !argoFinalizers([]string{f}) && !w.overtook(o, f) {
			return "it takes off " + f
		}
	}
	if o.Key.Name == argocd.ConfigMap && o.Key.Kind == "ConfigMap" {
		return "" // the health checks of our kinds are ours in it
	}
	if ours(o.Before) || slices.Contains([]string{"Tenant", "ServiceClaim", "Platform"}, o.Key.Kind) {
		return ""
	}
	if o.Key.Kind == "Namespace" && !o.deleted {
		t := w.cluster.Get(world.Key{Kind: "Tenant", Name: strings.TrimPrefix(o.Key.Name, "team-")})
		if t != nil {
			if adopt, _, _ := unstructured.NestedBool(t.Object, "spec", "adopt"); adopt {
				return ""
			}
		}
	}
	return "it is not ours"
}
