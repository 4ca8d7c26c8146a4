package verify

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/rbac"
)

// holders knows who is given which rules where. rbac.World looks at every binding to say
// so, and here every persona of every team asks.
type holders struct {
	world *rbac.World
	// by namespace, then by holder.
	by map[string]map[string][]*rbac.Binding
}

func holdersOf(w *rbac.World) *holders {
	w.Index()
	h := &holders{w, map[string]map[string][]*rbac.Binding{}}
	for _, b := range w.Bindings {
		if h.by[b.Namespace] == nil {
			h.by[b.Namespace] = map[string][]*rbac.Binding{}
		}
		for _, s := range b.Subjects {
			holder := holderOf(s, b.Namespace)
			h.by[b.Namespace][holder] = append(h.by[b.Namespace][holder], b)
		}
	}
	return h
}

// holderOf is whom a subject of a binding in a namespace names.
func holderOf(s rbacv1.Subject, namespace string) string {
	if s.Kind == rbacv1.GroupKind {
		return "group " + s.Name
	}
	return "user " + rbac.Of(s, namespace).User
}

// meant are all holders that mean an identity.
func meant(who rbac.Identity) (all []string) {
	if who.User != "" {
		all = append(all, "user "+who.User)
	}
	for _, g := range who.Groups {
		all = append(all, "group "+g)
	}
	return all
}

// own are the holders that mean this identity and not everybody: what everybody is given
// shows in who is nobody else beside.
func own(who rbac.Identity) []string {
	if who.User == "" {
		return []string{"group " + who.Groups[0]}
	}
	return slices.DeleteFunc(meant(who), func(holder string) bool {
		return holder == "group "+rbac.Authenticated || holder == "group "+rbac.AllAccounts
	})
}

// given are the rules that an identity has in a place, and a name for them that is the
// same for the same rules.
func (h *holders) given(who rbac.Identity, place string) (rules []rbacv1.PolicyRule, name string) {
	roles := map[string]*rbac.Binding{}
	for _, ns := range slices.Compact([]string{"", place}) {
		for _, holder := range meant(who) {
			for _, b := range h.by[ns][holder] {
				key := b.Role.Kind + "/" + b.Role.Name
				if b.Role.Kind == "Role" {
					key += " in " + b.Namespace
				}
				roles[key] = b
			}
		}
	}
	names := make([]string, 0, len(roles))
	for key := range roles {
		names = append(names, key)
	}
	slices.Sort(names)
	for _, key := range names {
		for _, r := range h.world.RulesOf(roles[key]) {
			rules = append(rules, r.PolicyRule)
		}
	}
	return rules, strings.Join(names, ", ")
}
