package contract_test

import (
	"strings"
	"testing"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/ownership"
)

// Who writes ServiceClaims is what the domain answers and nothing else: there the admission
// boundary does not reach, so that these roles and the claim policy are all there is.
func TestClaimsFollowTheContract(t *testing.T) {
	const team, platform, shared, nobody = v1alpha1.PartyTeam, v1alpha1.PartyPlatform, v1alpha1.PartyShared, v1alpha1.PartyNobody
	const git, cluster, both = v1alpha1.PathGit, v1alpha1.PathCluster, v1alpha1.PathBoth
	const edit, deliver, people = ownership.RoleEdit, ownership.RoleDeliver, ownership.RolePlatform
	for _, c := range []struct {
		party  v1alpha1.Party
		path   v1alpha1.ChangePath
		deploy string
		writes string
	}{
		{team, both, deliver + " " + edit, ownership.RoleClaims},
		{team, cluster, edit, ownership.RoleClaims},
		{team, git, deliver, ownership.RoleClaims},
		{platform, both, people, people},
		{platform, cluster, people, people},
		{platform, git, "", ""},
		{shared, both, deliver + " " + edit + " " + people, ownership.RoleClaims + " " + people},
		{shared, cluster, edit + " " + people, ownership.RoleClaims + " " + people},
		{shared, git, deliver, ownership.RoleClaims},
		{nobody, both, "", ""},
		{nobody, git, "", ""},
	} {
		spec, d := apart()
		three(d, c.party)
		d.ChangePath = c.path
		roles := contract.New(*spec).Roles()
		if got := holders(roles, "serviceclaims", ownership.VerbDeploy); got != c.deploy {
			t.Errorf("%s by %s: deploy is with %q, want %q", c.party, c.path, got, c.deploy)
		}
		for _, verb := range []string{"create", "update", "delete"} {
			if got := holders(roles, "serviceclaims", verb); got != c.writes {
				t.Errorf("%s by %s: %s is with %q, want %q", c.party, c.path, verb, got, c.writes)
			}
		}
		if got := holders(roles, "serviceclaims", "list"); got != "demarc:claims demarc:platform" {
			t.Errorf("%s by %s: claims are listed by %q", c.party, c.path, got)
		}
	}
}

// Who scales claims patches them, whoever writes them; nobody else does.
func TestScalingFollowsTheContract(t *testing.T) {
	for from, want := range map[v1alpha1.TeamRole]string{
		v1alpha1.TeamOperate: "demarc:claims demarc:scale", v1alpha1.TeamEdit: "demarc:claims", v1alpha1.TeamNobody: "",
	} {
		spec, d := apart()
		three(d, v1alpha1.PartyNobody)
		d.Resources[0].Operations["scaleClaim"] = from
		if got := holders(contract.New(*spec).Roles(), "serviceclaims", "patch"); got != want {
			t.Errorf("scaleClaim: %s: patched by %q, want %q", from, got, want)
		}
	}
}

// What a contract says of operations on kinds that they are not for gives nothing, even
// where nobody looked at it.
func TestOperationsAreHeldToTheirKinds(t *testing.T) {
	spec := contract.Default().Spec.DeepCopy()
	for i := range spec.Domains {
		for j := range spec.Domains[i].Resources {
			r := &spec.Domains[i].Resources[j]
			r.Operations = map[string]v1alpha1.TeamRole{}
			for _, name := range contract.Operations() {
				r.Operations[name] = v1alpha1.TeamView
			}
		}
	}
	for _, role := range contract.New(*spec).Roles() {
		if role.Name != ownership.RoleView {
			continue
		}
		for _, rule := range role.Rules {
			verbs := strings.Join(rule.Verbs, " ")
			patched := rule.APIGroups[0] == "apps" && strings.Contains("daemonsets deployments statefulsets", rule.Resources[0])
			if strings.Contains(verbs, "patch") && !patched && !strings.Contains(rule.Resources[0], "/scale") {
				t.Errorf("view patches %v", rule)
			}
			if strings.Contains(verbs, "delete") && rule.Resources[0] != "pods" && rule.Resources[0] != "jobs" {
				t.Errorf("view deletes %v", rule)
			}
		}
	}
}
