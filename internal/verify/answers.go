package verify

import (
	"slices"

	"demarc.dev/demarc/internal/rbac"
)

// answers are what the cells come to of somebody who has this and should have that. They
// are the same for all who are given the same rules, by whichever bindings: most teams
// differ in nothing but that.
type answers struct {
	cells      int
	more, less []difference
}

// difference is one request, and where in the grants that give it the rules are.
type difference struct {
	rbac.Request
	spots []rbac.Spot
}

// asker finds answers, each once.
type asker struct {
	base  []rbac.Request
	known map[string]*answers
}

func (a *asker) answers(h has) *answers {
	key := h.is.Same() + "|" + h.should.Same()
	if a.known[key] == nil {
		a.known[key] = a.compared(h)
	}
	return a.known[key]
}

func (a *asker) compared(h has) *answers {
	list := beside(a.base, h.is, h.should)
	out := &answers{cells: len(list)}
	for _, r := range list {
		is, wanted := slices.Collect(h.is.Spots(r)), slices.Collect(h.should.Spots(r))
		switch {
		case len(is) > 0 && len(wanted) == 0:
			out.more = append(out.more, difference{r, is})
		case len(is) == 0 && len(wanted) > 0:
			out.less = append(out.less, difference{r, wanted[:1]})
		}
	}
	return out
}

// beside adds what the rules themselves name: a subresource, a kind, a verb, a path or a
// name that no list knows.
func beside(base []rbac.Request, grants ...rbac.Grants) []rbac.Request {
	all := slices.Clone(base)
	for _, g := range grants {
		for r := range g.Rules() {
			all = append(all, rbac.Each(r.PolicyRule)...)
		}
	}
	return unique(all)
}

// unique leaves of each request the first.
func unique(all []rbac.Request) []rbac.Request {
	seen := make(map[rbac.Request]bool, len(all))
	return slices.DeleteFunc(slices.Clone(all), func(r rbac.Request) bool {
		was := seen[r]
		seen[r] = true
		return was
	})
}
