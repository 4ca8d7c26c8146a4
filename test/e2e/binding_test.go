package e2e

import (
	"strings"
	"testing"
)

func bindingOf(name, role, subjects string) string {
	kind := "Role"
	if cluster, ok := strings.CutPrefix(role, "cluster/"); ok {
		kind, role = "ClusterRole", cluster
	}
	return "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: " + name + ", namespace: team-ties}\n" +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: " + kind + ", name: '" + role + "'}\nsubjects: [" + subjects + "]"
}

func roleWith(name, rule string) string {
	return "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: " + name + ", namespace: team-ties}\nrules: [{" + rule + "}]"
}

// A team binds roles of its own to accounts of its own, and to nobody else: which
// people may do what is said in the Tenant.
func TestBindingsOfATeam(t *testing.T) {
	t.Parallel()
	const (
		own     = "{kind: ServiceAccount, name: app, namespace: team-ties}"
		foreign = "{kind: ServiceAccount, name: app, namespace: default}"
		person  = "{kind: User, apiGroup: rbac.authorization.k8s.io, name: eve}"
		group   = "{kind: Group, apiGroup: rbac.authorization.k8s.io, name: 'system:serviceaccounts:team-ties'}"
		create  = "create --dry-run=server -f -"
		says    = "a team binds ServiceAccounts of its own namespace, and not "
	)
	reader := roleWith("reader", `apiGroups: [""], resources: [configmaps], verbs: [get, list]`)
	apply(t, onCall("ties"))
	tenantSays(t, "ties", "Ready", "TenantReady")
	// One that was there before this rule: an administrator may still make it.
	apply(t, reader, bindingOf("old", "reader", person))
	editor, git, oncall := as("dev", "ties"), asDeliver("ties"), asUser("ties-oncall")
	try(t, []attack{
		{"a role", editor, "apply -f -", roleWith("mine", `apiGroups: [""], resources: [pods], verbs: [get]`), ""},
		{"a role by operate", oncall, create, roleWith("mine", `apiGroups: [""], resources: [pods], verbs: [get]`), `cannot create resource "roles"`},
		{"a role of all", editor, create, roleWith("all", `apiGroups: ["*"], resources: ["*"], verbs: ["*"]`), "attempting to grant RBAC permissions not currently held"},
		{"a role that mints tokens", editor, create, roleWith("mint", `apiGroups: [""], resources: [serviceaccounts/token], verbs: [create]`), "not currently held"},
		{"a role that impersonates", editor, create, roleWith("as", `apiGroups: [""], resources: [users], verbs: [impersonate]`), "not currently held"},
		{"a role that forces", editor, create, roleWith("force", `apiGroups: [demarc.dev], resources: [serviceclaims], verbs: [force]`), "not currently held"},
		{"a role that lifts the quota", editor, create, roleWith("quota", `apiGroups: [""], resources: [resourcequotas], verbs: [delete]`), "not currently held"},

		{"to an account of its own", editor, create, bindingOf("new", "reader", own), ""},
		{"to an account of its own by Git", git, create, bindingOf("new", "reader", own), ""},
		{"by operate", oncall, create, bindingOf("new", "reader", own), `cannot create resource "rolebindings"`},
		{"to an account elsewhere", editor, create, bindingOf("new", "reader", foreign), says + "ServiceAccount app"},
		{"to a person", editor, create, bindingOf("new", "reader", person), says + "User eve: who of its people may do what is said in spec.access"},
		{"to a person by Git", git, create, bindingOf("new", "reader", person), says + "User eve"},
		{"to a group", editor, create, bindingOf("new", "reader", group), says + "Group system:serviceaccounts:team-ties"},
		{"to an account and a person", editor, create, bindingOf("new", "reader", own+", "+person), says + "User eve"},
		{"of a role of Demarc's", editor, create, bindingOf("new", "cluster/demarc:edit", own), "demarc:edit is given by Demarc alone"},
		{"of an administrator's role", editor, create, bindingOf("new", "cluster/admin", own), "not currently held"},
		{"to a person by an administrator", "", create, bindingOf("new", "reader", person), ""},

		{"an old one, labelled", editor, "label rolebinding old -n team-ties a=b", "", ""},
		{"an old one, for one more", editor, "apply -f -", bindingOf("old", "reader", person+", {kind: User, apiGroup: rbac.authorization.k8s.io, name: mallory}"), says + "User eve, User mallory"},
		{"an old one, for an account instead", editor, "apply -f -", bindingOf("old", "reader", own), ""},
		{"Demarc's own, for one more", editor, `patch rolebinding demarc-edit -n team-ties --type=merge -p {"subjects":[]}`, "", "denied request: "},
		{"Demarc's own, labelled", editor, "label rolebinding demarc-edit -n team-ties a=b", "", "the platform keeps this in team namespaces"},
		{"Demarc's own, deleted", editor, "delete rolebinding demarc-operate -n team-ties", "", "the platform keeps this in team namespaces"},
		{"with the mark of Demarc's", editor, create, strings.Replace(bindingOf("new", "reader", own), "{name: new,", "{name: new, labels: {demarc.dev/owner: tenant.ties},", 1),
			"demarc.dev/owner is written by Demarc alone"},
	})
}

// A Secret for a ServiceAccount's token that an administrator made is filled by
// Kubernetes, and its account is not changed for another.
func TestTokenSecretOfAnAdministrator(t *testing.T) {
	t.Parallel()
	apply(t, onCall("tokens"))
	tenantSays(t, "tokens", "Ready", "TenantReady")
	apply(t, "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: app, namespace: team-tokens}\n---\napiVersion: v1\nkind: Secret\n"+
		"metadata: {name: app-token, namespace: team-tokens, annotations: {kubernetes.io/service-account.name: app}}\ntype: kubernetes.io/service-account-token")
	must(t, "wait secret app-token -n team-tokens --for=jsonpath={.data.token} --timeout=180s")
	try(t, []attack{
		{"for the account that delivers", as("dev", "tokens"), "annotate --overwrite secret app-token -n team-tokens kubernetes.io/service-account.name=demarc-deliver", "",
			"Secrets with a ServiceAccount's token are not made in team namespaces"},
		{"with a label", as("dev", "tokens"), "label secret app-token -n team-tokens a=b", "", ""},
	})
}
