package isolation

import (
	"maps"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/ownership"
)

// everybodys are the rights of whoever is authenticated, which Kubernetes gives.
var everybodys = held{
	{schema.GroupResource{Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"}, "create"}: true,
	{schema.GroupResource{Group: "authorization.k8s.io", Resource: "selfsubjectrulesreviews"}, "create"}:  true,
	{schema.GroupResource{Group: "authentication.k8s.io", Resource: "selfsubjectreviews"}, "create"}:      true,
}

// accounts are the rights of every ServiceAccount, which Kubernetes gives.
var accounts = held{
	{schema.GroupResource{Group: "certificates.k8s.io", Resource: "clustertrustbundles"}, "get"}:   true,
	{schema.GroupResource{Group: "certificates.k8s.io", Resource: "clustertrustbundles"}, "list"}:  true,
	{schema.GroupResource{Group: "certificates.k8s.io", Resource: "clustertrustbundles"}, "watch"}: true,
}

// tabled are the rights that internal/ownership gives a persona in each place, and
// Kubernetes everybody.
func tabled(p persona) map[string]held {
	inTeam, everywhere := map[string][]string{
		"view":                {ownership.RoleView},
		"operate":             {ownership.RoleOperate},
		"edit":                {ownership.RoleEdit},
		"Git":                 {ownership.RoleDeliver},
		"another team's edit": {},
		"no team":             {},
	}, map[string][]string{
		"view":                {ownership.RoleRead, ownership.RoleRequests},
		"operate":             {ownership.RoleRead, ownership.RoleRequests, ownership.RoleScale},
		"edit":                {ownership.RoleRead, ownership.RoleRequests, ownership.RoleContacts, ownership.RoleClaims},
		"Git":                 {ownership.RoleClaims},
		"another team's edit": {ownership.RoleRead, ownership.RoleRequests, ownership.RoleContacts, ownership.RoleClaims},
		"no team":             {},
	}
	out := map[string]held{home: {}, other: {}, whole: {}}
	for place, rights := range out {
		maps.Copy(rights, everybodys)
		if p.name == "Git" {
			maps.Copy(rights, accounts)
		}
		for _, role := range contract.Default().Roles() {
			if slices.Contains(everywhere[p.name], role.Name) || place == home && slices.Contains(inTeam[p.name], role.Name) {
				give(rights, role.Rules)
			}
		}
	}
	return out
}

func give(to held, rules []rbacv1.PolicyRule) {
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					to[right{schema.GroupResource{Group: group, Resource: resource}, verb}] = true
				}
			}
		}
	}
}

// compare finds what is held and not tabled, and the other way round, among what can be asked.
func compare(t *testing.T, who string, want, got held, rights []right, namespaced map[schema.GroupResource]bool, place string) {
	t.Helper()
	for _, r := range rights {
		if place != whole && !namespaced[r.resource] {
			continue
		}
		if want[r] != got[r] {
			t.Errorf("%s: %s %s: the API server says %v, the table says %v", who, r.verb, r.resource, got[r], want[r])
		}
	}
}

// kindsHold reads the rows of the table themselves, not what is compiled from them.
func kindsHold(t *testing.T, rights []right, found map[string]map[string]held) {
	t.Helper()
	levels := map[string]contract.Level{"view": contract.View, "operate": contract.Operate, "edit": contract.Edit}
	for _, k := range contract.Default().Rows() {
		gr := schema.GroupResource{Group: k.Group, Resource: k.Resource}
		if k.Cluster || !slices.ContainsFunc(rights, func(r right) bool { return r.resource == gr }) {
			continue // what is not served is not asked for
		}
		reaches := func(level, from contract.Level) bool { return from != contract.Never && from <= level }
		for name, level := range levels {
			for verb, want := range map[string]bool{
				"get": reaches(level, k.Read), "create": level == contract.Edit && k.Hand.Create, "update": level == contract.Edit && k.Hand.Modify,
				"patch": level == contract.Edit && k.Hand.Modify || reaches(level, k.Operations["restart"]), "deletecollection": false,
			} {
				if got := found[name][home][right{gr, verb}]; got != want {
					t.Errorf("%s: %s %s is %v, the row of %s says %v", name, verb, gr, got, k.Kind, want)
				}
			}
		}
		for _, verb := range []string{"get", "create", "delete"} {
			if got := found["Git"][home][right{gr, verb}]; got != k.Delivered() {
				t.Errorf("Git: %s %s is %v, the row of %s says %v", verb, gr, got, k.Kind, k.Delivered())
			}
		}
	}
}

func placeName(place string) string {
	return map[string]string{home: "the team's namespace", other: "another team's namespace", whole: "the whole cluster"}[place]
}
