package verify

import (
	"slices"
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/rbac"
)

// dangerous are the requests from which other rights follow: the powers, but for what
// every team does at home, and writes on access.
var dangerous = sync.OnceValue(func() map[rbac.Request]bool {
	all := map[rbac.Request]bool{}
	for _, p := range powers {
		for _, r := range p.requests {
			all[r] = all[r] || p.name != everyday
		}
	}
	for _, r := range slices.Concat(each(writing, rbacGroup, "roles", "rolebindings", "clusterroles", "clusterrolebindings"), each(writing, "", "secrets")) {
		all[r] = true
	}
	return all
})

// questions are asked of a persona in a place, those included that its rules name; each
// once, and none of a path in a namespace.
func (v *verifier) questions(place string, rules []rbacv1.PolicyRule) (all []rbac.Request) {
	seen := map[rbac.Request]bool{}
	ask := func(list []rbac.Request) {
		for _, r := range list {
			if !seen[r] && (r.Path == "" || place == "") {
				all, seen[r] = append(all, r), true
			}
		}
	}
	ask(v.askedOfAll(place == ""))
	for _, rule := range rules {
		ask(rbac.Each(rule))
	}
	return all
}

// askedOfAll everywhere, or in a namespace. Kinds without a namespace are asked for
// everywhere, others in namespaces; operations in both, since Demarc asks for some of these
// in a namespace, and powers wherever they are some.
func (v *verifier) askedOfAll(everywhere bool) (all []rbac.Request) {
	for _, k := range contract.Kinds {
		if k.Cluster == everywhere {
			all = append(all, each(verbs, k.Group, k.Resource)...)
		}
	}
	all = append(all, v.operations()...)
	for _, p := range powers {
		if everywhere && p.name != everyday || !everywhere && p.namespaced && p.at == "" {
			all = append(all, p.requests...)
		}
	}
	return all
}
