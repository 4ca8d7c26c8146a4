package triage

import (
	"cmp"
	"fmt"
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
)

// claims that are not Ready: DM409. What they say of their workload follows from what is
// wrong with that, what they say of their delivery from what is wrong with their Application; the
// rest is theirs alone, and the table of reasons says who acts.
func claims(w *world) (all []found) {
	applications := w.applicationsOf()
	for _, o := range w.objects[claimKind] {
		team := text(child(o.Object, "spec"), "team")
		f, ok := w.unready(o, "DM409", v1alpha1.NamespaceOf(team))
		if !ok {
			continue
		}
		var delivery []cause
		for _, ref := range applications[o.GetName()] {
			delivery = append(delivery, cause{ref, nil}, cause{ref, []string{"DM411"}})
		}
		tenant := []cause{{finding.Object{Group: v1alpha1.GroupName, Kind: "Tenant", Name: team}, []string{"DM410"}}}
		switch stage := stageOf(o, f.part); {
		case stage == "TenantReady":
			f.after = tenant
		case stage == "WorkloadReady":
			f.after = slices.Concat(w.workloadOf(o, team), delivery, tenant)
		case stage == "DeliveryReady" && !slices.Contains(awaits, f.part):
			f.after = slices.Concat(delivery, tenant)
		default: // a sync that waits for what it brought, and a claim that does not say what lacks
			f.after = slices.Concat(delivery, w.workloadOf(o, team), tenant)
		}
		all = append(all, f)
	}
	return all
}

// awaits are reasons of the delivery while it waits for what was brought.
var awaits = []string{"Syncing", "WaitingForHook"}

// stageOf is the condition from which Ready has its reason; empty where it is not told.
func stageOf(o snapshot.Object, reason string) string {
	for _, kind := range []string{"TenantReady", "DeliveryReady", "WorkloadReady"} {
		if v, ok := verdictOf(o, kind); ok && v.status != "True" {
			if v.reason == reason {
				return kind
			}
			return ""
		}
	}
	return ""
}

// workloadOf is what a claim brings, as causes: by its name, and by what its Application tracks.
func (w *world) workloadOf(o snapshot.Object, team string) (causes []cause) {
	for _, kind := range []finding.Object{{Group: "apps", Kind: "Deployment"}, {Group: "apps", Kind: "StatefulSet"}, {Group: "batch", Kind: "Job"}, {Group: "batch", Kind: "CronJob"}} {
		kind.Namespace, kind.Name = v1alpha1.NamespaceOf(team), o.GetName()
		causes = append(causes, cause{kind, nil}, cause{kind, symptoms})
	}
	return append(causes, w.inventory(o)...)
}

// applicationsOf are the Applications of each claim.
func (w *world) applicationsOf() map[string][]finding.Object {
	of := map[string][]finding.Object{}
	for _, app := range w.objects[applicationKind] {
		if claim := label(app, v1alpha1.LabelClaim); claim != "" {
			of[claim] = append(of[claim], refOf(applicationKind, app))
		}
	}
	return of
}

// label of an object; GetLabels copies all of them.
func label(o snapshot.Object, key string) string {
	return text(child(child(o.Object, "metadata"), "labels"), key)
}

// inventory is what a claim's Application tracks, as causes.
func (w *world) inventory(o snapshot.Object) (causes []cause) {
	claim, err := snapshot.Into[v1alpha1.ServiceClaim](o)
	if err != nil {
		return nil // what it says of itself is told all the same
	}
	for _, one := range claim.Status.Inventory {
		causes = append(causes, cause{finding.Object{Group: one.Group, Kind: one.Kind, Namespace: one.Namespace, Name: one.Name}, nil})
	}
	return causes
}

// tenants that are not Ready: DM410.
func tenants(w *world) (all []found) {
	for _, o := range w.objects[tenantKind] {
		if f, ok := w.unready(o, "DM410", v1alpha1.NamespaceOf(o.GetName())); ok {
			f.after = []cause{{finding.Object{Kind: "Namespace", Name: v1alpha1.NamespaceOf(o.GetName())}, []string{"DM512", "DM513"}}}
			all = append(all, f)
		}
	}
	return all
}

// unready is an object of Demarc's that is not Ready, with who acts on its reason. A reason
// that every healthy one passes through is told of when it stays.
func (w *world) unready(o snapshot.Object, id, space string) (found, bool) {
	v, ok := verdictOf(o, "Ready")
	if !ok || v.status != "False" || o.GetDeletionTimestamp() != nil {
		return found{}, false
	}
	observed, _ := child(o.Object, "status")["observedGeneration"].(int64)
	reason, known := ownership.Reasons[v.reason]
	switch {
	case v.reason == "JobRunning": // it may take its time
		return found{}, false
	case !known || observed != 0 && observed < o.GetGeneration():
		return found{}, false
	case reason.Expected && w.since(v.at) < slow, !w.settled(v.at):
		return found{}, false
	}
	ref := refOf(o.GroupVersionKind().GroupKind(), o)
	return found{id: id, object: ref, space: space, part: v.reason, party: reason.Party, next: reason.Next, evidence: []finding.Evidence{v.evidence(ref)},
		message: fmt.Sprintf("%s is not Ready, %s: %s", words(ref), cmp.Or(v.reason, "without a reason"), said(v.message)),
		because: fmt.Sprintf("the reason %s is the %s's to act on (docs/reasons.md)", v.reason, reason.Party)}, true
}
