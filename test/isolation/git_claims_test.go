package isolation

import (
	"strings"
	"testing"

	"demarc.dev/demarc/test/cluster"
)

// claims that a team's Git brings beside its own. VICTIM stands for the UID of
// another team's claim.
var gitClaims = []smuggled{
	{"another team's claim, replaced by force", "ServiceClaim/victim",
		claimOf("name: victim, annotations: {argocd.argoproj.io/sync-options: 'Force=true,Replace=true'}", "victim"),
		notVictims},
	{"another team's claim, taken over by its name", "ServiceClaim/victim-two", claimOf("name: victim-two", "rogue"),
		"its name is taken"},
	{"a claim for another team", "ServiceClaim/rogue-planted", claimOf("name: rogue-planted", "victim"), notVictims},
	{"a claim for a team that is not there", "ServiceClaim/rogue-ghost", claimOf("name: rogue-ghost", "ghost"),
		"only who may deploy for team ghost"},
	{"a claim with a mark of Demarc's", "ServiceClaim/rogue-marked",
		claimOf("name: rogue-marked, labels: {demarc.dev/owner: tenant.victim}", "rogue"), demarcsMark},
	{"a claim with a finalizer", "ServiceClaim/rogue-held",
		claimOf("name: rogue-held, finalizers: [rogue.example/held]", "rogue"), demarcsMark},
	{"a claim owned by another team's", "ServiceClaim/rogue-owned",
		claimOf("name: rogue-owned, ownerReferences: [{apiVersion: demarc.dev/v1alpha1, kind: ServiceClaim, name: victim, uid: VICTIM}]", "rogue"),
		demarcsMark},
	{"the claim that delivers this folder", "ServiceClaim/rogue-claims", claimOf("name: rogue-claims", "rogue"),
		"never by the one it makes itself"},
	{"a claim of its own", "ServiceClaim/rogue-sibling", claimOf("name: rogue-sibling", "rogue"), ""},
}

// TestGitFolderWithClaimsOfTwoTeams: a team's folder creates its own claims and is
// refused those of others, and its claim says so.
func TestGitFolderWithClaimsOfTwoTeams(t *testing.T) {
	t.Parallel()
	teams(t)
	untouched := watch(t)
	uid := on.Must(t, "get serviceclaim victim -o jsonpath={.metadata.uid}")
	all := append([]smuggled{}, gitClaims...)
	for i := range all {
		all[i].manifest = strings.ReplaceAll(all[i].manifest, "VICTIM", uid)
	}
	smuggle(t, "rogue-claims", all)
	on.ClaimSays(t, patience, "rogue-sibling", "Ready", "ScaledToZero")

	commit(t, "rogue-both", map[string]string{
		"own.yaml": claimOf("name: rogue-own", "rogue"), "theirs.yaml": claimOf("name: rogue-theirs", "victim"),
	})
	c := on.ClaimSays(t, patience, "rogue-both", "Ready", "SyncRetrying")
	if m := cluster.Message(c.Status.Conditions, "Ready"); !strings.Contains(m, "serviceclaim/rogue-theirs: ") || !strings.Contains(m, notVictims) {
		t.Errorf("the claim says %q", m)
	}
	on.ClaimSays(t, patience, "rogue-own", "Ready", "ScaledToZero")
	if out, err := on.Kubectl(t, "", "get", "serviceclaim", "rogue-theirs"); err == nil {
		t.Errorf("it was made: %s", out)
	}
	untouched()
}

func claimOf(metadata, team string) string {
	return "apiVersion: demarc.dev/v1alpha1\nkind: ServiceClaim\nmetadata: {" + metadata + "}\n" +
		"spec: {team: " + team + ", image: 'nginx:1.27-alpine', replicas: 0}\n"
}
