package isolation

import (
	"slices"
	"strings"
	"testing"
)

const (
	ownAccount  = "kind: ServiceAccount, name: default, namespace: team-rogue"
	foreign     = "apiGroup: rbac.authorization.k8s.io, kind: Group, name: 'people:victim:edit'"
	escalation  = "is attempting to grant RBAC permissions not currently held"
	kept        = "the platform keeps this in team namespaces (tenant.rogue): have the Tenant changed instead"
	notVictims  = "only who may deploy for team victim writes its claims"
	demarcsMark = "are Demarc's to set on a claim"
	podSecurity = `violates PodSecurity "baseline:latest"`
	ownBinds    = "a team binds ServiceAccounts of its own namespace, and not "
)

// rights that a team gives itself, or others.
var gitRights = []smuggled{
	{"a Role with nodes", "Role/nodes", roleOf("nodes", "apiGroups: [''], resources: [nodes], verbs: [get]"), escalation},
	{"a Role with accounts' tokens", "Role/tokens",
		roleOf("tokens", "apiGroups: [''], resources: [serviceaccounts/token], verbs: [create]"), escalation},
	{"a Role with everything", "Role/all", roleOf("all", "apiGroups: ['*'], resources: ['*'], verbs: ['*']"), escalation},
	{"a Role that impersonates", "Role/impersonate",
		roleOf("impersonate", "apiGroups: [''], resources: [serviceaccounts], verbs: [impersonate]"), escalation},
	{"a Role with the budget", "Role/quotas",
		roleOf("quotas", "apiGroups: [''], resources: [resourcequotas], verbs: [update]"), escalation},
	{"a Role with the verb force", "Role/force",
		roleOf("force", "apiGroups: [demarc.dev], resources: [serviceclaims], verbs: [force]"), escalation},
	{"a binding to cluster-admin", "RoleBinding/admin",
		bindingOf("admin", "kind: ClusterRole, name: cluster-admin", ownAccount), escalation},
	{"a binding to Kubernetes' edit", "RoleBinding/k-edit",
		bindingOf("k-edit", "kind: ClusterRole, name: edit", ownAccount), escalation},
	{"a binding of its own people to demarc:edit", "RoleBinding/d-edit",
		bindingOf("d-edit", "kind: ClusterRole, name: 'demarc:edit'", ownAccount), escalation},
	{"a binding to what Argo CD's account may", "RoleBinding/d-deliver",
		bindingOf("d-deliver", "kind: ClusterRole, name: 'demarc:deliver'", ownAccount),
		"demarc:deliver is given by Demarc alone"},
	{"a binding of another team's people to a Role of its own", "RoleBinding/foreign",
		bindingOf("foreign", "kind: Role, name: own", foreign), ownBinds + "Group people:victim:edit"},
	{"a binding of another team's people to demarc:edit", "RoleBinding/foreign-edit",
		bindingOf("foreign-edit", "kind: ClusterRole, name: 'demarc:edit'", foreign), escalation},
	{"a binding of another team's account", "RoleBinding/foreign-account",
		bindingOf("foreign-account", "kind: Role, name: own", "kind: ServiceAccount, name: own, namespace: team-victim"),
		ownBinds + "ServiceAccount own"},
	{"a binding of everybody", "RoleBinding/everybody",
		bindingOf("everybody", "kind: Role, name: own", "apiGroup: rbac.authorization.k8s.io, kind: Group, name: 'system:authenticated'"),
		ownBinds + "Group system:authenticated | binding-subjects: subjects is system:authenticated"},
	{"a Role of its own within what it has", "Role/own",
		roleOf("own", "apiGroups: [''], resources: [configmaps], verbs: [get]"), ""},
	{"and a binding of its own account to it", "RoleBinding/own", bindingOf("own", "kind: Role, name: own", ownAccount), ""},
}

// share is what the platform keeps in the team's namespace, changed by its name.
var gitShare = []smuggled{
	{"the account that Argo CD delivers as, labelled", "ServiceAccount/demarc-deliver",
		"apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: demarc-deliver, labels: {mine: 'yes'}}\n", kept},
	{"an account with the mark of Demarc's", "ServiceAccount/marked",
		"apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: marked, labels: {demarc.dev/owner: tenant.rogue}}\n",
		"demarc.dev/owner is written by Demarc alone"},
	{"the team's access with others in it", "RoleBinding/demarc-edit",
		bindingOf("demarc-edit", "kind: ClusterRole, name: 'demarc:edit'", foreign), escalation},
	{"the access of Argo CD's account, labelled", "RoleBinding/demarc-deliver",
		strings.Replace(bindingOf("demarc-deliver", "kind: ClusterRole, name: 'demarc:deliver'", "kind: ServiceAccount, name: demarc-deliver, namespace: team-rogue"), "name: demarc-deliver}", "name: demarc-deliver, labels: {mine: 'yes'}}", 1),
		kept},
}

