package triage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

// delivered is one Application with what is known of it.
type delivered struct {
	*argocd.Application
	ref  finding.Object
	live snapshot.Object
	// space is the namespace that it delivers to.
	space string
	// road is that it renders the platform's chart, so that its source is the platform's.
	road bool
}

// applications: DM401 to DM404, DM411 to DM413 and DM417, and what refuses what they bring.
func applications(w *world) (all []found) {
	for _, o := range w.objects[applicationKind] {
		if o.GetDeletionTimestamp() != nil {
			continue
		}
		app, err := argocd.Decode(o)
		if err != nil {
			w.unread = append(w.unread, snapshot.Unread{Verb: "decode", Group: applicationKind.Group, Resource: "applications", Kind: applicationKind.Kind, Namespace: o.GetNamespace(), Name: o.GetName(), Why: said(err.Error())})
			continue
		}
		space, _ := app.Spec.Destination["namespace"].(string)
		d := delivered{app, refOf(applicationKind, o), o, space, w.onRoad(o)}
		all = append(all, w.application(d)...)
	}
	return all
}

// onRoad says that an Application is of a claim without a source of its own.
func (w *world) onRoad(o snapshot.Object) bool {
	claim := w.set.Get(claimKind, "", o.GetLabels()[v1alpha1.LabelClaim])
	return claim != nil && child(child(claim.Object, "spec"), "source") == nil
}

func (d delivered) of(id, message, field, value string) found {
	return found{id: id, object: d.ref, space: d.space, message: message, args: map[string]string{}, evidence: []finding.Evidence{{Object: d.ref, Field: field, Value: said(value)}}}
}

func (w *world) application(d delivered) (all []found) {
	conditions := slices.SortedFunc(slices.Values(d.Status.Conditions), func(a, b argocd.Condition) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Message, b.Message))
	})
	for _, c := range conditions {
		if f := w.appCondition(d, c); f != nil {
			all = append(all, *f)
		}
	}
	if op := d.Status.OperationState; op != nil && len(all) == 0 {
		all = append(all, w.operation(d, op)...)
	}
	if d.Status.Health.Status == "Degraded" {
		f := d.of("DM411", fmt.Sprintf("Argo CD says that what application %s delivered is degraded: %s", d.ref.Name, said(d.Status.Health.Message)), "status.health", "Degraded: "+d.Status.Health.Message)
		f.after = append(tracked(d), cause{d.ref, nil})
		all = append(all, f)
	}
	return all
}

// tracked are the objects of an Application as causes.
func tracked(d delivered) (causes []cause) {
	for _, r := range d.Status.Resources {
		o := finding.Object{Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
		causes = append(causes, cause{o, nil})
	}
	for _, r := range d.Status.Resources {
		o := finding.Object{Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
		causes = append(causes, cause{o, append([]string{"DM202", "DM212"}, symptoms...)})
	}
	return causes
}

func (w *world) appCondition(d delivered, c argocd.Condition) *found {
	of := func(id, what string) *found {
		f := d.of(id, fmt.Sprintf("application %s %s: %s", d.ref.Name, what, said(c.Message)), "status.conditions["+c.Type+"]", c.Message)
		return &f
	}
	switch c.Type {
	case "InvalidSpecError":
		if has(c.Message, "not permitted in project", "is not permitted") {
			f := of("DM402", "asks for what its project does not permit")
			if strings.HasPrefix(c.Message, "application repo ") {
				f.domains = []string{"configuration-drift"} // the Tenant says from where a team delivers
			}
			return f
		}
		return of("DM418", "is no valid one")
	case "SharedResourceWarning":
		return of("DM413", "brings an object that another brings too")
	case "ComparisonError":
	case "SyncError":
		return nil // the operation says it better
	default:
		return nil
	}
	switch comparison(c.Message) {
	case "DM415":
		f := of("DM415", "cannot be compared, since a part of Argo CD does not answer")
		f.after = w.argoParts("repo-server")
		return f
	case "DM417":
		return w.ofRoad(d, of("DM417", "names what its repository does not hold"))
	case "DM404":
		repository, _ := d.Spec.Source["repoURL"].(string)
		f := of("DM404", "cannot be compared, since Argo CD cannot read its repository")
		f.shares, f.args["repository"] = []finding.Object{{Kind: "Repository", Name: repository}}, repository
		return f
	}
	return w.ofRoad(d, of("DM401", "does not render"))
}

// ofRoad makes a fault of what is rendered the platform's where the chart is.
func (w *world) ofRoad(d delivered, f *found) *found {
	if d.road {
		f.domains = []string{"configuration-drift"}
		f.message += "; it renders the platform's chart"
		f.because = "what it renders is the platform's chart, which the team does not write"
	}
	return f
}
