package verify

import (
	"slices"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/rbac"
)

// power is a right from which others follow.
type power struct {
	name     string
	requests []rbac.Request
	// namespaced is that it is one in a single namespace too.
	namespaced bool
}

var writing = []string{"create", "update", "patch", "delete", "deletecollection"}

// everyday is the one that every team has at home.
const everyday = "writing workloads, settings and access"

// powers are all of them, the widest first.
var powers = []power{
	{"everything (*)", each([]string{"*"}, "*", "*"), true},
	{"escalate", each([]string{"escalate"}, rbacGroup, "clusterroles", "roles"), true},
	{"bind", each([]string{"bind"}, rbacGroup, "clusterroles", "roles"), true},
	{"impersonate", slices.Concat(each([]string{"impersonate"}, "", "users", "groups", "serviceaccounts"),
		each([]string{"impersonate"}, "authentication.k8s.io", "uids", "userextras", "userextras/scopes"),
		each([]string{"impersonate:user-info"}, "authentication.k8s.io", "users"),
		each([]string{"impersonate:serviceaccount"}, "authentication.k8s.io", "serviceaccounts")), true},
	{"nodes/proxy", each([]string{"get", "create", "update", "patch", "delete"}, "", "nodes/proxy"), false},
	{"reading Secrets", each([]string{"get", "list", "watch"}, "", "secrets"), true},
	{"shells in pods", slices.Concat(each([]string{"create", "get"}, "", "pods/exec", "pods/attach"), each([]string{"update", "patch"}, "", "pods/ephemeralcontainers")), true},
	{"tokens of ServiceAccounts", each([]string{"create"}, "", "serviceaccounts/token"), true},
	{"writing admission", each(writing, "admissionregistration.k8s.io", "mutatingwebhookconfigurations", "validatingwebhookconfigurations",
		"mutatingadmissionpolicies", "mutatingadmissionpolicybindings", "validatingadmissionpolicies", "validatingadmissionpolicybindings"), false},
	{"writing CRDs", each(writing, "apiextensions.k8s.io", "customresourcedefinitions"), false},
	{"writing APIServices", each(writing, "apiregistration.k8s.io", "apiservices"), false},
	{"writing cluster roles", each(writing, rbacGroup, "clusterroles", "clusterrolebindings"), false},
	{"approving certificates", slices.Concat(each([]string{"approve", "sign"}, "certificates.k8s.io", "signers"),
		each([]string{"update", "patch"}, "certificates.k8s.io", "certificatesigningrequests/approval")), false},
	{"Demarc's verb override", each([]string{ownership.VerbOverride}, "demarc.dev", "ownershipcontracts"), false},
	{"Demarc's verb force", each([]string{ownership.VerbForce}, "demarc.dev", "serviceclaims", "tenants"), false},
	{"Demarc's verb deploy", each([]string{ownership.VerbDeploy}, "demarc.dev", "serviceclaims"), false},
	{"Demarc's verb approve", each([]string{ownership.VerbApprove}, "demarc.dev", "accessgrants", "budgetrequests"), false},
	{"Demarc's marks (finalizers)", each([]string{"update"}, "demarc.dev", "serviceclaims/finalizers", "accessgrants/finalizers", "budgetrequests/finalizers"), false},
	{"the state of grants", each([]string{"update", "patch"}, "demarc.dev", "accessgrants/status", "budgetrequests/status"), false},
	{"writing Demarc's settings and Tenants", slices.Concat(each(writing, "demarc.dev", "platforms", "ownershipcontracts"),
		each([]string{"create", "update", "delete", "deletecollection"}, "demarc.dev", "tenants")), false},
	{everyday, inTeams(), true},
}

func each(verbs []string, group string, resources ...string) (all []rbac.Request) {
	for _, resource := range resources {
		for _, verb := range verbs {
			all = append(all, rbac.Request{Verb: verb, Group: group, Resource: resource})
		}
	}
	return all
}

// inTeams are the writes on what lives in a team's namespace.
func inTeams() (all []rbac.Request) {
	for _, r := range contract.Default().Rows() {
		if !r.Cluster && (r.Hand.Any() || r.Reserved.Any()) && r.Group != "argoproj.io" {
			all = append(all, each(writing, r.Group, r.Resource)...)
		}
	}
	return all
}
