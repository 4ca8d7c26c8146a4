package contract

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
)

// operation refuses one that is none, or that its role could not use.
func (l *lint) operation(path, name string, role v1alpha1.TeamRole) {
	o, ok := operationOf(name)
	switch {
	case !ok || name == approves:
		l.refuse(path, "there is no operation %q: %s", name, choose(name, Operations(), "know them: "+strings.Join(Operations(), ", ")))
	case !isRole(role):
		l.refuse(path, "%q is no role: name %s", role, roleNames)
	case role != v1alpha1.TeamNobody && len(o.roles) > 0 && !slices.Contains(o.roles, role):
		l.refuse(path, "the role %s cannot write a %s, so %s would be no use to it: name %s or nobody", role, words(o.kinds), name, roleWords(o.roles))
	}
}

// operationsOn refuses those that are not for a kind: a right that no subresource and no
// policy holds to what it is called gives the kind away.
func (l *lint) operationsOn(path string, d *v1alpha1.ContractDomain, r *v1alpha1.ContractResource, gk schema.GroupKind) {
	for _, name := range slices.Sorted(maps.Keys(r.Operations)) {
		at := path + ".operations." + name
		switch o, ok := operationOf(name); {
		case !ok || name == approves: // said already
		case !slices.Contains(o.kinds, gk):
			l.refuse(at, "%s is not for %s, but for %s alone: take it out", name, gk, words(o.kinds))
		case r.Operations[name] != v1alpha1.TeamNobody && writes(d, onlyPlatform, "").refuses(name):
			l.warn(at, "by domain %s that is the platform's alone to do to %s, and admission would refuse it: nobody of a team gets it; take it out", d.Name, gk)
		}
	}
}

func words(kinds []schema.GroupKind) string {
	var names []string
	for _, gk := range kinds {
		names = append(names, gk.String())
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func roleWords(roles []v1alpha1.TeamRole) string {
	var names []string
	for _, role := range roles {
		names = append(names, string(role))
	}
	return strings.Join(names, ", ")
}
