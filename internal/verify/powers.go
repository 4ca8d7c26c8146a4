package verify

import (
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/rbac"
)

// power is a right from which others follow.
type power struct {
	name     string
	requests []rbac.Request
	// namespaced is that it is one in a single namespace too, or in the one that at says.
	namespaced bool
	at         contract.Floor
	// disturbs is that no other right follows.
	disturbs bool
}

var writing = rbac.Writing

// everyday is the one that every team has at home.
const everyday = contract.Everyday

// powers are all of them, the widest first.
var powers = func() (all []power) {
	for _, p := range contract.Powers() {
		all = append(all, power{p.Name, p.Requests, p.Namespaced, p.At, p.Disturbs})
	}
	return all
}()

// within says whether a power is one in a namespace of such a floor; everywhere all are.
func (p power) within(namespace string, floor contract.Floor) bool {
	return namespace == "" || p.namespaced && (p.at == "" || p.at == floor)
}

// floorOf a namespace, where it is one that powers tell apart.
func (v *verifier) floorOf(namespace string) contract.Floor {
	if namespace == v.settings.ArgoCDNamespace {
		return contract.ArgoCDs
	}
	return ""
}

func each(verbs []string, group string, resources ...string) []rbac.Request {
	return rbac.Requests(verbs, group, resources...)
}