var gitPods = []smuggled{
	{"a pod with the host's files", "Pod/host-files",
		podOf("host-files", "volumes: [{name: h, hostPath: {path: /}}], ", ""), podSecurity},
	{"a privileged pod", "Pod/privileged", podOf("privileged", "", ", securityContext: {privileged: true}"), podSecurity},
	{"a pod in the host's network", "Pod/host-network", podOf("host-network", "hostNetwork: true, ", ""), podSecurity},
	{"a pod with a port of the host's", "Pod/host-port",
		podOf("host-port", "", ", ports: [{containerPort: 80, hostPort: 80}]"), podSecurity},
	{"a pod as Argo CD's account", "Pod/as-deliver", podOf("as-deliver", "serviceAccountName: demarc-deliver, ", ""),
		"demarc-deliver is the account that Argo CD delivers as, and no pod's"},
	{"a Secret that asks for that account's token", "Secret/token", tokenSecret("token"),
		"Secrets with a ServiceAccount's token are not made in team namespaces"},
	{"a pod that pushes others' out", "Pod/critical", podOf("critical", "priorityClassName: system-node-critical, ", ""),
		important},
	{"a Service with addresses that are not the team's", "Service/external",
		"apiVersion: v1\nkind: Service\nmetadata: {name: external}\nspec: {externalIPs: [192.0.2.1], ports: [{port: 80}]}\n",
		external},
	{"an object that another team's claim would wait for", "ConfigMap/holding",
		replaced(holding("ServiceClaim", "victim", "x", blocks), ", namespace: team-rogue", ""),
		notOwned + "ServiceClaim victim"},
	{"an object tracked for another team's Application: it is the team's own all the same", "ConfigMap/tracked",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tracked, labels: {app.kubernetes.io/instance: victim.victim}," +
			" annotations: {argocd.argoproj.io/tracking-id: 'victim.victim:/ConfigMap:team-rogue/tracked'}}\n", ""},
	{"an Ingress for any host", "Ingress/any", "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: any}\n" +
		"spec: {rules: [{host: victim.example, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: rogue, port: {number: 80}}}}]}}]}\n", ""},
	{"a Service that is a name elsewhere", "Service/elsewhere",
		"apiVersion: v1\nkind: Service\nmetadata: {name: elsewhere}\n" +
			"spec: {type: ExternalName, externalName: victim.team-victim.svc}\n",
		""},
}

// TestGitWritesWithinItsRights: what the AppProject lets through and the API server
// refuses the team's account.
func TestGitWritesWithinItsRights(t *testing.T) {
	t.Parallel()
	teams(t)
	untouched := watch(t)
	smuggle(t, "rogue-writes", slices.Concat(gitRights, gitShare, gitPods))
	untouched()
	// Argo CD writes its own tracking over what Git says.
	id := on.Must(t, "get configmap tracked -n team-rogue -o jsonpath={.metadata.annotations.argocd\\.argoproj\\.io/tracking-id}")
	if id != "rogue.rogue-writes:/ConfigMap:team-rogue/tracked" {
		t.Errorf("it is tracked as %q", id)
	}
}

const rbac = "apiVersion: rbac.authorization.k8s.io/v1\n"

func bindingOf(name, role, subject string) string {
	return rbac + "kind: RoleBinding\nmetadata: {name: " + name + "}\n" +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, " + role + "}\nsubjects: [{" + subject + "}]\n"
}

func tokenSecret(name string) string {
	return "apiVersion: v1\nkind: Secret\nmetadata: {name: " + name + ", annotations: {kubernetes.io/service-account.name: demarc-deliver}}\n" +
		"type: kubernetes.io/service-account-token\n"
}

func roleOf(name, rule string) string {
	return rbac + "kind: Role\nmetadata: {name: " + name + "}\nrules: [{" + rule + "}]\n"
}

func podOf(name, spec, container string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\n" +
		"spec: {" + spec + "containers: [{name: x, image: x" + container + "}]}\n"
}
