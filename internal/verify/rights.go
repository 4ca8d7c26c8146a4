package verify

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/rbac"
)

// rights say which answer is right. There is what somebody must have, and what it may have
// while a Tenant is on its way in or out. Between them no answer is wrong.
type rights struct {
	v      *verifier
	unsure map[*rbac.Binding]bool
	// sizes of the cells of all who are given the same, and the last such cells: of a
	// persona they are many, and few are needed at a time.
	sizes map[string]size
	last  map[string]*cells
}

// size is how many cells there are: those from which other rights follow, and the rest.
type size struct{ first, rest int }

// cell is one request, and what the contract says of it.
type cell struct {
	rbac.Request
	allowed bool
}

// cells of somebody in a place, those from which other rights follow first.
type cells struct{ first, rest []cell }

// mostLast bounds the cells that are remembered.
const mostLast = 32

func (r *rights) cells(b *block) *cells {
	key := b.sameness()
	if c := r.last[key]; c != nil {
		return c
	}
	if len(r.last) >= mostLast {
		clear(r.last)
	}
	c := r.sorted(b)
	r.last[key], r.sizes[key] = c, size{len(c.first), len(c.rest)}
	return c
}

func (r *rights) size(b *block) size {
	key := b.sameness()
	if _, known := r.sizes[key]; !known {
		r.cells(b)
	}
	return r.sizes[key]
}

func (r *rights) sorted(b *block) *cells {
	rules := slices.AppendSeq([]rbacv1.PolicyRule{}, b.must.PolicyRules())
	rules = append(slices.AppendSeq(rules, b.may.PolicyRules()), b.handed...)
	for _, stray := range b.strays {
		for _, rule := range r.v.live.RulesOf(stray) {
			rules = append(rules, rule.PolicyRule)
		}
	}
	c := &cells{}
	for _, q := range r.v.questions(b.place, rules) {
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

// bounds are what somebody must have, and may have.
type bounds struct {
	must, may rbac.Grants
	// handed are the rules that a team may give its own accounts beside.
	handed []rbacv1.PolicyRule
	// trusted may have all.
	trusted bool
}

// in are the bounds that bindings of this very place give.
func (r *rights) in(who rbac.Identity, place string) bounds {
	may := r.v.want.OwnIn(who, place).And(r.v.want.EverybodysIn(who, place))
	return bounds{must: may.By(func(b *rbac.Binding) bool { return !r.unsure[b] }), may: may}
}

func (b bounds) and(o bounds) bounds {
	b.must, b.may = b.must.And(o.must), b.may.And(o.may)
	return b
}

// right is the answer to one question; not sure where neither would be wrong.
func (b bounds) right(q rbac.Request) (allowed, sure bool) {
	if b.must.Allow(q) != nil {
		return true, true
	}
	return false, !b.trusted && b.may.Allow(q) == nil && !slices.ContainsFunc(b.handed, func(rule rbacv1.PolicyRule) bool { return rbac.Allows(rule, q) })
}
