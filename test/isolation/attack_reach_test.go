package isolation

import (
	"testing"
	"time"
)

func configMapIn(ns, name string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {" + name + ", namespace: " + ns + "}\ndata: {colour: red}\n"
}

// into are requests into another team's namespace, as the strongest of one's own roles.
var into = []attack{
	{"read a Secret", "edit", "get secret own -n team-victim", "", `cannot get resource "secrets"`},
	{"list all Secrets", "edit", "get secrets -A", "", `cannot list resource "secrets" in API group "" at the cluster scope`},
	{"list pods", "edit", "get pods -n team-victim", "", `cannot list resource "pods"`},
	{"watch ConfigMaps", "edit", "get --raw /api/v1/namespaces/team-victim/configmaps?watch=true", "",
		`cannot watch resource "configmaps"`},
	{"read logs", "edit", "get --raw /api/v1/namespaces/team-victim/pods/VICTIMPOD/log", "", `cannot get resource "pods/log"`},
	{"open a shell", "edit", "POST /api/v1/namespaces/team-victim/pods/VICTIMPOD/exec?command=sh", "{}",
		`cannot create resource "pods/exec"`},
	{"attach", "edit", "POST /api/v1/namespaces/team-victim/pods/VICTIMPOD/attach", "{}",
		`cannot create resource "pods/attach"`},
	{"forward a port", "edit", "POST /api/v1/namespaces/team-victim/pods/VICTIMPOD/portforward", "{}",
		`cannot create resource "pods/portforward"`},
	{"add a container to a pod", "edit", "PATCH /api/v1/namespaces/team-victim/pods/VICTIMPOD/ephemeralcontainers",
		`{"spec":{"ephemeralContainers":[{"name":"x","image":"x"}]}}`, `cannot patch resource "pods/ephemeralcontainers"`},
	{"reach a pod through the API server", "edit", "get --raw /api/v1/namespaces/team-victim/pods/VICTIMPOD/proxy/", "",
		`cannot get resource "pods/proxy"`},
	{"reach a Service through the API server", "edit", "get --raw /api/v1/namespaces/team-victim/services/victim/proxy/",
		"", `cannot get resource "services/proxy"`},
	{"evict a pod", "edit", "create --raw /api/v1/namespaces/team-victim/pods/VICTIMPOD/eviction -f -",
		`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"VICTIMPOD","namespace":"team-victim"}}`,
		`cannot create resource "pods/eviction"`},
	{"delete a pod", "edit", "delete pod VICTIMPOD -n team-victim", "", `cannot delete resource "pods"`},
	{"delete all Deployments at once", "edit", "delete --raw /apis/apps/v1/namespaces/team-victim/deployments", "",
		`cannot deletecollection resource "deployments"`},
	{"restart a Deployment", "edit", "PATCH /apis/apps/v1/namespaces/team-victim/deployments/victim",
		`{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"now"}}}}}`,
		`cannot patch resource "deployments"`},
	{"scale a Deployment", "edit", "PATCH /apis/apps/v1/namespaces/team-victim/deployments/victim/scale",
		`{"spec":{"replicas":0}}`, `cannot patch resource "deployments/scale"`},
	{"change a ConfigMap", "edit", "PATCH /api/v1/namespaces/team-victim/configmaps/own", `{"data":{"colour":"red"}}`,
		`cannot patch resource "configmaps"`},
	{"apply a ConfigMap by force", "edit", force, configMapIn("team-victim", "name: own"),
		`cannot patch resource "configmaps"`},
	{"make something under a name that the server finds", "edit", create, configMapIn("team-victim", "generateName: own-"),
		`cannot create resource "configmaps"`},
	{"ask by a dry run what is there", "edit", "create --dry-run=server -f -", configMapIn("team-victim", "name: own"),
		`cannot create resource "configmaps"`},
	{"write an Event", "edit", create,
		"apiVersion: v1\nkind: Event\nmetadata: {name: x, namespace: team-victim}\n" +
			"involvedObject: {kind: Pod, name: x, namespace: team-victim}\n",
		`cannot create resource "events"`},
	{"keep its pods from being moved", "edit", create,
		"apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: x, namespace: team-victim}\n" +
			"spec: {minAvailable: 100%, selector: {}}\n",
		`cannot create resource "poddisruptionbudgets"`},
	{"bind oneself there", "edit", create, "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n" +
		"metadata: {name: x, namespace: team-victim}\n" +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: own}\n" +
		"subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: edit@rogue.example}]\n",
		`cannot create resource "rolebindings"`},
	{"ask what others may there", "edit",
		"POST /apis/authorization.k8s.io/v1/namespaces/team-victim/localsubjectaccessreviews", "{}",
		`cannot create resource "localsubjectaccessreviews"`},
	{"read logs, as who is on call", "operate", "get --raw /api/v1/namespaces/team-victim/pods/VICTIMPOD/log", "",
		`cannot get resource "pods/log"`},
	{"delete a pod, as who is on call", "operate", "delete pod VICTIMPOD -n team-victim", "", `cannot delete resource "pods"`},
	{"list pods, as who may view", "view", "get pods -n team-victim", "", `cannot list resource "pods"`},
}

