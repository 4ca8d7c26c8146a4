package contract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/ownership"
)

// personas and the roles that each is bound to, in its namespace and for the whole cluster.
var personas = map[string][]string{
	"view":     {ownership.RoleView, ownership.RoleRead},
	"operate":  {ownership.RoleOperate, ownership.RoleRead, ownership.RoleScale},
	"edit":     {ownership.RoleEdit, ownership.RoleRead, ownership.RoleClaims, ownership.RoleContacts},
	"git":      {ownership.RoleDeliver, ownership.RoleClaims},
	"platform": {ownership.RolePlatform},
}

// places are where a contract is enforced, each of which changes at a moment of its own:
// the roles, the policy, and the AppProject.
const policy, project = "policy", "project"

// rights that a persona has while some places hold what one contract says and some what
// the other does.
func rights(persona string, at func(place string) *contract.Contract) map[string]bool {
	out := map[string]bool{}
	for _, name := range personas[persona] {
		for _, role := range at(name).Roles() {
			if role.Name != name {
				continue
			}
			for _, rule := range role.Rules {
				for _, resource := range rule.Resources {
					for _, verb := range rule.Verbs {
						out[rule.APIGroups[0]+"/"+resource+" "+verb] = true
					}
				}
			}
		}
	}
	for _, row := range at(policy).Rows() {
		if row.Cluster || persona == "platform" {
			continue
		}
		for verb, reserved := range map[string]bool{
			"create": row.Reserved.Create, "update": row.Reserved.Modify, "patch": row.Reserved.Modify, "delete": row.Reserved.Delete,
		} {
			if reserved {
				delete(out, row.Group+"/"+row.Resource+" "+verb)
			}
		}
	}
	if persona == "git" {
		for _, row := range at(project).Rows() {
			if !row.Delivered() {
				for _, verb := range []string{"create", "update", "patch", "delete"} {
					delete(out, row.Group+"/"+row.Resource+" "+verb)
				}
			}
		}
	}
	return out
}

// edited is a contract of which some answers were changed.
func edited(t *rapid.T, c *contract.Contract, name string) *contract.Contract {
	spec := c.Spec.DeepCopy()
	party := rapid.SampledFrom([]v1alpha1.Party{v1alpha1.PartyPlatform, v1alpha1.PartyTeam, v1alpha1.PartyShared, v1alpha1.PartyNobody})
	for range rapid.IntRange(1, 6).Draw(t, name+" edits") {
		d := &spec.Domains[rapid.IntRange(0, len(spec.Domains)-1).Draw(t, "domain")]
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0:
			d.Creates = party.Draw(t, "creates")
		case 1:
			d.Modifies = party.Draw(t, "modifies")
		case 2:
			d.Deletes = party.Draw(t, "deletes")
		case 3:
			d.ChangePath = rapid.SampledFrom([]v1alpha1.ChangePath{v1alpha1.PathGit, v1alpha1.PathCluster, v1alpha1.PathBoth}).Draw(t, "path")
		default:
			if len(d.Resources) > 0 {
				r := &d.Resources[rapid.IntRange(0, len(d.Resources)-1).Draw(t, "resource")]
				r.Read = rapid.SampledFrom([]v1alpha1.TeamRole{v1alpha1.TeamView, v1alpha1.TeamOperate, v1alpha1.TeamEdit, v1alpha1.TeamNobody}).Draw(t, "read")
			}
		}
	}
	return contract.New(*spec)
}

// While a contract changes, whatever was written first, everybody has at least what both
// contracts give and at most what either does.
func TestNoMomentGivesMoreOrLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := edited(t, contract.Default(), "first")
		after := edited(t, before, "then")
		for persona, roles := range personas {
			places := append(slices.Clone(roles), policy, project)
			was := rights(persona, func(string) *contract.Contract { return before })
			will := rights(persona, func(string) *contract.Contract { return after })
			for moment := range 1 << len(places) {
				now := rights(persona, func(place string) *contract.Contract {
					if moment>>slices.Index(places, place)&1 == 1 {
						return after
					}
					return before
				})
				if wrong := outside(was, will, now); len(wrong) > 0 {
					t.Fatalf("%s, while %b of %v are written: %s", persona, moment, places, strings.Join(wrong, "; "))
				}
			}
		}
	})
}

// outside are the rights that are not between those of two contracts.
func outside(was, will, now map[string]bool) (wrong []string) {
	for right := range now {
		if !was[right] && !will[right] {
			wrong = append(wrong, fmt.Sprintf("%s is given, and by neither", right))
		}
	}
	for right := range was {
		if will[right] && !now[right] {
			wrong = append(wrong, fmt.Sprintf("%s is not given, and by both", right))
		}
	}
	return wrong
}
