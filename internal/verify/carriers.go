package verify

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/rbac"
)

// carriers are the powers that are in roles, by what these give: bindings are many, and
// what they give is not.
type carriers map[carrier][]carried

// carrier is what a role gives, and where: everywhere, in a namespace, or in one that
// powers tell apart.
type carrier struct {
	same       string
	everywhere bool
	floor      contract.Floor
}

// carried is a power that is in a role, and by which of its rules.
type carried struct {
	power power
	by    []carriedBy
}

type carriedBy struct {
	rule  int
	asked rbac.Request
}

func (k carriers) of(w *rbac.World, b *rbac.Binding, floor contract.Floor) []carried {
	key := carrier{w.Same(b), b.Namespace == "", floor}
	list, known := k[key]
	if !known {
		list = carriedIn(w.RulesOf(b), b.Namespace, floor)
		k[key] = list
	}
	return list
}

func carriedIn(rules []rbac.Rule, namespace string, floor contract.Floor) (list []carried) {
	for _, p := range powers {
		if !p.within(namespace, floor) {
			continue
		}
		c := carried{power: p}
		for i, rule := range rules {
			for _, r := range p.requests {
				if rbac.Allows(unnamed(rule.PolicyRule), r) {
					c.by = append(c.by, carriedBy{i, r})
				}
			}
		}
		if len(c.by) > 0 {
			list = append(list, c)
		}
	}
	return list
}

// unnamed is a rule as if it named no objects: a name chosen well is power enough.
func unnamed(r rbacv1.PolicyRule) rbacv1.PolicyRule {
	r.ResourceNames = nil
	return r
}
