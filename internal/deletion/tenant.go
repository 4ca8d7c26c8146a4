package deletion

import (
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// tenant explains a Tenant, in the order of its drain. What holds the first of its
// steps that is not done holds the Tenant now; what it finds further on lies ahead.
func (e *explainer) tenant(o snapshot.Object) {
	t, err := snapshot.Into[v1alpha1.Tenant](o)
	if err != nil {
		e.report.Unread = append(e.report.Unread, unreadable(o, err))
		return
	}
	facts := e.teamFacts(t)
	step, _ := facts.drain.Next()
	e.report.Says = says(t.Status.Conditions, readiness.ClaimsDrained)
	at := stage(going(o))
	e.foreign(o, at)
	e.tenantReads(t)
	if len(e.report.Unread) == 0 { // else it would be a guess
		e.report.Plan = tenantPlan(facts.drain)
	}
	if slices.Contains(t.Finalizers, v1alpha1.FinalizerTenant) {
		e.tenantGoes(t, facts)
	}
	if facts.drain.Force != "" {
		e.tenantForced(facts)
	}
	if !slices.Contains(t.Finalizers, v1alpha1.FinalizerTenant) || facts.drain.Force != "" {
		return // it goes at once
	}
	e.operatorDown(at)
	at = e.teamClaims(facts, at)
	at = e.teamDelivery(facts, at)
	if facts.project != nil {
		e.project(facts.project, stage(bool(at) && going(facts.project)))
		at = later
	}
	if facts.namespace != nil && !facts.drain.Adopted {
		e.namespace(facts.namespace, stage(bool(at) && going(facts.namespace)))
	}
	e.tenantTurn(o, step)
}

// tenantForced adds what is nobody's once the Tenant is let go.
func (e *explainer) tenantForced(facts teamFacts) {
	left := slices.Concat(facts.claims, facts.delivered, facts.orphans, facts.applications, []snapshot.Object{facts.project, facts.namespace})
	for _, o := range left {
		if o != nil {
			e.leaves(ObjectOf(o), "demarc.dev/force lets go of it: "+facts.drain.Force)
		}
	}
}

// tenantReads notes what the drain asks for and could not be read.
func (e *explainer) tenantReads(t *v1alpha1.Tenant) {
	e.needs(Object{Group: kindClaim.Group, Kind: kindClaim.Kind})
	if e.set.Serves(kindApplication) {
		e.needs(Object{Group: kindApplication.Group, Kind: kindApplication.Kind})
	}
	if e.set.Serves(kindProject) {
		e.needs(Object{kindProject.Group, kindProject.Kind, e.settings.ArgoCDNamespace, render.ProjectName(t.Name)})
	}
	ns := v1alpha1.NamespaceOf(t.Name)
	if e.needs(Object{Kind: kindNamespace.Kind, Name: ns}) {
		e.unreadIn(ns)
	}
}

// teamClaims adds the claims that hold the Tenant.
func (e *explainer) teamClaims(facts teamFacts, at stage) stage {
	for _, c := range facts.claims {
		if !going(c) {
			row := ownership.BlockerOf("ClaimsRemain")
			e.add(at, Blocker{
				Object: ObjectOf(c), Reason: "ClaimsRemain", Controller: operator, Party: row.Party, Until: "the claim is deleted by who may",
				Next: row.Next, Command: "kubectl delete " + ObjectOf(c).Kubectl(),
			})
		}
		e.claim(c, stage(bool(at) && going(c)))
	}
	return at && len(facts.claims) == 0
}

// teamDelivery adds the Applications in the team's project whose claim is gone, and
// those that are not Demarc's.
func (e *explainer) teamDelivery(facts teamFacts, at stage) stage {
	for _, app := range facts.orphans {
		e.application(app, nil, stage(bool(at) && going(app)))
	}
	for _, app := range facts.applications {
		if !going(app) {
			row := ownership.BlockerOf("ApplicationsRemain")
			e.add(at, Blocker{
				Object: ObjectOf(app), Reason: "ApplicationsRemain", Controller: operator, Party: row.Party,
				Until: "the Application is deleted by who made it", Next: row.Next, Command: "kubectl delete " + ObjectOf(app).Kubectl(),
			})
		}
		e.application(app, nil, stage(bool(at) && going(app)))
	}
	return at && len(facts.orphans)+len(facts.applications) == 0
}

// tenantTurn adds the operator where it is its turn and it does not act.
func (e *explainer) tenantTurn(o snapshot.Object, step readiness.DrainStep) {
	waiting := []readiness.DrainStep{readiness.AwaitClaims, readiness.AwaitApplications, readiness.AwaitProject, readiness.AwaitNamespace}
	asked := since(o)
	if asked == nil || slices.Contains(waiting, step) || len(e.report.Blockers)+len(e.report.Unread) > 0 || e.set.At.Sub(*asked) < patience {
		return
	}
	b := e.held(o, v1alpha1.FinalizerTenant)
	b.Reason, b.Says = "OperatorSilent", e.report.Says
	b.Next = ownership.BlockerOf(b.Reason).Next
	e.add(now, b)
}

// project explains an AppProject: Argo CD keeps one with its finalizer until no
// Application names it.
func (e *explainer) project(p snapshot.Object, at stage) {
	var waits []string
	for _, app := range e.set.Of(kindApplication) {
		if argocd.ProjectOf(app) == p.GetName() && app.GetNamespace() == p.GetNamespace() && len(p.GetFinalizers()) > 0 {
			waits = append(waits, ObjectOf(app).String())
			e.application(app, nil, stage(bool(at) && going(app)))
		}
	}
	for _, f := range p.GetFinalizers() {
		b := e.held(p, f)
		if argocd.Holds(f) {
			b.Reason, b.WaitsFor, b.Until = "ProjectDeleting", waits, "no Application names it any more"
			if len(waits) > 0 {
				b.Next, b.Command = wait, ""
			}
		}
		e.add(at, b)
	}
}
