package isolation

import "testing"

const openPolicy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: NAME, namespace: team-rogue}\n" +
	"spec: {podSelector: {}, ingress: [{}]}\n"

// share is the platform's in the team's own namespace.
var share = []attack{
	{"a quota of one's own", "edit", create,
		"apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: more, namespace: team-rogue}\n",
		`cannot create resource "resourcequotas"`},
	{"the budget, by force", "edit", force,
		"apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: demarc, namespace: team-rogue}\nspec: {hard: {pods: 999}}\n",
		`cannot patch resource "resourcequotas"`},
	{"the budget's use", "edit", "PATCH /api/v1/namespaces/team-rogue/resourcequotas/demarc/status",
		`{"status":{"used":{}}}`, `cannot patch resource "resourcequotas/status"`},
	{"the budget deleted", "edit", "delete resourcequota demarc -n team-rogue", "", `cannot delete resource "resourcequotas"`},
	{"the limits deleted", "edit", "delete limitrange demarc -n team-rogue", "", `cannot delete resource "limitranges"`},
	{"the isolation deleted", "edit", "delete networkpolicy demarc-isolation -n team-rogue", "",
		`cannot delete resource "networkpolicies"`},
	{"the isolation, by force", "edit", force, replaced(openPolicy, "NAME", "demarc-isolation"),
		`cannot patch resource "networkpolicies"`},
	{"the isolation widened by a second one", "edit", create, replaced(openPolicy, "NAME", "open"),
		`cannot create resource "networkpolicies"`},
	{"Pod Security lowered", "edit", "PATCH /api/v1/namespaces/team-rogue",
		`{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"privileged"}}}`, `cannot patch resource "namespaces"`},
	{"the namespace made another team's", "edit", "PATCH /api/v1/namespaces/team-rogue",
		`{"metadata":{"labels":{"demarc.dev/tenant":"victim"}}}`, `cannot patch resource "namespaces"`},
	{"the namespace marked as drained", "edit", "PATCH /api/v1/namespaces/team-rogue",
		`{"metadata":{"annotations":{"demarc.dev/drained":"yes"}}}`, `cannot patch resource "namespaces"`},
	{"the namespace's finalizers", "edit", "replace --raw /api/v1/namespaces/team-rogue/finalize -f -",
		`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team-rogue"},"spec":{}}`,
		`cannot update resource "namespaces/finalize"`},
	{"the namespace's status", "edit", "PATCH /api/v1/namespaces/team-rogue/status", `{"status":{"phase":"Terminating"}}`,
		`cannot patch resource "namespaces/status"`},
	{"the namespace deleted", "edit", "delete namespace team-rogue --wait=false", "", `cannot delete resource "namespaces"`},
	{"the account of Argo CD deleted", "edit", "delete serviceaccount demarc-deliver -n team-rogue", "", kept},
	{"the account of Argo CD labelled", "edit", "label serviceaccount demarc-deliver -n team-rogue mine=yes", "", kept},
	{"the account of Argo CD with a pull secret", "edit", force,
		"apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: demarc-deliver, namespace: team-rogue}\n" +
			"imagePullSecrets: [{name: x}]\n",
		kept},
	{"the access taken from others", "edit", "delete rolebinding demarc-view -n team-rogue", "", kept},
	{"the access held for ever", "edit",
		`patch rolebinding demarc-edit -n team-rogue --type=merge -p {"metadata":{"finalizers":["demarc.dev/access","rogue.example/held"]}}`,
		"", kept},
	{"the access without its finalizer", "edit",
		`patch rolebinding demarc-edit -n team-rogue --type=merge -p {"metadata":{"finalizers":null}}`, "", kept},
	{"the access no longer marked as Demarc's", "edit", "label rolebinding demarc-edit -n team-rogue demarc.dev/owner-", "",
		"ValidatingAdmissionPolicy 'demarc-"},
	{"one's own account marked as Demarc's", "edit", create,
		"apiVersion: v1\nkind: ServiceAccount\n" +
			"metadata: {name: x, namespace: team-rogue, labels: {demarc.dev/owner: tenant.rogue}}\n",
		"is written by Demarc alone"},
	{"a pod as the account of Argo CD", "edit", create,
		"apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: team-rogue}\n" +
			"spec: {serviceAccountName: demarc-deliver, containers: [{name: x, image: x}]}\n",
		"demarc-deliver is the account that Argo CD delivers as"},
	{"a pod with the host's files", "edit", create,
		"apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: team-rogue}\n" +
			"spec: {volumes: [{name: h, hostPath: {path: /}}], containers: [{name: x, image: x}]}\n",
		podSecurity},
	{"a pod in the host's namespaces", "edit", create,
		"apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: team-rogue}\n" +
			"spec: {hostPID: true, hostNetwork: true, containers: [{name: x, image: x}]}\n",
		podSecurity},
	{"a pod bound to a node past the scheduler", "edit", "create --raw /api/v1/namespaces/team-rogue/pods/x/binding -f -",
		`{"apiVersion":"v1","kind":"Binding","metadata":{"name":"x"},"target":{"kind":"Node","name":"node-1"}}`,
		`cannot create resource "pods/binding"`},
	{"a pod's status", "edit", "PATCH /api/v1/namespaces/team-rogue/pods/x/status", `{"status":{"podIP":"10.0.0.1"}}`,
		`cannot patch resource "pods/status"`},
	{"a container more in a running pod", "edit", "PATCH /api/v1/namespaces/team-rogue/pods/x/ephemeralcontainers",
		`{"spec":{"ephemeralContainers":[]}}`, `cannot patch resource "pods/ephemeralcontainers"`},
	{"a Service's address given by hand", "edit", "PATCH /api/v1/namespaces/team-rogue/services/x/status",
		`{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}}`, `cannot patch resource "services/status"`},
	{"an endpoint that is another team's pod", "edit", create,
		"apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: x, namespace: team-rogue}\n" +
			"addressType: IPv4\nendpoints: [{addresses: [10.0.0.1]}]\n",
		`cannot create resource "endpointslices"`},
	{"an Event of one's own making", "edit", create,
		"apiVersion: v1\nkind: Event\nmetadata: {name: x, namespace: team-rogue}\n" +
			"involvedObject: {kind: Pod, name: x, namespace: team-rogue}\n",
		`cannot create resource "events"`},
	{"a Lease in one's namespace", "edit", create,
		"apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: x, namespace: team-rogue}\n",
		`cannot create resource "leases"`},
}

func TestAttacksOnThePlatformsShare(t *testing.T) {
	t.Parallel()
	try(t, share)
}
