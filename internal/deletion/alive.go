package deletion

import (
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"

	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
)

// ArgoCDController is the name of Argo CD's application controller, of its workload
// and in the label app.kubernetes.io/name.
const ArgoCDController = "argocd-application-controller"

// Leases are those by which it is seen whether a controller runs.
var Leases = []string{operatorLease, managerLease}

const (
	operatorLease = "demarc-operator"
	managerLease  = "kube-controller-manager"
)

// argoDown adds Argo CD's controller where it is seen not to run: its workload has no
// pod that is ready. A controller that is no workload of this cluster is not seen.
func (e *explainer) argoDown(at stage) (root string) {
	var down snapshot.Object
	for _, o := range append(e.set.Of(kindStatefulSet), e.set.Of(kindDeployment)...) {
		if o.GetNamespace() != e.settings.ArgoCDNamespace || !isArgoController(o) {
			continue
		}
		if ready(o) {
			return ""
		}
		down = o
	}
	if down == nil {
		return ""
	}
	row := ownership.BlockerOf("ArgoCDDown")
	e.add(at, Blocker{
		Object: ObjectOf(down), Reason: "ArgoCDDown", Controller: argoCD, Party: row.Party, Next: row.Next,
		Says: "no pod of it is ready", Command: "kubectl describe " + ObjectOf(down).Kubectl(),
	})
	return ObjectOf(down).String()
}

func isArgoController(o snapshot.Object) bool {
	return o.GetName() == ArgoCDController || o.GetLabels()["app.kubernetes.io/name"] == ArgoCDController
}

// ready reports whether a workload has a pod that is ready; what cannot be told is.
func ready(o snapshot.Object) bool {
	if ObjectOf(o).GroupKind() == kindDeployment {
		d, err := snapshot.Into[appsv1.Deployment](o)
		return err != nil || d.Status.ReadyReplicas > 0
	}
	s, err := snapshot.Into[appsv1.StatefulSet](o)
	return err != nil || s.Status.ReadyReplicas > 0
}

// argoSilent says that Argo CD has written to no Application since a deletion was asked
// for, and to none of its objects either. It is the last guess, where nothing else was found.
func (e *explainer) argoSilent(app snapshot.Object) (Blocker, bool) {
	asked := since(app)
	if asked == nil || e.set.At.Sub(*asked) < patience {
		return Blocker{}, false
	}
	last := e.argoWrote()
	if last.After(*asked) {
		return Blocker{}, false
	}
	row := ownership.BlockerOf("ArgoCDSilent")
	b := Blocker{
		Object: Object{Kind: "Controller", Namespace: e.settings.ArgoCDNamespace, Name: ArgoCDController}, Reason: "ArgoCDSilent",
		Controller: argoCD, Party: row.Party, Since: asked, Next: row.Next,
		Says:    "nothing of what was delivered is being deleted, and it has written to no Application since the deletion was asked for",
		Command: "kubectl get pods -A -l app.kubernetes.io/name=" + ArgoCDController,
	}
	if !last.IsZero() {
		b.Says += "; its last write that is seen was at " + last.UTC().Format(time.RFC3339)
	}
	return b, true
}

// argoWrote is when Argo CD's controller is last seen to have written to an Application.
func (e *explainer) argoWrote() time.Time {
	var last time.Time
	for _, o := range append(e.set.Of(kindApplication), e.set.Of(kindProject)...) {
		for _, m := range o.GetManagedFields() {
			if m.Time != nil && m.Time.After(last) && isArgoManager(m.Manager) {
				last = m.Time.Time
			}
		}
	}
	return last
}

// isArgoManager knows the names under which Argo CD's controller writes.
func isArgoManager(manager string) bool {
	return manager == "argocd-controller" || strings.HasPrefix(manager, ArgoCDController)
}

// operatorDown adds Demarc's operator where its Lease was let run out.
func (e *explainer) operatorDown(at stage) (root string) {
	return e.leaseOut(at, operatorLease, "OperatorDown", operator)
}

// managerDown adds Kubernetes' controllers where their Lease was let run out.
func (e *explainer) managerDown(at stage) (root string) {
	return e.leaseOut(at, managerLease, "ControllersDown", "Kubernetes' controllers")
}

func (e *explainer) leaseOut(at stage, name, reason, controller string) (root string) {
	for _, o := range e.set.Of(kindLease) {
		lease, err := snapshot.Into[coordinationv1.Lease](o)
		if err != nil || o.GetName() != name || lease.Spec.RenewTime == nil || lease.Spec.LeaseDurationSeconds == nil {
			continue
		}
		out := lease.Spec.RenewTime.Add(time.Duration(*lease.Spec.LeaseDurationSeconds) * time.Second)
		if e.set.At.Before(out) {
			return ""
		}
		renewed := lease.Spec.RenewTime.UTC()
		row := ownership.BlockerOf(reason)
		e.add(at, Blocker{
			Object: ObjectOf(o), Reason: reason, Controller: controller, Party: row.Party, Since: &renewed, Next: row.Next,
			Says: "its Lease has not been renewed since", Command: "kubectl -n " + o.GetNamespace() + " get pods",
		})
		return ObjectOf(o).String()
	}
	return ""
}
