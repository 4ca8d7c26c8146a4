package contract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/ownership"
)

// personas and the roles that each is bound to, in its namespace and for the whole cluster.
var personas = map[string][]string{
	"view":     {ownership.RoleView, ownership.RoleRead, ownership.RoleRequests},
	"operate":  {ownership.RoleOperate, ownership.RoleRead, ownership.RoleRequests, ownership.RoleScale},
	"edit":     {ownership.RoleEdit, ownership.RoleRead, ownership.RoleRequests, ownership.RoleClaims, ownership.RoleContacts},
	"git":      {ownership.RoleDeliver, ownership.RoleClaims},
	"platform": {ownership.RolePlatform},
}

// places are where a contract is enforced, each of which changes at a moment of its own:
// the roles, the policy, and the AppProject.
const policy, project = "policy", "project"

// compiled is what a contract comes to: the rights of each role, and the rows.
type compiled struct {
	roles map[string][]string
	rows  []contract.Row
}

func compile(c *contract.Contract) compiled {
	out := compiled{map[string][]string{}, c.Rows()}
	for _, role := range c.Roles() {
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					out.roles[role.Name] = append(out.roles[role.Name], rule.APIGroups[0]+"/"+resource+" "+verb)
				}
			}
		}
	}
	return out
}

// rights that a persona has while some places hold what one contract says and some what
// the other does.
func rights(persona string, at func(place string) compiled) map[string]bool {
	out := map[string]bool{}
	for _, name := range personas[persona] {
		for _, right := range at(name).roles[name] {
			out[right] = true
		}
	}
	for _, row := range at(policy).rows {
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
		for _, row := range at(project).rows {
			if !row.Delivered() {
				for _, verb := range []string{"create", "update", "patch", "delete"} {
					delete(out, row.Group+"/"+row.Resource+" "+verb)
				}
			}
		}
	}
	return out
}

// taken are what policies of the chart let somebody do to kinds without a namespace, who has
// both a verb of the API there and one of Demarc's own in the team's namespace.
var taken = []struct{ does, resource, verb, asks string }{
	{"create a claim", "serviceclaims", "create", ownership.VerbDeploy},
	{"update a claim", "serviceclaims", "update", ownership.VerbDeploy},
	{"patch a claim", "serviceclaims", "patch", ownership.VerbDeploy},
	{"delete a claim", "serviceclaims", "delete", ownership.VerbDeploy},
	{"scale a claim", "serviceclaims", "patch", ownership.VerbScale},
	{"change contacts", "tenants", "patch", ownership.VerbContact},
	{"ask for access", "accessgrants", "create", ownership.VerbRequest},
	{"approve access", "accessgrants", "patch", ownership.VerbApprove},
	{"ask for a budget", "budgetrequests", "create", ownership.VerbRequest},
	{"approve a budget", "budgetrequests", "patch", ownership.VerbApprove},
}

// effective adds to rights what they come to together.
func effective(rights map[string]bool) map[string]bool {
	for _, d := range taken {
		if rights["demarc.dev/"+d.resource+" "+d.verb] && rights["demarc.dev/"+d.resource+" "+d.asks] {
			rights[d.does] = true
		}
	}
	if rights["patch a claim"] {
		rights["scale a claim"] = true
	}
	return rights
}

// While a contract changes, whatever was written first, everybody has at least what both
// contracts give and at most what either does.
func TestNoMomentGivesMoreOrLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := edited(t, contract.Default(), "first")
		moments(t, compile(first), compile(edited(t, first, "then")))
	})
}

// The same from each of some contracts to each other: those that one edit by chance seldom
// leads to.
func TestNoMomentBetweenContracts(t *testing.T) {
	all := map[string]compiled{}
	for name, edit := range turns {
		spec, d := apart()
		edit(spec, d)
		all[name] = compile(contract.New(*spec))
	}
	for from, before := range all {
		for to, after := range all {
			t.Run(from+", then "+to, func(t *testing.T) { moments(t, before, after) })
		}
	}
}

// moments are all in which some places hold what is before and some what is after.
func moments(t interface{ Errorf(string, ...any) }, before, after compiled) {
	for persona, roles := range personas {
		places := append(slices.Clone(roles), policy, project)
		was := effective(rights(persona, func(string) compiled { return before }))
		will := effective(rights(persona, func(string) compiled { return after }))
		for moment := range 1 << len(places) {
			now := effective(rights(persona, func(place string) compiled {
				if moment>>slices.Index(places, place)&1 == 1 {
					return after
				}
				return before
			}))
			if wrong := outside(was, will, now); len(wrong) > 0 {
				t.Errorf("%s, while %b of %v are written: %s", persona, moment, places, strings.Join(wrong, "; "))
			}
		}
	}
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
