package verify

import (
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/rbac"
)

// power is a right from which others follow.
type power struct {
	name     string
	requests []rbac.Request
	// namespaced is that it is one in a single namespace too.
	namespaced bool
}

var writing = rbac.Writing

// everyday is the one that every team has at home.
const everyday = contract.Everyday

// powers are all of them, the widest first.
var powers = func() (all []power) {
	for _, p := range contract.Powers() {
		all = append(all, power{p.Name, p.Requests, p.Namespaced})
	}
	return all
}()

func each(verbs []string, group string, resources ...string) []rbac.Request {
	return rbac.Requests(verbs, group, resources...)
}
