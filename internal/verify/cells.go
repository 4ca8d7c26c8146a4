package verify

import (
	"maps"
	"math"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/rbac"
)

// verbs of the API; those of Demarc's own, and of Kubernetes', come with what names them.
var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

// requests are the cells of a persona in a place, before what roles name beside.
func (v *verifier) requests() (all []rbac.Request) {
	for _, k := range slices.Concat(contract.Known(), v.Kinds) {
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
	asks := &asker{base: unique(v.requests()), known: map[string]*answers{}}
	sum := &sums{more: map[spot]*differences{}, less: map[spot]*differences{}}
	personas := v.personas()
	for _, p := range personas {
		v.report.Personas = append(v.report.Personas, p.name)
	}
	for _, s := range crowd(personas) {
		in := v.grantsOf(s, "")
		for _, place := range v.places(s) {
			at := in
			if place != "" {
				at = in.and(v.grantsOf(s, place))
			}
			v.cellsIn(sum, asks.answers(at), at, s.at(place), place)
		}
	}
	v.tell(sum)
}

// has is what somebody has in a place, and what it should have.
type has struct{ is, should rbac.Grants }

// grantsOf somebody in this very place. What everybody is given is taken for what it should
// be, as long as who is asked for is not everybody: it is compared once, for who is nobody
// else beside.
func (v *verifier) grantsOf(s *somebody, place string) has {
	everybodys := v.want.EverybodysIn(s.Identity, place)
	return has{v.live.OwnIn(s.Identity, place).And(everybodys), v.want.OwnIn(s.Identity, place).And(everybodys)}
}

func (h has) and(o has) has { return has{h.is.And(o.is), h.should.And(o.should)} }

// mostCauses are told of one cell: whoever has the same by more bindings hears of the
// others when these are mended.
const mostCauses = 20

func (v *verifier) cellsIn(sum *sums, a *answers, h has, p persona, place string) {
	v.report.Cells += a.cells
	more, most := a.more, mostCauses
	if v.trustedByContract(p.Identity) != "" {
		more = nil // the contract says that it may have all
	}
	if p.account {
		most = math.MaxInt // some of them may be the team's own
	}
	for _, d := range more {
		var causes []*rbac.Cause
		for _, spot := range d.spots {
			causes = append(causes, h.is.At(spot, most)...)
		}
		if causes = slices.DeleteFunc(causes, func(c *rbac.Cause) bool { return v.handedOn(p, place, c, d.Request) }); len(causes) == 0 {
			continue
		}
		v.report.Differ++
		for _, c := range causes {
			v.note(sum.more, c, p, place, d.Request)
		}
	}
	for _, d := range a.less {
		v.report.Differ++
		v.note(sum.less, h.should.At(d.spots[0], 1)[0], p, place, d.Request)
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
