package contract

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/ownership"
)

// operation is a right beside the plain verbs on a kind.
type operation struct {
	name string
	// suffix of the resource in addresses: a subresource, or nothing.
	suffix string
	verbs  []string
	// kinds that it may stand on: those that have the subresource, or of which a policy
	// holds who has the verb to what the operation is.
	kinds []schema.GroupKind
	// roles that it may be given to; empty is each of the three. What is done with a kind
	// without a namespace takes a right there beside the verb, and not every role has one.
	roles []v1alpha1.TeamRole
}

var (
	pod    = of("", "Pod")
	claim  = of(demarc, "ServiceClaim")
	scaled = slices.Concat(of(apps, "Deployment", "StatefulSet", "ReplicaSet"), of("", "ReplicationController"))

	onlyEdit    = []v1alpha1.TeamRole{v1alpha1.TeamEdit}
	fromOperate = []v1alpha1.TeamRole{v1alpha1.TeamOperate, v1alpha1.TeamEdit}
)

// operations are those that a contract may name, in the order of rules in roles.
var operations = []operation{
	{"logs", "/log", []string{"get", "list"}, pod, nil},
	{"status", "/status", []string{"get"}, withStatus, nil},
	{"readScale", "/scale", []string{"get"}, scaled, nil},
	// What an on-call needs that changes nothing of what Git says: another is made.
	{"delete", "", []string{"delete"}, slices.Concat(pod, of(batch, "Job")), nil},
	{"exec", "/exec", []string{"create", "get"}, pod, nil},
	{"portForward", "/portforward", []string{"create", "get"}, pod, nil},
	{scales, "", []string{ownership.VerbScale}, claim, fromOperate},
	{"evict", "/eviction", []string{"create"}, pod, nil},
	{"scale", "/scale", []string{"patch", "update"}, scaled, nil},
	{deploys, "", []string{ownership.VerbDeploy}, claim, onlyEdit},
	{"contact", "", []string{ownership.VerbContact}, of(demarc, "Tenant"), onlyEdit},
	{asks, "", []string{ownership.VerbRequest}, of(demarc, "AccessGrant", "BudgetRequest", "GuardrailException"), nil},
	{approves, "", []string{ownership.VerbApprove}, of(demarc, "AccessGrant", "BudgetRequest", "GuardrailException"), nil},
	// Patch without update: the policy demarc-restart lets nothing but the mark of a
	// restart differ, and looks at these kinds alone.
	{restarts, "", []string{"patch"}, of(apps, "DaemonSet", "Deployment", "StatefulSet"), nil},
}

const (
	// asks is the operation by which people ask for what a domain's approves then answers;
	// approves follows from that answer and is not written in a contract.
	asks, approves = "request", "approve"
	// deploys follows from who writes ServiceClaims, whether or not a contract names it.
	deploys, scales, restarts = "deploy", "scaleClaim", "restart"
)

// withStatus are the kinds of team namespaces that have a status by itself.
var withStatus = slices.Concat(pod, of("", "Service", "PersistentVolumeClaim", "ResourceQuota", "ReplicationController"),
	of(apps, "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"), of(batch, "CronJob", "Job"),
	of("autoscaling", "HorizontalPodAutoscaler"), of("policy", "PodDisruptionBudget"), of(networking, "Ingress"))

func of(group string, kinds ...string) (all []schema.GroupKind) {
	for _, kind := range kinds {
		all = append(all, schema.GroupKind{Group: group, Kind: kind})
	}
	return all
}

func operationOf(name string) (operation, bool) {
	for _, o := range operations {
		if o.name == name {
			return o, true
		}
	}
	return operation{}, false
}

// Takes says what an operation takes: verbs on a subresource of the kind, or on the
// kind itself where that is empty; ok is whether there is such an operation.
func Takes(name string) (subresource string, verbs []string, ok bool) {
	o, ok := operationOf(name)
	return strings.TrimPrefix(o.suffix, "/"), slices.Clone(o.verbs), ok
}

func standsOn(name string, gk schema.GroupKind) bool {
	o, _ := operationOf(name)
	return slices.Contains(o.kinds, gk)
}

// Operations are the names that a contract may use.
func Operations() []string {
	names := make([]string, 0, len(operations))
	for _, o := range operations {
		if o.name != approves {
			names = append(names, o.name)
		}
	}
	slices.Sort(names)
	return names
}

// settle what follows from the answers: who deploys, and that nothing is done with what is
// the platform's alone.
func (r *Row) settle() {
	if standsOn(deploys, r.GroupKind()) && r.Hand.Any() {
		r.Operations[deploys] = Edit
	}
	for name := range r.Operations {
		if r.Reserved.refuses(name) {
			r.Operations[name] = Never
		}
	}
}

// refuses says whether admission would refuse what an operation does to an object, were
// these ways the platform's alone.
func (w Writes) refuses(name string) bool {
	o, _ := operationOf(name)
	return o.suffix == "" && (w.Modify && slices.Contains(o.verbs, "patch") || w.Delete && slices.Contains(o.verbs, "delete"))
}
