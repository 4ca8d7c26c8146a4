package verify

import (
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/rbac"
)

// verbs of the API; those of Demarc's own, and of Kubernetes', come with what names them.
var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

// requests are the cells of a persona in a place, before what roles name beside.
func (v *verifier) requests() (all []rbac.Request) {
	for _, k := range slices.Concat(contract.Kinds, v.Kinds) {
		for _, verb := range verbs {
			all = append(all, rbac.Request{Verb: verb, Group: k.Group, Resource: k.Resource})
		}
	}
	all = append(all, v.operations()...)
	for _, p := range powers {
		all = append(all, p.requests...)
	}
	return all
}

// operations are what the contract gives beside reading and writing.
func (v *verifier) operations() (all []rbac.Request) {
	for _, row := range v.contract.Rows() {
		for _, name := range slices.Sorted(maps.Keys(row.Operations)) {
			sub, takes, _ := contract.Takes(name)
			all = append(all, each(takes, row.Group, strings.TrimSuffix(row.Resource+"/"+sub, "/"))...)
		}
	}
	return all
}

// cells asks for every persona, verb and kind, in every place, what RBAC says and what
// the contract says.
func (v *verifier) cells() {
	want, base := v.expected(), v.requests()
	sum := &sums{more: map[string]*differences{}, less: map[string]*differences{}}
	for _, p := range v.personas() {
		v.report.Personas = append(v.report.Personas, p.name)
		for _, place := range v.places(p, want) {
			is, should := v.live.For(p.Identity, place), want.For(p.Identity, place)
			for _, r := range beside(base, is, should) {
				v.report.Cells++
				v.cell(sum, p, place, r, is, should)
			}
		}
	}
	v.tell(sum)
}

// places are the whole cluster, the persona's own namespace, one of another team, one of
// none, and wherever a binding means it.
func (v *verifier) places(p persona, want *rbac.World) []string {
	places := []string{"", "default"}
	if p.home != "" {
		places = append(places, p.home)
	}
	for _, t := range v.tenants {
		if ns := v1alpha1.NamespaceOf(t.Name); ns != p.home {
			places = append(places, ns)
			break
		}
	}
	for _, world := range []*rbac.World{v.live, want} {
		for _, b := range world.Bindings {
			if b.Namespace != "" && !slices.Contains(places, b.Namespace) && world.Placed(p.Identity, b.Namespace) {
				places = append(places, b.Namespace)
			}
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// beside adds what the rules themselves name: a subresource, a kind, a verb, a path or a
// name that no list knows.
func beside(base []rbac.Request, grants ...rbac.Grants) []rbac.Request {
	seen := make(map[rbac.Request]bool, len(base))
	for _, r := range base {
		seen[r] = true
	}
	all := slices.Clone(base)
	for _, g := range grants {
		for _, c := range g.All() {
			for _, r := range rbac.Each(c.Rule.PolicyRule) {
				if !seen[r] {
					all, seen[r] = append(all, r), true
				}
			}
		}
	}
	return all
}

func (v *verifier) cell(sum *sums, p persona, place string, r rbac.Request, is, should rbac.Grants) {
	causes, wanted := is.Why(r), should.Allow(r)
	switch {
	case len(causes) > 0 && wanted == nil:
		if causes = slices.DeleteFunc(causes, func(c *rbac.Cause) bool { return v.handedOn(p, place, c, r) }); len(causes) == 0 {
			return
		}
		v.report.Differ++
		for _, c := range causes {
			v.note(sum.more, c, p, place, r)
		}
	case len(causes) == 0 && wanted != nil:
		v.report.Differ++
		v.note(sum.less, wanted, p, place, r)
	}
}

// handedOn is what a team gives accounts of its own namespace by a binding of its own, as
// far as it has that itself.
func (v *verifier) handedOn(p persona, place string, c *rbac.Cause, r rbac.Request) bool {
	if !p.account || place != p.home || c.Binding.Namespace != p.home || strings.HasPrefix(c.Binding.Role.Name, demarcRole) && c.Binding.Role.Kind == "ClusterRole" {
		return false
	}
	return slices.ContainsFunc(v.teamHas(), func(rule rbacv1.PolicyRule) bool { return rbac.Allows(rule, r) })
}

const demarcRole = "demarc:"

// teamHas is all that a team has in its namespace, by hand and by Git.
func (v *verifier) teamHas() (rules []rbacv1.PolicyRule) {
	if v.team == nil {
		for _, role := range v.contract.Roles() {
			if role.Name == ownership.RoleEdit || role.Name == ownership.RoleDeliver {
				v.team = append(v.team, role.Rules...)
			}
		}
	}
	return v.team
}
