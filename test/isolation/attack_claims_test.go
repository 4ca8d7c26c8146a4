package isolation

import "testing"

func claimFor(name, team string) string { return claimOf("name: "+name, team) }

// claimed is the attacked team's claim as it is.
func claimed(name string) string {
	return "apiVersion: demarc.dev/v1alpha1\nkind: ServiceClaim\nmetadata: {name: " + name + "}\n" +
		"spec: {team: victim, image: 'nginx:1.27-alpine'}\n"
}

const (
	release     = "demarc.dev/release=mine"
	scalesAlone = "your role scales the claims of team rogue and changes nothing else of them"
	restarts    = "restarts them, and changes nothing of them"
)

// onClaims are attacks on other teams' claims, and on what one's own says of itself.
var onClaims = []attack{
	{"a claim for another team", "edit", create, claimFor("rogue-x", "victim"), notVictims},
	{"asked by a dry run", "edit", "create --dry-run=server -f -", claimFor("rogue-x", "victim"), notVictims},
	{"under a name that the server finds", "edit", create, claimOf("generateName: rogue-", "victim"), notVictims},
	{"a claim for a team that is not there", "edit", create, claimFor("rogue-x", "ghost"),
		"only who may deploy for team ghost writes its claims"},
	{"a name that is taken", "edit", "apply -f -", claimFor("victim", "rogue"), "its name is taken"},
	{"a name that is taken, by force", "edit", force, claimFor("victim", "rogue"), "its name is taken"},
	{"another team's image", "edit", `patch serviceclaim victim --type=merge -p {"spec":{"image":"evil:1"}}`, "",
		notVictims},
	{"another team's replicas", "edit", `patch serviceclaim victim --type=merge -p {"spec":{"replicas":0}}`, "",
		notVictims},
	{"another team's claim, moved here", "edit",
		`patch serviceclaim victim --type=merge -p {"spec":{"team":"rogue"}}`, "", "its name is taken"},
	{"one's own, moved there", "edit", `patch serviceclaim rogue --type=merge -p {"spec":{"team":"victim"}}`, "",
		"team cannot be changed"},
	{"another team's claim deleted", "edit", "delete serviceclaim victim --wait=false", "", notVictims},
	{"all claims deleted at once", "edit", "delete --raw /apis/demarc.dev/v1alpha1/serviceclaims", "",
		`cannot deletecollection resource "serviceclaims"`},
	{"another team's claim forced", "edit", "annotate serviceclaim victim demarc.dev/force=mine", "", "only who "},
	{"another team's claim released", "edit", "annotate serviceclaim victim " + release, "", notVictims},
	{"another team's claim labelled", "edit", "label serviceclaim victim app.kubernetes.io/instance=rogue.rogue", "",
		notVictims},
	{"another team's claim tracked", "edit",
		"annotate serviceclaim victim argocd.argoproj.io/tracking-id=rogue.x:demarc.dev/ServiceClaim:team-rogue/victim", "",
		notVictims},
	{"another team's claim without its finalizer", "edit",
		`patch serviceclaim victim --type=merge -p {"metadata":{"finalizers":null}}`, "", notVictims},
	{"another team's claim given an owner that is not there", "edit",
		`patch serviceclaim victim --type=merge -p {"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"x","uid":"x"}]}}`,
		"", notVictims},
	{"the ownership of another team's fields wiped", "edit", "PATCH /apis/demarc.dev/v1alpha1/serviceclaims/victim",
		`{"metadata":{"managedFields":[{}]}}`, notVictims},
	{"the ownership of another team's fields wiped, as who is on call", "operate",
		"PATCH /apis/demarc.dev/v1alpha1/serviceclaims/victim", `{"metadata":{"managedFields":[{}]}}`, notVictims},
	{"the ownership of another team's fields shared", "edit", "apply --server-side --field-manager=rogue -f -",
		claimed("victim-two"), notVictims},
	{"another team's status", "edit", "PATCH /apis/demarc.dev/v1alpha1/serviceclaims/victim/status",
		`{"status":{"inventory":[]}}`, `cannot patch resource "serviceclaims/status"`},
	{"one's own status", "edit", "PATCH /apis/demarc.dev/v1alpha1/serviceclaims/rogue/status",
		`{"status":{"inventory":[{"kind":"Deployment","namespace":"team-victim","name":"victim"}]}}`,
		`cannot patch resource "serviceclaims/status"`},
	{"one's own without its finalizer", "edit",
		`patch serviceclaim rogue --type=merge -p {"metadata":{"finalizers":null}}`, "", demarcsMark},
	{"one's own owned by another's", "edit",
		`patch serviceclaim rogue --type=merge -p {"metadata":{"ownerReferences":[{"apiVersion":"demarc.dev/v1alpha1","kind":"ServiceClaim","name":"victim","uid":"VICTIMUID"}]}}`,
		"", demarcsMark},
	{"one's own with a mark of Demarc's", "edit", "label serviceclaim rogue demarc.dev/owner=tenant.victim", "", demarcsMark},
	{"one's own forced", "edit", "annotate serviceclaim rogue demarc.dev/force=mine", "", "only who holds the verb force"},
	{"one's own tracked by another team's Application", "edit",
		"annotate serviceclaim rogue argocd.argoproj.io/tracking-id=victim.victim:demarc.dev/ServiceClaim:team-victim/rogue",
		"", "a claim is delivered by an Application of its own team"},
	{"one's own with a secret in it", "edit",
		`patch serviceclaim rogue --type=merge -p {"spec":{"env":[{"name":"DB_PASSWORD","value":"hunter2"}]}}`,
		"", "looks like a secret"},

	{"a claim, as who is on call", "operate", create, claimFor("rogue-x", "rogue"), `cannot create resource "serviceclaims"`},
	{"an image, as who is on call", "operate", `patch serviceclaim rogue --type=merge -p {"spec":{"image":"evil:1"}}`,
		"", scalesAlone},
	{"an image along with the replicas, as who is on call", "operate",
		`patch serviceclaim rogue --type=merge -p {"spec":{"image":"evil:1","replicas":1}}`, "", scalesAlone},
	{"the ownership of fields wiped, as who is on call", "operate", "PATCH /apis/demarc.dev/v1alpha1/serviceclaims/rogue",
		`{"metadata":{"managedFields":[{}]}}`, scalesAlone},
	{"another team's replicas, as who is on call", "operate",
		`patch serviceclaim victim --type=merge -p {"spec":{"replicas":0}}`, "", notVictims},
	{"a claim deleted, as who is on call", "operate", "delete serviceclaim rogue --wait=false", "",
		`cannot delete resource "serviceclaims"`},
	{"an image beside the claim, as who is on call", "operate", "set image deployment/rogue -n team-rogue *=evil:1", "",
		restarts},
	{"replicas beside the claim, as who is on call", "operate",
		`patch deployment rogue -n team-rogue -p {"spec":{"replicas":9}}`, "", restarts},
	{"a Secret, as who is on call", "operate", "get secrets -n team-rogue", "", `cannot list resource "secrets"`},
	{"a Deployment deleted, as who is on call", "operate", "delete deployment rogue -n team-rogue", "",
		`cannot delete resource "deployments"`},

	{"a Secret, as who may view", "view", "get secrets -n team-rogue", "", `cannot list resource "secrets"`},
	{"a shell, as who may view", "view", "create --raw /api/v1/namespaces/team-rogue/pods/x/exec?command=sh -f -", "{}",
		`cannot create resource "pods/exec"`},
	{"a restart, as who may view", "view", "rollout restart deployment/rogue -n team-rogue", "",
		`cannot patch resource "deployments"`},
	{"replicas, as who may view", "view", `patch serviceclaim rogue --type=merge -p {"spec":{"replicas":1}}`, "",
		`cannot patch resource "serviceclaims"`},
	{"a pod deleted, as who may view", "view", "delete pod x -n team-rogue", "", `cannot delete resource "pods"`},
}

func TestAttacksOnClaimsAndRoles(t *testing.T) {
	t.Parallel()
	try(t, onClaims)
}
