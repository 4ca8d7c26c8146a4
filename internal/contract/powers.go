package contract

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/ownership"
	rights "demarc.dev/demarc/internal/rbac"
)

// Power is a right from which others follow.
type Power struct {
	Name     string
	Requests []rights.Request
	// Namespaced is that it is one in a single namespace too.
	Namespaced bool
	// At is the namespace in which alone it is one, beside everywhere; empty is any.
	At Floor
	// Disturbs is that others are disturbed by it, and no other right follows.
	Disturbs bool
}

// Floor is a namespace from which the cluster is run.
type Floor string

// ArgoCDs is that of Argo CD, whatever its name is.
const ArgoCDs Floor = "Argo CD's"

// Everyday is the power that every team has at home.
const Everyday = "writing workloads, settings and access"

// Powers are all of them, the widest first.
func Powers() []Power {
	return append(slices.Clone(powers), Power{Name: Everyday, Requests: inTeams(), Namespaced: true})
}

var powers = []Power{
	{Name: "everything (*)", Requests: rights.Requests([]string{"*"}, "*", "*"), Namespaced: true},
	{Name: "escalate", Requests: rights.Requests([]string{"escalate"}, rbacv1.GroupName, "clusterroles", "roles"), Namespaced: true},
	{Name: "bind", Requests: rights.Requests([]string{"bind"}, rbacv1.GroupName, "clusterroles", "roles"), Namespaced: true},
	{Name: "impersonate", Requests: slices.Concat(rights.Requests([]string{"impersonate"}, "", "users", "groups", "serviceaccounts"),
		rights.Requests([]string{"impersonate"}, "authentication.k8s.io", "uids", "userextras", "userextras/scopes"),
		rights.Requests([]string{"impersonate:user-info"}, "authentication.k8s.io", "users"),
		rights.Requests([]string{"impersonate:serviceaccount"}, "authentication.k8s.io", "serviceaccounts")), Namespaced: true},
	// Whoever writes Applications where Argo CD runs has Argo CD's own rights, which are all.
	{Name: "writing Argo CD's Applications and projects", Requests: rights.Requests(rights.Writing, "argoproj.io", "applications", "applicationsets", "appprojects"), Namespaced: true, At: ArgoCDs},
	{Name: "nodes/proxy", Requests: rights.Requests([]string{"get", "create", "update", "patch", "delete"}, "", "nodes/proxy")},
	{Name: "writing nodes", Requests: slices.Concat(rights.Requests(rights.Writing, "", "nodes"), rights.Requests([]string{"update", "patch"}, "", "nodes/status"))},
	{Name: "writing PersistentVolumes (disks of nodes)", Requests: rights.Requests(rights.Writing, "", "persistentvolumes")},
	// By its labels a namespace is a team's, and may run pods of any kind. In a single
	// namespace it is a right on that one.
	{Name: "writing Namespaces", Requests: slices.Concat(rights.Requests(rights.Writing, "", "namespaces"), rights.Requests([]string{"update"}, "", "namespaces/finalize")), Namespaced: true},
	{Name: "reading Secrets", Requests: rights.Requests([]string{"get", "list", "watch"}, "", "secrets"), Namespaced: true},
	{Name: "shells in pods", Requests: slices.Concat(rights.Requests([]string{"create", "get"}, "", "pods/exec", "pods/attach"), rights.Requests([]string{"update", "patch"}, "", "pods/ephemeralcontainers")), Namespaced: true},
	{Name: "connections to pods past network policies", Requests: slices.Concat(rights.Requests([]string{"create", "get"}, "", "pods/portforward"),
		rights.Requests([]string{"get", "create", "update", "patch", "delete"}, "", "pods/proxy", "services/proxy")), Namespaced: true},
	{Name: "tokens of ServiceAccounts", Requests: rights.Requests([]string{"create"}, "", "serviceaccounts/token"), Namespaced: true},
	{Name: "writing admission", Requests: rights.Requests(rights.Writing, "admissionregistration.k8s.io", "mutatingwebhookconfigurations", "validatingwebhookconfigurations",
		"mutatingadmissionpolicies", "mutatingadmissionpolicybindings", "validatingadmissionpolicies", "validatingadmissionpolicybindings")},
	{Name: "writing CRDs", Requests: rights.Requests(rights.Writing, "apiextensions.k8s.io", "customresourcedefinitions")},
	{Name: "writing APIServices", Requests: rights.Requests(rights.Writing, "apiregistration.k8s.io", "apiservices")},
	{Name: "writing cluster roles", Requests: rights.Requests(rights.Writing, rbacv1.GroupName, "clusterroles", "clusterrolebindings")},
	{Name: "approving certificates", Requests: slices.Concat(rights.Requests([]string{"approve", "sign"}, "certificates.k8s.io", "signers"),
		rights.Requests([]string{"update", "patch"}, "certificates.k8s.io", "certificatesigningrequests/approval"))},
	{Name: "Demarc's verb override", Requests: rights.Requests([]string{ownership.VerbOverride}, "demarc.dev", "ownershipcontracts")},
	{Name: "Demarc's verb force", Requests: rights.Requests([]string{ownership.VerbForce}, "demarc.dev", "serviceclaims", "tenants")},
	{Name: "Demarc's verb deploy", Requests: rights.Requests([]string{ownership.VerbDeploy}, "demarc.dev", "serviceclaims")},
	{Name: "Demarc's verb approve", Requests: rights.Requests([]string{ownership.VerbApprove}, "demarc.dev", "accessgrants", "budgetrequests", "guardrailexceptions")},
	{Name: "Demarc's marks (finalizers)", Requests: rights.Requests([]string{"update"}, "demarc.dev", "serviceclaims/finalizers", "accessgrants/finalizers", "budgetrequests/finalizers", "guardrailexceptions/finalizers")},
	{Name: "the state of grants", Requests: rights.Requests([]string{"update", "patch"}, "demarc.dev", "accessgrants/status", "budgetrequests/status", "guardrailexceptions/status")},
	{Name: "writing Demarc's settings and Tenants", Requests: slices.Concat(rights.Requests(rights.Writing, "demarc.dev", "platforms", "ownershipcontracts"),
		rights.Requests([]string{"create", "update", "delete", "deletecollection"}, "demarc.dev", "tenants"))},
	{Name: "evicting pods and placing them on nodes", Requests: rights.Requests([]string{"create"}, "", "pods/eviction", "pods/binding", "bindings"), Namespaced: true, Disturbs: true},
}

// inTeams are the writes on what lives in a team's namespace.
func inTeams() (all []rights.Request) {
	for _, r := range Default().Rows() {
		if !r.Cluster && (r.Hand.Any() || r.Reserved.Any()) && r.Group != "argoproj.io" {
			all = append(all, rights.Requests(rights.Writing, r.Group, r.Resource)...)
		}
	}
	return all
}
