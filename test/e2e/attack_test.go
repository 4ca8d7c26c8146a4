package e2e

import (
	"strings"
	"testing"
)

// as are kubectl's flags of a user whose team gives the role edit.
func as(user, team string) string {
	return "--as=" + user + " --as-group=team-" + team + " --as-group=system:authenticated"
}

// asDeliver are those of the account that Argo CD syncs a team's Git as.
func asDeliver(team string) string {
	return "--as=system:serviceaccount:team-" + team + ":demarc-deliver" +
		" --as-group=system:serviceaccounts --as-group=system:serviceaccounts:team-" + team + " --as-group=system:authenticated"
}

// attack is one kubectl call; refused is what its refusal says, empty where it is let through.
type attack struct{ name, who, args, stdin, refused string }

func try(t *testing.T, attacks []attack) {
	t.Helper()
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			out, err := kubectl(t, a.stdin, append(strings.Fields(a.args), strings.Fields(a.who)...)...)
			switch {
			case a.refused == "" && err != nil:
				t.Errorf("kubectl %s: refused: %s", a.args, out)
			case a.refused != "" && (err == nil || !strings.Contains(out, a.refused)):
				t.Errorf("kubectl %s: %v: %s\nwant it refused with %q", a.args, err, out, a.refused)
			}
		})
	}
}

// O9: another team's claim cannot be had deleted by what is written on it, nor can
// one's own be made to pass for another's.
func TestAttacksOnClaims(t *testing.T) {
	t.Parallel()
	apply(t, tenant("prey", roomy), tenant("thief", roomy),
		claim("prey", "prey", "image: nginx:1.27-alpine, replicas: 0"), claim("thief", "thief", "image: nginx:1.27-alpine, replicas: 0"))
	claimSays(t, "prey", "Ready", "ScaledToZero")
	claimSays(t, "thief", "Ready", "ScaledToZero")

	const tracking = "argocd.argoproj.io/tracking-id="
	const notYours = "only who may deploy for team prey writes its claims"
	thief := as("eve", "thief")
	try(t, []attack{
		{"a label", thief, "label serviceclaim prey mine=yes", "", notYours},
		{"the label that Argo CD tracks by", thief, "label serviceclaim prey app.kubernetes.io/instance=thief.thief", "", notYours},
		{"an annotation", thief, "annotate serviceclaim prey mine=yes", "", notYours},
		{"Argo CD's tracking", thief, "annotate serviceclaim prey " + tracking + "thief.x:demarc.dev/ServiceClaim:team-thief/prey", "", notYours},
		{"the finalizer orphan", thief, `patch serviceclaim prey --type=merge -p {"metadata":{"finalizers":["demarc.dev/claim","orphan"]}}`, "", notYours},
		{"no finalizer", thief, `patch serviceclaim prey --type=merge -p {"metadata":{"finalizers":null}}`, "", notYours},
		{"an owner that is absent", thief,
			`patch serviceclaim prey --type=merge -p {"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"x","uid":"x"}]}}`, "", notYours},
		{"deletion", thief, "delete serviceclaim prey --wait=false", "", notYours},
		{"by Git", asDeliver("thief"), "annotate serviceclaim prey mine=yes", "", notYours},

		{"one's own, tracked for another team", thief, "annotate serviceclaim thief " + tracking + "prey.prey:demarc.dev/ServiceClaim:team-prey/thief", "",
			"a claim is delivered by an Application of its own team, whose name begins with thief."},
		{"one's own, tracked for itself", thief, "annotate serviceclaim thief " + tracking + "thief.thief:demarc.dev/ServiceClaim:team-thief/thief", "",
			"and never by the one it makes itself"},
		{"one's own without its finalizer", thief, `patch serviceclaim thief --type=merge -p {"metadata":{"finalizers":null}}`, "", "are Demarc's to set on a claim"},
		{"one's own, labelled", thief, "label serviceclaim thief mine=yes", "", ""},
		{"one's own, tracked for a sibling", thief, "annotate serviceclaim thief " + tracking + "thief.all:demarc.dev/ServiceClaim:team-thief/thief", "", ""},
	})
	claimSays(t, "prey", "Ready", "ScaledToZero")
}

const tokenSecret = `
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: team-greedy, annotations: {kubernetes.io/service-account.name: demarc-deliver}}
type: kubernetes.io/service-account-token
`

func greedyPod(account string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: greedy, namespace: team-greedy}\nspec: {" + account + ", containers: [{name: x, image: x}]}"
}

func greedyBinding(kind, role string) string {
	return "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: handed-on, namespace: team-greedy}\n" +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: " + kind + ", name: '" + role + "'}\n" +
		"subjects: [{kind: ServiceAccount, name: app, namespace: team-greedy}]"
}

const ownRole = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: team-greedy}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
`

// O9: what Argo CD may do as the team's account is nobody else's, by kubectl or by Git.
func TestAttacksOnRights(t *testing.T) {
	t.Parallel()
	apply(t, tenant("greedy", roomy))
	tenantSays(t, "greedy", "Ready", "TenantReady")
	const create, admin = "create --dry-run=server -f -", ""
	editor, git := as("eve", "greedy"), asDeliver("greedy")
	try(t, []attack{
		{"a Secret with a token", editor, create, tokenSecret, "Secrets with a ServiceAccount's token are not made in team namespaces"},
		{"a Secret with a token by Git", git, create, tokenSecret, "Secrets with a ServiceAccount's token"},
		{"a token asked for", editor, "create token demarc-deliver -n team-greedy", "", `cannot create resource "serviceaccounts/token"`},
		{"a pod as the account", editor, create, greedyPod("serviceAccountName: demarc-deliver"), "demarc-deliver is the account that Argo CD delivers as"},
		{"by the field's old name", editor, create, greedyPod("serviceAccount: demarc-deliver"), "use an account of the team's own"},
		{"a pod as the account by an administrator", admin, create, greedyPod("serviceAccountName: demarc-deliver"), "demarc-deliver is the account"},
		{"a pod", editor, create, greedyPod("restartPolicy: Always"), ""},
		{"the account's role, handed on by Git", git, create, greedyBinding("ClusterRole", "demarc:deliver"),
			"demarc:deliver is given by Demarc alone: have the platform team add the access to the Tenant"},
		{"a role of people's, handed on by Git", git, create, greedyBinding("ClusterRole", "demarc:view"), "attempting to grant RBAC permissions not currently held"},
		{"a role of its own by Git", git, "create -f -", ownRole, ""},
		{"which is handed on", git, create, greedyBinding("Role", "reader"), ""},
		{"a binding by an administrator", admin, create, greedyBinding("ClusterRole", "demarc:view"), ""},
	})
}

// What holds every service at once is not deleted in passing.
func TestAttacksOnCRDs(t *testing.T) {
	t.Parallel()
	const demarcs = "this would delete every object of the kind; services would run on but be nobody's"
	const argos = "Argo CD would take down every service that they delivered"
	try(t, []attack{
		{"claims", "", "delete crd serviceclaims.demarc.dev --wait=false", "", demarcs},
		{"Applications", "", "delete crd applications.argoproj.io --wait=false", "", argos},
		{"AppProjects", "", "delete crd appprojects.argoproj.io --wait=false", "", "annotate crd appprojects.argoproj.io demarc.dev/allow-deletion=REASON"},
	})
}
