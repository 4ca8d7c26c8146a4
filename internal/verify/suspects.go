package verify

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/rbac"
)

// suspect finds the bindings that are none of Demarc's, or not as they should be, and whom
// they mean: in teams' namespaces, in those of the platform that matter, and everywhere.
func (r *Reviews) suspect() {
	should := map[[2]string]*rbac.Binding{}
	for _, b := range r.v.want.Bindings {
		should[[2]string{b.Namespace, b.Name}] = b
	}
	by := map[string][]*somebody{}
	for _, s := range r.people {
		for _, holder := range s.Own() {
			by[holder] = append(by[holder], s)
		}
	}
	for _, b := range r.v.live.Bindings {
		if want := should[[2]string{b.Namespace, b.Name}]; want != nil && sameBinding(want, b) || !r.v.looked(b.Namespace) {
			continue
		}
		for _, s := range b.Subjects {
			holder := rbac.Holder(s, b.Namespace)
			if p, ok := r.v.elsewhere(s, b.Namespace); ok && len(by[holder]) == 0 {
				by[holder] = crowd([]persona{p})
				r.people = append(r.people, by[holder]...)
			}
			for _, s := range by[holder] {
				if list := r.strays[s.key]; len(list) == 0 || list[len(list)-1] != b {
					r.strays[s.key] = append(list, b)
				}
			}
		}
	}
}

// looked says whether stray bindings of a namespace, or everywhere, are asked for.
func (v *verifier) looked(namespace string) bool {
	return namespace == "" || v.teamOf(namespace) != nil || v.floor(namespace)
}

// elsewhere is a team's account that a binding means outside its home.
func (v *verifier) elsewhere(s rbacv1.Subject, namespace string) (p persona, ok bool) {
	who := rbac.Of(s, namespace)
	ns, name, account := rbac.ParseAccount(who.User)
	if !account || ns == namespace || name == "" || v.teamOf(ns) == nil {
		return p, false
	}
	return persona{name: "account " + name + " of team " + v.teamOf(ns).Name, Identity: who, home: ns, account: true}, true
}

// floor says whether a namespace is one of those from which the cluster is run.
func (v *verifier) floor(namespace string) bool {
	return slices.Contains([]string{"kube-system", v.operator, v.settings.ArgoCDNamespace}, namespace)
}

func sameBinding(a, b *rbac.Binding) bool {
	return a.Role.Kind == b.Role.Kind && a.Role.Name == b.Role.Name && len(a.Subjects) == len(b.Subjects) &&
		!slices.ContainsFunc(a.Subjects, func(s rbacv1.Subject) bool {
			return !slices.ContainsFunc(b.Subjects, func(o rbacv1.Subject) bool { return rbac.Holder(s, a.Namespace) == rbac.Holder(o, b.Namespace) })
		})
}
