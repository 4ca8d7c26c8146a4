package deletion

import (
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// Part is one object that a deletion takes with it.
type Part struct {
	Object Object `json:"object"`
	// With says what goes with it in turn.
	With string `json:"with,omitempty"`
}

func (e *explainer) goes(o Object, with string) {
	if p := (Part{o, with}); !slices.Contains(e.report.Goes, p) {
		e.report.Goes = append(e.report.Goes, p)
	}
}

// claimGoes lists what a claim takes with it: its Application, and what that delivered,
// but for what was found to stay.
func (e *explainer) claimGoes(c *v1alpha1.ServiceClaim, app snapshot.Object, facts readiness.ClaimDrain) {
	step, _ := facts.Next()
	if facts.Application == nil || step == readiness.KeepApplication {
		return
	}
	name := e.applicationName(c)
	from := standIn(name)
	var decoded *argocd.Application
	if app != nil {
		name, from = ObjectOf(app), app
		decoded, _ = argocd.Decode(app) // what does not decode is said elsewhere
	}
	e.goes(name, "")
	if facts.Force != "" {
		return
	}
	for _, o := range e.delivered(from, decoded, c) {
		if !e.stayed(ObjectOf(o)) {
			e.goes(ObjectOf(o), "")
		}
	}
}

// stayed reports whether it was found that Argo CD leaves an object.
func (e *explainer) stayed(o Object) bool {
	return slices.ContainsFunc(e.passedOver(), func(b Blocker) bool { return b.Object == o }) ||
		slices.ContainsFunc(e.report.Leaves, func(l Left) bool { return l.Object == o })
}

func (e *explainer) applicationName(c *v1alpha1.ServiceClaim) Object {
	return Object{kindApplication.Group, kindApplication.Kind, e.settings.ArgoCDNamespace, render.ApplicationName(c)}
}

// tenantGoes lists what a Tenant takes with it. By force it is what hangs on the operator
// alone; the rest is left behind.
func (e *explainer) tenantGoes(t *v1alpha1.Tenant, facts teamFacts) {
	ref := render.TenantRef(t)
	if facts.drain.Force == "" {
		for _, o := range append(slices.Clone(facts.orphans), facts.project) {
			if o != nil {
				e.goes(ObjectOf(o), "")
			}
		}
		e.spaceGoes(ref, facts)
	}
	for _, o := range e.set.Of(kindClusterBind) {
		if owner.Compare(o, ref) != owner.Foreign {
			e.goes(ObjectOf(o), "")
		}
	}
}

// spaceGoes lists the namespace, with the data in it; of one that was adopted only what
// Demarc put into it.
func (e *explainer) spaceGoes(ref owner.Ref, facts teamFacts) {
	if facts.namespace == nil {
		return
	}
	ns := facts.namespace.GetName()
	if !facts.drain.Adopted {
		e.goes(ObjectOf(facts.namespace), "everything in it")
	}
	for _, o := range e.set.In(ns) {
		switch {
		case facts.drain.Adopted && owner.Compare(o, ref) != owner.Foreign:
			e.goes(ObjectOf(o), "")
		case !facts.drain.Adopted && ObjectOf(o).GroupKind() == kindVolume:
			e.goes(ObjectOf(o), "its data")
		}
	}
}
