package deletion

import (
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/snapshot"
)

// A team's people may not read Applications. Of a claim of theirs the claim's own status
// says what there is to say of its Application, in the operator's words; the rest lies in
// the team's namespace, where they may look:
//
//	status.conditions, of this generation → the Application and the step
//	status.inventory                      → the objects, each read by itself

// hidden reports whether the claim's Application may not be read. An error of another
// kind passes, and is no reason to go by less.
func (e *explainer) hidden(c *v1alpha1.ServiceClaim, app snapshot.Object) bool {
	name := e.applicationName(c)
	u, missed := e.set.Missed(kindApplication, name.Namespace, name.Name)
	return app == nil && missed && u.Why == ""
}

// spoken is what the claim's status says: Ready, or Drained while it is being deleted.
// It is nil where it speaks of another generation.
func spoken(c *v1alpha1.ServiceClaim) *metav1.Condition {
	kind := readiness.Ready
	if going(c) {
		kind = readiness.Drained
	}
	word := meta.FindStatusCondition(c.Status.Conditions, kind)
	if word == nil || word.ObservedGeneration != c.Generation || c.Status.ObservedGeneration != c.Generation {
		return nil
	}
	return word
}

// claimByStatus explains a claim whose Application is hidden.
func (e *explainer) claimByStatus(o snapshot.Object, c *v1alpha1.ServiceClaim, at stage) {
	word := spoken(c)
	facts := e.claimFacts(c, nil)
	taken := word != nil && going(c) && slices.Contains([]string{"ObjectsRemain", "ArgoCDAbsent"}, word.Reason)
	if !taken && (c.Status.Application != "" || going(c)) {
		facts.Application = &readiness.Remains{Going: going(c)}
	}
	if going(c) && facts.Application != nil {
		facts.Application.Finalizers = []string{argocd.FinalizerForeground}
		facts.Known = false // the operator alone knows whether it lets the Application go
	}
	e.claimSilent(c, word)
	step, _ := facts.Next()
	if facts.Force != "" {
		e.claimForced(c, nil, facts)
	} else if step != readiness.KeepApplication {
		e.operatorDown(at)
		e.claimLeft(c, facts, !taken, at)
		e.claimWord(o, word, at)
	}
	e.outOfReach(v1alpha1.NamespaceOf(c.Spec.Team))
	e.claimGoes(c, nil, facts)
	if len(e.report.Unread) > 0 {
		return // a plan would be a guess
	}
	e.report.Plan = e.claimPlan(facts, c)
	if going(c) && len(e.report.Plan) > 1 {
		e.report.Plan[0].Does = word.Message
	}
}

// claimSilent notes that the status says nothing of the claim as it is now: then the
// Application would have been needed.
func (e *explainer) claimSilent(c *v1alpha1.ServiceClaim, word *metav1.Condition) {
	if word != nil {
		return
	}
	e.needs(e.applicationName(c))
	why := "its status does not speak of generation " + strconv.FormatInt(c.Generation, 10) + " yet"
	if going(c) {
		why = "its status does not speak of the deletion yet"
	}
	e.report.Unread = append(e.report.Unread, snapshot.Unread{Verb: "go by", Group: kindClaim.Group, Resource: "serviceclaims",
		Kind: kindClaim.Kind, Name: c.Name, Why: why})
}

// claimWord adds what the operator says the claim waits for, where nothing else was found.
func (e *explainer) claimWord(o snapshot.Object, word *metav1.Condition, at stage) {
	if at == later || word == nil || len(e.report.Blockers) > 0 {
		return
	}
	b := e.held(o, v1alpha1.FinalizerClaim)
	b.Reason, b.Says, b.Command = word.Reason, word.Message, ""
	b.Next = "do what its message says"
	if row := ownership.BlockerOf(word.Reason); row.Next != "" {
		b.Next, b.Party = row.Next, row.Party
	}
	e.add(now, b)
}

// outOfReach notes what a team's people may not read and the status answers for: Argo
// CD's objects and workloads, and the Leases.
func (e *explainer) outOfReach(namespace string) {
	for _, u := range e.set.Unread() {
		kind := u.GroupKind()
		argo := kind == kindApplication && u.Name != "" || kind == kindProject
		workload := (kind == kindStatefulSet || kind == kindDeployment) && u.Namespace == e.settings.ArgoCDNamespace && u.Namespace != namespace
		if (argo || workload || kind == kindLease && u.Namespace == "") && !slices.Contains(e.report.Unread, u) {
			e.beyond(u)
		}
	}
}

// beyond notes what was not read and decides nothing.
func (e *explainer) beyond(u snapshot.Unread) {
	if !slices.Contains(e.report.Beyond, u) {
		e.report.Beyond = append(e.report.Beyond, u)
	}
}