func TestAttacksIntoAnotherTeam(t *testing.T) {
	t.Parallel()
	try(t, into)
}

// me is who asks as edit.
const me = "edit@rogue.example"

var tomorrow = time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)

// contactsAlone is what a team is told that changes more of its Tenant than it may.
const contactsAlone = "a team changes spec.contacts of its Tenant and nothing else"

// grantRequest asks for access.
func grantRequest(team, by, more string) string {
	return "apiVersion: demarc.dev/v1alpha1\nkind: AccessGrant\nmetadata: {name: rogue-more}\n" +
		"spec: {team: " + team + ", user: " + me + ", role: edit, reason: none, duration: 1h, requestedBy: " + by + ", " + more + "}\n"
}

// platforms are requests for what is the platform's or the cluster's.
var platforms = []attack{
	{"raise one's own budget", "edit", "PATCH /apis/demarc.dev/v1alpha1/tenants/rogue",
		`{"spec":{"resources":{"cpu":"99"}}}`, contactsAlone},
	{"raise one's own budget beside the contacts", "edit", "PATCH /apis/demarc.dev/v1alpha1/tenants/rogue",
		`{"spec":{"contacts":{"onCall":"rogue"},"resources":{"cpu":"99"}}}`, contactsAlone},
	{"give oneself a role beside the contacts", "edit", "PATCH /apis/demarc.dev/v1alpha1/tenants/rogue",
		`{"spec":{"contacts":{"onCall":"rogue"},"access":[{"group":"rogue-edit","role":"edit"}]}}`, contactsAlone},
	{"change one's own contacts as operate", "operate", "PATCH /apis/demarc.dev/v1alpha1/tenants/rogue",
		`{"spec":{"contacts":{"onCall":"rogue"}}}`, `cannot patch resource "tenants"`},
	{"take another team's pages", "edit", "PATCH /apis/demarc.dev/v1alpha1/tenants/victim",
		`{"spec":{"contacts":{"onCall":"rogue"}}}`, "you may not change Tenant victim"},
	{"ask for access in another team's name", "edit", create, grantRequest("victim", me, ""),
		"you may not ask for this on behalf of team victim"},
	{"ask for access as somebody else", "edit", create, grantRequest("rogue", "somebody", ""),
		"spec.requestedBy is who asks, and that is you"},
	{"ask for access that is approved already", "edit", create, grantRequest("rogue", me, "approval: {by: "+me+"}"),
		"what is asked for comes without spec.approval"},
	{"ask for another team's budget", "edit", create,
		"apiVersion: demarc.dev/v1alpha1\nkind: BudgetRequest\nmetadata: {name: rogue-more}\n" +
			"spec: {team: victim, resources: {cpu: \"9\"}, requestedBy: " + me + ", reason: none}\n", "you may not ask for this on behalf of team victim"},
	{"ask for another team's exception", "edit", create,
		"apiVersion: demarc.dev/v1alpha1\nkind: GuardrailException\nmetadata: {name: rogue-off}\n" +
			"spec: {team: victim, rules: [privileged], requestedBy: " + me + ", reason: none, expires: \"" + tomorrow + "\"}\n", "you may not ask for this on behalf of team victim"},
	{"let oneself off a guardrail", "edit", "PATCH /apis/demarc.dev/v1alpha1/guardrailsets/deny", `{"spec":{"rules":null}}`,
		`cannot patch resource "guardrailsets"`},
	{"take what the guardrails read away", "edit", "delete guardrailset deny", "", `cannot delete resource "guardrailsets"`},
	{"write a Tenant's status", "edit", "PATCH /apis/demarc.dev/v1alpha1/tenants/rogue/status",
		`{"status":{"conditions":[]}}`, `cannot patch resource "tenants/status"`},
	{"make a Tenant", "edit", create, "apiVersion: demarc.dev/v1alpha1\nkind: Tenant\nmetadata: {name: rogue-more}\n",
		`cannot create resource "tenants"`},
	{"delete another Tenant", "edit", "delete tenant victim --wait=false", "", `cannot delete resource "tenants"`},
	{"force another Tenant's deletion", "edit", "PATCH /apis/demarc.dev/v1alpha1/tenants/victim",
		`{"metadata":{"annotations":{"demarc.dev/force":"mine"}}}`,
		"only who holds the verb force on tenants.demarc.dev | you may not change Tenant victim"},
	{"change the Platform", "edit", "PATCH /apis/demarc.dev/v1alpha1/platforms/default", `{"spec":{"ceiling":null}}`,
		`cannot patch resource "platforms"`},
	{"change one's own Application", "edit", "PATCH /apis/argoproj.io/v1alpha1/namespaces/argocd/applications/rogue.rogue",
		`{"spec":{"project":"default"}}`, `cannot patch resource "applications"`},
	{"make an Application", "edit", create,
		"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: rogue.all, namespace: argocd}\n" +
			"spec: {project: default}\n",
		`cannot create resource "applications"`},
	{"widen one's AppProject", "edit", "PATCH /apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects/team-rogue",
		`{"spec":{"destinations":[]}}`, `cannot patch resource "appprojects"`},
	{"read Argo CD's Secrets", "edit", "get secrets -n argocd", "", `cannot list resource "secrets"`},
	{"set Argo CD", "edit", "PATCH /api/v1/namespaces/argocd/configmaps/argocd-cm",
		`{"data":{"application.sync.impersonation.enabled":"false"}}`, `cannot patch resource "configmaps"`},
	{"take the operator's Lease", "edit",
		"PATCH /apis/coordination.k8s.io/v1/namespaces/demarc-system/leases/demarc-operator",
		`{"spec":{"holderIdentity":"rogue"}}`, `cannot patch resource "leases"`},
	{"delete a node's Lease", "edit", "delete lease node-1 -n kube-node-lease", "", `cannot delete resource "leases"`},
	{"patch kube-system", "edit", "PATCH /api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
		`{"data":{}}`, `cannot patch resource "configmaps"`},
	{"take a policy away", "edit", "delete validatingadmissionpolicy demarc-claims", "",
		`cannot delete resource "validatingadmissionpolicies"`},
	{"unbind a policy", "edit", "delete validatingadmissionpolicybinding demarc-claims", "",
		`cannot delete resource "validatingadmissionpolicybindings"`},
	{"let a CRD be deleted", "edit", "PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/tenants.demarc.dev",
		`{"metadata":{"annotations":{"demarc.dev/allow-deletion":"mine"}}}`,
		`cannot patch resource "customresourcedefinitions"`},
	{"put a webhook before everybody", "edit", create,
		"apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: rogue}\n",
		`cannot create resource "mutatingwebhookconfigurations"`},
	{"make a namespace", "edit", "create namespace team-more", "", `cannot create resource "namespaces"`},
	{"delete another team's namespace", "edit", "delete namespace team-victim --wait=false", "",
		`cannot delete resource "namespaces"`},
	{"cordon a node", "edit", "PATCH /api/v1/nodes/node-1", `{"spec":{"unschedulable":true}}`, `cannot patch resource "nodes"`},
	{"reach a node through the API server", "edit", "get --raw /api/v1/nodes/node-1/proxy/pods", "",
		`cannot get resource "nodes/proxy"`},
	{"make a volume of a node's disk", "edit", create,
		"apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: rogue}\n" +
			"spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /}}\n",
		`cannot create resource "persistentvolumes"`},
	{"make a PriorityClass", "edit", create,
		"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: rogue}\nvalue: 1000000\n",
		`cannot create resource "priorityclasses"`},
	{"have a certificate signed", "edit", create, "apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\n" +
		"metadata: {name: rogue}\n" +
		"spec: {signerName: kubernetes.io/kube-apiserver-client, usages: [client auth], request: eA==}\n", `cannot create resource "certificatesigningrequests"`},
	{"ask what others may", "edit", "POST /apis/authorization.k8s.io/v1/subjectaccessreviews", "{}",
		`cannot create resource "subjectaccessreviews"`},
	{"read the API server's metrics", "edit", "get --raw /metrics", "", `cannot get path "/metrics"`},
	{"read the API server's logs", "edit", "get --raw /logs/", "", `cannot get path "/logs/"`},
}

func TestAttacksOnThePlatform(t *testing.T) {
	t.Parallel()
	try(t, platforms)
}
