package deletion

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finalizer"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// claim explains a ServiceClaim: workload, then Application, then the claim.
func (e *explainer) claim(o snapshot.Object, at stage) {
	c, err := snapshot.Into[v1alpha1.ServiceClaim](o)
	if err != nil {
		e.report.Unread = append(e.report.Unread, unreadable(o, err))
		return
	}
	target := ObjectOf(o) == e.report.Object
	app := e.applicationOf(c)
	if target {
		e.report.Says = says(c.Status.Conditions, readiness.Drained)
	}
	e.foreign(o, at)
	if target && holdsClaim(c) && e.hidden(c, app) {
		e.claimByStatus(o, c, at)
	} else {
		e.claimSeen(o, c, app, at)
	}
}

// holdsClaim reports whether the claim waits for what it delivered.
func holdsClaim(c *v1alpha1.ServiceClaim) bool {
	return slices.Contains(c.Finalizers, v1alpha1.FinalizerClaim)
}

// claimSeen explains a claim whose Application was looked at.
func (e *explainer) claimSeen(o snapshot.Object, c *v1alpha1.ServiceClaim, app snapshot.Object, at stage) {
	target := ObjectOf(o) == e.report.Object
	facts := e.claimFacts(c, app)
	step, waits := facts.Next()
	if holdsClaim(c) && facts.Force == "" && step != readiness.KeepApplication {
		holders := append(compact(e.operatorDown(at)), e.claimObjects(c, app, facts, at)...)
		if at == now {
			e.claimHeld(o, c, step, waits, holders)
		}
	}
	if target && facts.Force != "" {
		e.claimForced(c, app, facts)
	}
	if target && holdsClaim(c) {
		e.claimGoes(c, app, facts)
	}
	if target && len(e.report.Unread) == 0 { // else it would be a guess
		e.report.Plan = e.claimPlan(facts, c)
	}
}

// claimForced adds what is nobody's once the claim is let go.
func (e *explainer) claimForced(c *v1alpha1.ServiceClaim, app snapshot.Object, facts readiness.ClaimDrain) {
	if app == nil {
		app = standIn(e.applicationName(c))
	}
	for _, o := range e.delivered(app, nil, c) {
		e.leaves(ObjectOf(o), "demarc.dev/force lets go of it: "+facts.Force)
	}
}

// claimObjects explains what the claim delivered.
func (e *explainer) claimObjects(c *v1alpha1.ServiceClaim, app snapshot.Object, facts readiness.ClaimDrain, at stage) []string {
	if app != nil {
		e.application(app, c, stage(bool(at) && going(app)))
		return []string{ObjectOf(app).String()}
	}
	return e.claimLeft(c, facts, facts.ArgoCD && e.needs(e.applicationName(c)), at)
}

// claimLeft explains what is left of it where the Application is gone, or where nobody
// knows whether it is: unseen.
func (e *explainer) claimLeft(c *v1alpha1.ServiceClaim, facts readiness.ClaimDrain, unseen bool, at stage) (waits []string) {
	name := e.applicationName(c)
	for _, o := range e.delivered(standIn(name), nil, c) {
		if !unseen && !readiness.Watched(o.GroupVersionKind().Group, o.GetKind()) {
			continue // with the Application gone nobody waits for it
		}
		waits = append(waits, ObjectOf(o).String())
		switch why, _ := keeps(o, standIn(name)); {
		case e.object(o, stage(bool(at) && going(o))):
		case why != "":
			e.stays(o, "Kept", why, c, at)
		case !unseen && !going(o) && at == now: // the Application is gone, and this is not
			e.remains(o, c, facts)
		}
	}
	return waits
}

// remains adds an object that nobody will delete any more.
func (e *explainer) remains(o snapshot.Object, c *v1alpha1.ServiceClaim, facts readiness.ClaimDrain) {
	reason := "ObjectsRemain"
	if !facts.ArgoCD {
		reason = "ArgoCDAbsent"
	}
	row := ownership.BlockerOf(reason)
	next := row.Next
	if !facts.ArgoCD {
		next += ", or when what it delivered is gone by any hand"
	}
	e.add(now, Blocker{
		Object: ObjectOf(o), Reason: reason, Controller: operator, Party: row.Party, Since: since(c), Until: "it is gone by any hand",
		Next: next, Command: "kubectl delete " + ObjectOf(o).Kubectl(),
	})
}

// claimHeld adds the claim itself: between others where it is not what was asked about,
// and where it is the operator's turn and the operator does not act.
func (e *explainer) claimHeld(o snapshot.Object, c *v1alpha1.ServiceClaim, step readiness.ClaimStep, waits readiness.Trouble, holders []string) {
	b := e.held(o, v1alpha1.FinalizerClaim)
	b.Reason, b.WaitsFor, b.Says = waits.Reason, holders, says(c.Status.Conditions, readiness.Drained)
	turn := step != readiness.AwaitApplication && step != readiness.AwaitObjects
	if turn && len(e.report.Blockers) == 0 {
		if len(e.report.Unread) > 0 || e.set.At.Sub(*b.Since) < patience {
			return
		}
		b.Reason, b.WaitsFor = "OperatorSilent", nil
		b.Next = ownership.BlockerOf(b.Reason).Next
	} else if ObjectOf(o) == e.report.Object {
		return // the head of the report says it
	} else {
		b.Next, b.Command = wait, ""
	}
	e.add(now, b)
}

// foreign adds the finalizers on an object of Demarc's that are not Demarc's, nor
// put on and taken off by Kubernetes in passing.
func (e *explainer) foreign(o snapshot.Object, at stage) {
	for _, f := range o.GetFinalizers() {
		if !finalizer.Known(f) {
			e.add(at, e.held(o, f))
		}
	}
}

// applicationOf finds the claim's Application wherever it was made.
func (e *explainer) applicationOf(c *v1alpha1.ServiceClaim) snapshot.Object {
	for _, app := range e.set.Of(kindApplication) {
		if owner.Compare(app, render.ClaimRef(c)) != owner.Foreign {
			return app
		}
	}
	return nil
}

// says are the words of a condition.
func says(conditions []metav1.Condition, kind string) string {
	for _, c := range conditions {
		if c.Type == kind && c.Message != "" {
			return c.Reason + ": " + c.Message
		}
	}
	return ""
}
