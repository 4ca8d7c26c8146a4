package readiness

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/contract"
)

// Condition types of a ServiceClaim.
const (
	TenantReady   = "TenantReady"
	DeliveryReady = "DeliveryReady"
	WorkloadReady = "WorkloadReady"
	Drained       = "Drained"
)

// Claim is all that was gathered about one claim. What is nil was looked for and
// is not there.
type Claim struct {
	Claim *v1alpha1.ServiceClaim
	// Tenant of the claim.
	Tenant *v1alpha1.Tenant
	// ArgoCD says that its CRDs are served.
	ArgoCD bool
	// Desired is the Application as rendered, nil where it could not be.
	Desired *unstructured.Unstructured
	// Trouble is what kept the Application from being rendered or written.
	Trouble *Trouble
	// Application is the live one, of ours.
	Application *argocd.Application
	// ApplicationGoing says that it is being deleted.
	ApplicationGoing bool
	// Hosts that the claim asks for, and that are its own.
	Hosts []string
	// Live is what a claim with an image runs as.
	Live Live
	// Pods of that.
	Pods []corev1.Pod
	// Quota of the team's namespace.
	Quota *corev1.ResourceQuota
	// Workloads of a claim with a source.
	Workloads []Workload
	// Diagnosis is what triage finds of it.
	Diagnosis Diagnosis
}

// Trouble is an error sorted to a reason.
type Trouble struct {
	Reason  string
	Message string
}

// Workload is what Ready asks of a tracked workload of any kind.
type Workload struct {
	Kind, Name string
	// Selector of its pods.
	Selector *metav1.LabelSelector
	// Missing says that it is tracked and not there.
	Missing bool
	// Observed says that its controller has seen its latest spec.
	Observed bool
	// Asked is the number wanted; Available the number there and updated.
	Asked, Available int32
	// Refused is the message with which its pods are refused, if they are.
	Refused string
	// Trouble is what keeps one of its pods from running, if something does.
	Trouble *Trouble
}

// ClaimStatus is what is to be said about a claim.
type ClaimStatus struct {
	Conditions []metav1.Condition
	Running    *v1alpha1.ClaimRunning
	Hosts      []string
	Inventory  []v1alpha1.ClaimObject
	Findings   []v1alpha1.ClaimFinding
}

// Decide says what a claim's conditions are. Each check is one line here; the
// first that is not True gives the reason of Ready.
func (c Claim) Decide() ClaimStatus {
	tenant := c.tenant()
	delivery := c.delivery(tenant)
	workload := c.workload(delivery)
	ready := summary(tenant, delivery, workload)
	out := ClaimStatus{
		Conditions: withProgress([]metav1.Condition{tenant, delivery, workload, ready}, ready),
		Running:    c.Claim.Status.Running,
	}
	proven := ready.Status == metav1.ConditionTrue
	if proven {
		out.Running = c.running()
	}
	out.Hosts = c.hosts(delivery.Status == metav1.ConditionTrue)
	out.Inventory = c.inventory(proven)
	diagnosed, findings := c.Diagnosis.status(c.Claim)
	out.Conditions, out.Findings = append(out.Conditions, diagnosed...), findings
	return out
}

// summary is Ready: the first of the three that does not hold. A Tenant that is
// not ready holds back what has not been delivered; a service that runs as asked
// is Ready whatever happens to its Tenant since.
func summary(tenant, delivery, workload metav1.Condition) metav1.Condition {
	parts := []metav1.Condition{tenant, delivery, workload}
	if delivery.Status == metav1.ConditionTrue {
		parts = parts[1:]
	}
	if ready, holds := firstThatFails(parts); !holds {
		return ready
	}
	if workload.Reason != "Running" {
		return yes(Ready, workload.Reason, workload.Message)
	}
	return yes(Ready, "Running", workload.Message+", as asked")
}

// tenant is "not yet" in each of its cases; nothing here is refused.
func (c Claim) tenant() metav1.Condition {
	team := c.Claim.Spec.Team
	switch {
	case c.Tenant == nil:
		return no(TenantReady, "TenantNotFound", fmt.Sprintf("waiting for Tenant %s, which does not exist yet", team))
	case c.Tenant.DeletionTimestamp != nil:
		return no(TenantReady, "TenantTerminating", fmt.Sprintf("Tenant %s is being deleted", team))
	case !TenantIsReady(c.Tenant):
		return no(TenantReady, "TenantNotReady", fmt.Sprintf("waiting for Tenant %s to become ready%s", team, why(c.Tenant)))
	default:
		return yes(TenantReady, "TenantReady", fmt.Sprintf("Tenant %s is ready", team))
	}
}

func (c Claim) running() *v1alpha1.ClaimRunning {
	r := &v1alpha1.ClaimRunning{Image: c.Claim.Spec.Image}
	r.Replicas = c.Live.count().available
	for _, w := range c.Workloads {
		r.Replicas += w.Available
	}
	if c.Application != nil {
		r.Revision = c.Application.Status.Sync.Revision
	}
	return r
}

// hosts are those that the claim holds. One that it asks for no longer is its own until
// what served it is known to be gone.
func (c Claim) hosts(delivered bool) []string {
	held := slices.Clone(c.Hosts)
	if !delivered {
		held = append(held, c.Claim.Status.Hosts...)
	}
	slices.Sort(held)
	return slices.Compact(held)
}

// inventory is what the Application tracks. While the claim is not proven to run
// nothing is taken out of it: what was tracked before may still be there, and the
// drain must not forget it.
func (c Claim) inventory(proven bool) []v1alpha1.ClaimObject {
	if c.Application == nil {
		return c.Claim.Status.Inventory
	}
	if proven {
		return Tracked(c.Claim.Spec.Team, nil, c.Application)
	}
	return Tracked(c.Claim.Spec.Team, c.Claim.Status.Inventory, c.Application)
}

// maxInventory is what the API takes.
const maxInventory = 1000

// Tracked is what an Application tracks now, and what is known from before: only
// what its project lets it deliver, since Argo CD lists what was refused as well.
func Tracked(team string, before []v1alpha1.ClaimObject, app *argocd.Application) []v1alpha1.ClaimObject {
	var now []v1alpha1.ClaimObject
	for _, r := range app.Status.Resources {
		o := v1alpha1.ClaimObject{Group: r.Group, Version: r.Version, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
		if !r.Hook && r.Name != "" && deliverable(team, o) {
			now = append(now, o)
		}
	}
	for _, o := range before {
		if !tracks(now, o) {
			now = append(now, o)
		}
	}
	return now[:min(len(now), maxInventory)]
}

// deliverable are kinds that the shipped contract lets Git bring: those that the operator
// may read. Others that a contract adds are Argo CD's alone to take down.
func deliverable(team string, o v1alpha1.ClaimObject) bool {
	for _, k := range contract.Default().Deliverable(true) {
		if k.Group == o.Group && k.Kind == o.Kind {
			return k.Cluster || o.Namespace == v1alpha1.NamespaceOf(team)
		}
	}
	return false
}

// tracks compares without the version: the same object is served in several.
func tracks(list []v1alpha1.ClaimObject, o v1alpha1.ClaimObject) bool {
	for _, l := range list {
		if l.Group == o.Group && l.Kind == o.Kind && l.Namespace == o.Namespace && l.Name == o.Name {
			return true
		}
	}
	return false
}
