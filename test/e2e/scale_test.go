package e2e

import (
	"strings"
	"testing"
)

// Operate changes a claim's number of replicas and nothing else of it.
func TestScaleByOperate(t *testing.T) {
	t.Parallel()
	apply(t, onCall("wide"), claim("wide", "wide", "image: nginx:1.27-alpine, replicas: 1, env: [{name: A, value: b}]"), onCall("next"))
	claimSays(t, "wide", "Ready", "Running")
	oncall := asUser("wide-oncall")
	must(t, `patch serviceclaim wide --type=merge -p {"spec":{"replicas":3}} `+oncall)
	if c := claimSays(t, "wide", "Ready", "Running"); c.Status.Running.Replicas != 3 {
		t.Errorf("proven: %+v", c.Status.Running)
	}

	const only = "your role scales the claims of team wide and changes nothing else of them"
	patch := func(spec string) string { return `patch serviceclaim wide --type=merge -p {"spec":{` + spec + `}}` }
	same := claim("wide", "wide", "image: nginx:1.27-alpine, replicas: 3, env: [{name: A, value: b}]")
	ssa := strings.Replace(claim("wide", "wide", "image: nginx:1.27-alpine, replicas: 2, env: [{name: A, value: b}]"), "{name: wide}", "{name: wide, labels: {a: b}}", 1)
	try(t, []attack{
		{"another image", oncall, patch(`"image":"nginx:1.26-alpine"`), "", only},
		{"a number and an image", oncall, patch(`"replicas":2,"image":"nginx:1.26-alpine"`), "", only},
		{"a variable", oncall, patch(`"env":[{"name":"A","value":"c"}]`), "", only},
		{"a port", oncall, patch(`"port":80`), "", only},
		{"another team", oncall, patch(`"team":"next"`), "", "team cannot be changed"},
		{"too many", oncall, patch(`"replicas":100000`), "", "should be less than or equal to 1000"},
		{"a label", oncall, "label serviceclaim wide a=b", "", only},
		{"an annotation", oncall, "annotate serviceclaim wide a=b", "", only},
		{"a number and a label", oncall, `patch serviceclaim wide --type=merge -p {"metadata":{"labels":{"a":"b"}},"spec":{"replicas":2}}`, "", only},
		{"a number and a label, applied", oncall, "apply --server-side --force-conflicts -f -", ssa, only},
		{"no finalizer", oncall, `patch serviceclaim wide --type=merge -p {"metadata":{"finalizers":null}}`, "", only},
		{"the status", oncall, `patch serviceclaim wide --subresource=status --type=merge -p {"status":{"conditions":[]}}`, "", `resource "serviceclaims/status"`},
		{"all of it", oncall, "replace -f -", claim("wide", "wide", "image: nginx:1.27-alpine, replicas: 2"), `cannot update resource "serviceclaims"`},
		{"a claim of its own", oncall, "create -f -", claim("wide-more", "wide", "image: nginx"), `cannot create resource "serviceclaims"`},
		{"one that is applied", oncall, "apply --server-side -f -", claim("wide-more", "wide", "image: nginx"), `cannot create resource "serviceclaims"`},
		{"deletion", oncall, "delete serviceclaim wide --wait=false", "", `cannot delete resource "serviceclaims"`},
		{"another team's number", asUser("next-oncall"), patch(`"replicas":0`), "", "only who may deploy for team wide writes its claims"},
		{"by who may look", asUser("wide-reader"), patch(`"replicas":0`), "", `cannot patch resource "serviceclaims"`},
		{"a second hold on its fields, by another team", asUser("next-oncall"), "apply --server-side --field-manager=next -f -", same, "only who may deploy for team wide writes its claims"},
		{"no hold on its fields, by another team", asUser("next-oncall"), `patch serviceclaim wide --type=merge -p {"metadata":{"managedFields":[{}]}}`, "", "only who may deploy for team wide"},
		{"a number, and no hold on the rest", oncall, `patch serviceclaim wide --type=merge -p {"metadata":{"managedFields":[{}]},"spec":{"replicas":2}}`, "", only},
		{"a number, and a hold on the rest", oncall, "apply --server-side --force-conflicts --field-manager=mine -f -", strings.Replace(same, "replicas: 3", "replicas: 2", 1), only},
		{"to none", oncall, patch(`"replicas":0`), "", ""},
		{"to the default", oncall, patch(`"replicas":null`), "", ""},
		{"by who may deploy", as("dev", "wide"), patch(`"replicas":2`), "", ""},

		{"Secrets by operate", oncall, "get secrets -n team-wide", "", `cannot list resource "secrets"`},
		{"Secrets by view", asUser("wide-reader"), "get secrets -n team-wide", "", `cannot list resource "secrets"`},
		{"the rest by view", asUser("wide-reader"), "get pods,configmaps,deployments,rolebindings -n team-wide", "", ""},
		{"a shell by view", asUser("wide-reader"), "create --raw /api/v1/namespaces/team-wide/pods/x/exec?command=id -f /dev/null", "", `cannot create resource "pods/exec"`},
		{"a token by operate", oncall, "create token default -n team-wide", "", `cannot create resource "serviceaccounts/token"`},
		{"another's name by edit", as("dev", "wide"), "auth can-i impersonate serviceaccounts -n team-wide", "", "no"},
	})
}

