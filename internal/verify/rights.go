package verify

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/rbac"
)

// rights say which answer is right. There are two worlds: what a persona must have, and
// what it may have while a Tenant is on its way in or out. Between them no answer is wrong.
type rights struct {
	v           *verifier
	least, most *holders
	// known are the cells of personas that are given the same.
	known map[string]*cells
}

func newRights(v *verifier) *rights {
	least, most := &rbac.World{}, &rbac.World{}
	for _, k := range v.kept {
		put(most, k.want)
		if !k.unasked {
			put(least, k.want)
		}
	}
	return &rights{v, holdersOf(least), holdersOf(most), map[string]*cells{}}
}

// cell is one request, and what the contract says of it.
type cell struct {
	rbac.Request
	allowed bool
}

// cells of a persona in a place, those from which other rights follow first.
type cells struct{ first, rest []cell }

func (r *rights) cells(of *block) *cells {
	b := r.bounds(of.persona, of.place)
	if len(of.strays) > 0 {
		return r.sorted(b, of.place, r.brought(of))
	}
	if r.known[b.key] == nil {
		r.known[b.key] = r.sorted(b, of.place, nil)
	}
	return r.known[b.key]
}

// brought are the rules of the strays of a block.
func (r *rights) brought(of *block) (rules []rbacv1.PolicyRule) {
	for _, b := range of.strays {
		for _, rule := range r.v.live.RulesOf(b) {
			rules = append(rules, rule.PolicyRule)
		}
	}
	return rules
}

func (r *rights) sorted(b bounds, place string, brought []rbacv1.PolicyRule) *cells {
	c := &cells{}
	for _, q := range r.v.questions(place, slices.Concat(b.must, b.may, brought)) {
		allowed, sure := b.right(q)
		switch {
		case !sure:
		case dangerous()[q]:
			c.first = append(c.first, cell{q, allowed})
		default:
			c.rest = append(c.rest, cell{q, allowed})
		}
	}
	return c
}

// bounds are the rules that somebody must have, and may have.
type bounds struct {
	must, may []rbacv1.PolicyRule
	// trusted may have all.
	trusted bool
	// key is the same for the same bounds.
	key string
}

func (r *rights) bounds(p persona, place string) (b bounds) {
	var least, most string
	b.must, least = r.least.given(p.Identity, place)
	b.may, most = r.most.given(p.Identity, place)
	b.trusted = r.v.trustedByContract(p.Identity) != ""
	keys := []string{least, most}
	if b.trusted {
		keys = append(keys, "trusted")
	}
	if ns, _, account := rbac.ParseAccount(p.User); account && ns == place && ns == p.home {
		b.may = append(b.may, r.v.teamHas()...) // a team may give its own accounts what it has
		keys = append(keys, "at home")
	}
	if place == "" {
		keys = append(keys, "everywhere")
	}
	b.key = strings.Join(keys, "\n")
	return b
}

// right is the answer to one question; not sure where neither would be wrong.
func (b bounds) right(q rbac.Request) (allowed, sure bool) {
	gives := func(rule rbacv1.PolicyRule) bool { return rbac.Allows(rule, q) }
	if slices.ContainsFunc(b.must, gives) {
		return true, true
	}
	return false, !b.trusted && !slices.ContainsFunc(b.may, gives)
}
