package ownership

// Kind is one row: a kind that lives in a team's namespace and who may do what
// with it. Verbs are listed one by one, never "*": a "*" includes escalate and bind.
type Kind struct {
	Group    string
	Kind     string
	Resource string
	// Read is who may get, list and watch it: a role and all above it.
	Read Level
	// Write is who may create, change and delete it by hand.
	Write Level
	// Restart is who may restart it: patch without update, where the policy
	// demarc-restart lets nothing but the mark of a restart differ.
	Restart Level
	// Delivered says that a team's Git may bring it.
	Delivered bool
	// Guarded kinds are delivered only where Argo CD acts as the team's
	// ServiceAccount, so that Kubernetes' own escalation check holds for Git.
	Guarded bool
	// Cluster kinds live outside the namespace; no role in it speaks of them.
	Cluster bool
	// PlatformShare says that the platform keeps objects of this kind in team
	// namespaces; those of ours are protected by policy.
	PlatformShare bool
}

// Level orders the three roles of a team; each includes those before it.
type Level int

const (
	// Never: no role of a team has it.
	Never Level = iota
	// View and all above it.
	View
	// Operate and Edit.
	Operate
	// Edit alone.
	Edit
)

// Kinds is the table. Order is the order of rules in the roles.
var Kinds = []Kind{
	{Group: "", Kind: "Pod", Resource: "pods", Read: View, Write: Edit, Delivered: true},
	{Group: "", Kind: "ConfigMap", Resource: "configmaps", Read: View, Write: Edit, Delivered: true},
	{Group: "", Kind: "Secret", Resource: "secrets", Read: Edit, Write: Edit, Delivered: true},
	{Group: "", Kind: "Service", Resource: "services", Read: View, Write: Edit, Delivered: true},
	{Group: "", Kind: "ServiceAccount", Resource: "serviceaccounts", Read: View, Write: Edit, Delivered: true, PlatformShare: true},
	{Group: "", Kind: "PersistentVolumeClaim", Resource: "persistentvolumeclaims", Read: View, Write: Edit, Delivered: true},
	{Group: "", Kind: "Endpoints", Resource: "endpoints", Read: View},
	{Group: "", Kind: "Event", Resource: "events", Read: View},
	{Group: "", Kind: "ResourceQuota", Resource: "resourcequotas", Read: View, PlatformShare: true},
	{Group: "", Kind: "LimitRange", Resource: "limitranges", Read: View, PlatformShare: true},
	{Group: "apps", Kind: "Deployment", Resource: "deployments", Read: View, Restart: Operate, Write: Edit, Delivered: true},
	{Group: "apps", Kind: "StatefulSet", Resource: "statefulsets", Read: View, Restart: Operate, Write: Edit, Delivered: true},
	{Group: "apps", Kind: "DaemonSet", Resource: "daemonsets", Read: View, Restart: Operate, Write: Edit, Delivered: true},
	{Group: "apps", Kind: "ReplicaSet", Resource: "replicasets", Read: View, Write: Edit, Delivered: true},
	{Group: "apps", Kind: "ControllerRevision", Resource: "controllerrevisions", Read: View},
	{Group: "batch", Kind: "Job", Resource: "jobs", Read: View, Write: Edit, Delivered: true},
	{Group: "batch", Kind: "CronJob", Resource: "cronjobs", Read: View, Write: Edit, Delivered: true},
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler", Resource: "horizontalpodautoscalers", Read: View, Write: Edit, Delivered: true},
	{Group: "policy", Kind: "PodDisruptionBudget", Resource: "poddisruptionbudgets", Read: View, Write: Edit, Delivered: true},
	{Group: "networking.k8s.io", Kind: "Ingress", Resource: "ingresses", Read: View, Write: Edit, Delivered: true},
	{Group: "networking.k8s.io", Kind: "NetworkPolicy", Resource: "networkpolicies", Read: View, PlatformShare: true},
	{Group: "discovery.k8s.io", Kind: "EndpointSlice", Resource: "endpointslices", Read: View},
	{Group: "events.k8s.io", Kind: "Event", Resource: "events", Read: View},
	// A team's own claims: the policy on claims asks whoever Argo CD acts as.
	{Group: "demarc.dev", Kind: "ServiceClaim", Resource: "serviceclaims", Delivered: true, Guarded: true, Cluster: true},
	// Within Kubernetes' own escalation check, and the policy demarc-bindings: they
	// bind accounts of the same namespace and nobody else.
	{Group: "rbac.authorization.k8s.io", Kind: "Role", Resource: "roles", Read: View, Write: Edit, Delivered: true, Guarded: true},
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding", Resource: "rolebindings", Read: View, Write: Edit, Delivered: true, Guarded: true, PlatformShare: true},
}

// subresource is a right beside the plain verbs on a kind.
type subresource struct {
	group, resource string
	verbs           []string
	from            Level
}

// subresources lists what is not a plain read or write of a kind.
var subresources = []subresource{
	{"", "pods/log", []string{"get", "list"}, View},
	{"", "pods/status", []string{"get"}, View},
	{"apps", "deployments/scale", []string{"get"}, View},
	{"apps", "statefulsets/scale", []string{"get"}, View},
	// Operate: what an on-call needs that changes nothing of what Git says.
	{"", "pods", []string{"delete"}, Operate},
	{"", "pods/exec", []string{"create", "get"}, Operate},
	{"", "pods/portforward", []string{"create", "get"}, Operate},
	{"demarc.dev", "serviceclaims", []string{VerbScale}, Operate},
	{"", "pods/eviction", []string{"create"}, Edit},
	{"apps", "deployments/scale", []string{"patch", "update"}, Edit},
	{"apps", "statefulsets/scale", []string{"patch", "update"}, Edit},
	{"demarc.dev", "serviceclaims", []string{VerbDeploy}, Edit},
}

// Deliverable lists the kinds that Git may deliver into a team's namespace.
func Deliverable(impersonated bool) []Kind {
	var out []Kind
	for _, k := range Kinds {
		if k.Delivered && (impersonated || !k.Guarded) {
			out = append(out, k)
		}
	}
	return out
}