const mayForce = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: force-of-claims}
rules:
  - {apiGroups: [demarc.dev], resources: [serviceclaims], verbs: [get, patch, force]}
  - {apiGroups: [demarc.dev], resources: [tenants], verbs: [get, patch, update]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: force-of-claims}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: force-of-claims}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: rescuer}]
`

// Whether a deletion keeps the service is for who may deploy; whether it lets go of
// what blocks is for who holds the verb force, and that while it is being deleted too.
func TestReleaseAndForceMarks(t *testing.T) {
	t.Parallel()
	apply(t, mayForce, onCall("marks"), claim("marks", "marks", "image: nginx:1.27-alpine, replicas: 0"))
	claimSays(t, "marks", "Ready", "ScaledToZero")
	// Held, so that it stays while it is being deleted.
	must(t, `patch serviceclaim marks --type=json -p [{"op":"add","path":"/metadata/finalizers/0","value":"test.example/hold"}]`)
	t.Cleanup(func() {
		must(t, `patch serviceclaim marks --type=json -p [{"op":"remove","path":"/metadata/finalizers/0"}]`)
	})
	const force, unforce = "annotate --overwrite serviceclaim marks demarc.dev/force=node-lost", "annotate serviceclaim marks demarc.dev/force-"
	const holders = "only who holds the verb force on serviceclaims.demarc.dev in namespace team-marks"
	developer, oncall, rescuer := as("dev", "marks"), asUser("marks-oncall"), asUser("rescuer")
	try(t, []attack{
		{"release by edit", developer, "annotate serviceclaim marks demarc.dev/release=moved", "", ""},
		{"another reason by edit", developer, "annotate --overwrite serviceclaim marks demarc.dev/release=moving", "", ""},
		{"no release by operate", oncall, "annotate serviceclaim marks demarc.dev/release-", "", "changes nothing else of them"},
		{"no release by edit", developer, "annotate serviceclaim marks demarc.dev/release-", "", ""},
		{"another mark by edit", developer, "annotate serviceclaim marks demarc.dev/applied=x", "", "demarc.dev/release apart"},
		{"a claim that begins with force", developer, "create -f -",
			strings.Replace(claim("marks-new", "marks", "image: nginx"), "{name: marks-new}", "{name: marks-new, annotations: {demarc.dev/force: x}}", 1), holders},
		{"force by edit", developer, force, "", holders},
		{"force by operate", oncall, force, "", holders},
		{"force by who may", rescuer, force, "", ""},
		{"no force by edit", developer, unforce, "", holders},
		{"no force by who may", rescuer, unforce, "", ""},
		{"force and more by who may", rescuer, `patch serviceclaim marks --type=merge -p {"metadata":{"annotations":{"demarc.dev/force":"x","a":"b"}}}`, "", "only who may deploy for team marks"},

		{"deletion that orphans", developer, "delete serviceclaim marks --cascade=orphan --wait=false", "", "keep the service running: demarc release marks"},
		{"deletion", developer, "delete serviceclaim marks --wait=false", "", ""},
		{"force by edit, of what is being deleted", developer, force, "", holders},
		{"force by who may, of what is being deleted", rescuer, force, "", ""},
		{"no finalizer by who may", rescuer, `patch serviceclaim marks --type=merge -p {"metadata":{"finalizers":null}}`, "", "only who may deploy for team marks"},
		{"no finalizer by edit", developer, `patch serviceclaim marks --type=merge -p {"metadata":{"finalizers":null}}`, "", "are Demarc's to set on a claim"},

		{"force of a Tenant by who may not", rescuer, "annotate tenant marks demarc.dev/force=x", "", "only who holds the verb force on tenants.demarc.dev"},
		{"its labels by who may not force", rescuer, "label tenant marks a=b", "", ""},
		{"force of a Tenant", "", "annotate tenant marks demarc.dev/force=x", "", ""},
		{"no force of a Tenant by who may not", rescuer, "annotate tenant marks demarc.dev/force-", "", "only who holds the verb force on tenants.demarc.dev"},
		{"no force of a Tenant", "", "annotate tenant marks demarc.dev/force-", "", ""},
		{"the mark of adoption", "", "annotate namespace team-marks demarc.dev/adopted={}", "", "demarc.dev/adopted is written by Demarc alone"},
	})
}
