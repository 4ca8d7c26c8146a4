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
}

// Everyday is the power that every team has at home.
const Everyday = "writing workloads, settings and access"

// Powers are all of them, the widest first.
func Powers() []Power { return append(slices.Clone(powers), Power{Everyday, inTeams(), true}) }

var powers = []Power{
	{"everything (*)", rights.Requests([]string{"*"}, "*", "*"), true},
	{"escalate", rights.Requests([]string{"escalate"}, rbacv1.GroupName, "clusterroles", "roles"), true},
	{"bind", rights.Requests([]string{"bind"}, rbacv1.GroupName, "clusterroles", "roles"), true},
	{"impersonate", slices.Concat(rights.Requests([]string{"impersonate"}, "", "users", "groups", "serviceaccounts"),
		rights.Requests([]string{"impersonate"}, "authentication.k8s.io", "uids", "userextras", "userextras/scopes"),
		rights.Requests([]string{"impersonate:user-info"}, "authentication.k8s.io", "users"),
		rights.Requests([]string{"impersonate:serviceaccount"}, "authentication.k8s.io", "serviceaccounts")), true},
	{"nodes/proxy", rights.Requests([]string{"get", "create", "update", "patch", "delete"}, "", "nodes/proxy"), false},
	{"reading Secrets", rights.Requests([]string{"get", "list", "watch"}, "", "secrets"), true},
	{"shells in pods", slices.Concat(rights.Requests([]string{"create", "get"}, "", "pods/exec", "pods/attach"), rights.Requests([]string{"update", "patch"}, "", "pods/ephemeralcontainers")), true},
	{"tokens of ServiceAccounts", rights.Requests([]string{"create"}, "", "serviceaccounts/token"), true},
	{"writing admission", rights.Requests(rights.Writing, "admissionregistration.k8s.io", "mutatingwebhookconfigurations", "validatingwebhookconfigurations",
		"mutatingadmissionpolicies", "mutatingadmissionpolicybindings", "validatingadmissionpolicies", "validatingadmissionpolicybindings"), false},
	{"writing CRDs", rights.Requests(rights.Writing, "apiextensions.k8s.io", "customresourcedefinitions"), false},
	{"writing APIServices", rights.Requests(rights.Writing, "apiregistration.k8s.io", "apiservices"), false},
	{"writing cluster roles", rights.Requests(rights.Writing, rbacv1.GroupName, "clusterroles", "clusterrolebindings"), false},
	{"approving certificates", slices.Concat(rights.Requests([]string{"approve", "sign"}, "certificates.k8s.io", "signers"),
		rights.Requests([]string{"update", "patch"}, "certificates.k8s.io", "certificatesigningrequests/approval")), false},
	{"Demarc's verb override", rights.Requests([]string{ownership.VerbOverride}, "demarc.dev", "ownershipcontracts"), false},
	{"Demarc's verb force", rights.Requests([]string{ownership.VerbForce}, "demarc.dev", "serviceclaims", "tenants"), false},
	{"Demarc's verb deploy", rights.Requests([]string{ownership.VerbDeploy}, "demarc.dev", "serviceclaims"), false},
	{"Demarc's verb approve", rights.Requests([]string{ownership.VerbApprove}, "demarc.dev", "accessgrants", "budgetrequests"), false},
	{"Demarc's marks (finalizers)", rights.Requests([]string{"update"}, "demarc.dev", "serviceclaims/finalizers", "accessgrants/finalizers", "budgetrequests/finalizers"), false},
	{"the state of grants", rights.Requests([]string{"update", "patch"}, "demarc.dev", "accessgrants/status", "budgetrequests/status"), false},
	{"writing Demarc's settings and Tenants", slices.Concat(rights.Requests(rights.Writing, "demarc.dev", "platforms", "ownershipcontracts"),
		rights.Requests([]string{"create", "update", "delete", "deletecollection"}, "demarc.dev", "tenants")), false},
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
