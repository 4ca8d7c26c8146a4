package verify

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/rbac"
	"demarc.dev/demarc/internal/render"
)

// put adds an object to a world, where it is one of RBAC.
func put(w *rbac.World, o render.Object) {
	switch o.GetKind() {
	case "ClusterRole":
		w.ClusterRoles = append(w.ClusterRoles, *decoded[rbacv1.ClusterRole](o))
	case "Role":
		w.Roles = append(w.Roles, *decoded[rbacv1.Role](o))
	case "ClusterRoleBinding":
		w.AddClusterRoleBinding(decoded[rbacv1.ClusterRoleBinding](o))
	case "RoleBinding":
		w.AddRoleBinding(decoded[rbacv1.RoleBinding](o))
	}
}

func decoded[T any](o render.Object) *T {
	into := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, into); err != nil {
		panic("verify: an object that was rendered is not of its kind: " + err.Error()) // only a mistake in this program gets here
	}
	return into
}

// persona is somebody as whom is asked.
type persona struct {
	name string
	rbac.Identity
	// home is the team's namespace; empty for who is of no team.
	home string
	// account is that of a team's own workloads: it is given by the team what the team has.
	account bool
}

// personas are all for whom every cell is asked.
func (v *verifier) personas() (all []persona) {
	named := accounts(v.live)
	for _, t := range v.tenants {
		if !v.wanted(t.Name) || t.DeletionTimestamp != nil {
			continue
		}
		ns := v1alpha1.NamespaceOf(t.Name)
		all = append(all, v.ofTeam(t.Name)...)
		for _, name := range accountsOf(ns, named) {
			all = append(all, persona{name: "account " + name + " of team " + t.Name, Identity: rbac.Account(ns, name), home: ns, account: true})
		}
	}
	return append(all, v.ofNoTeam()...)
}

// ofTeam are a team's people, and its Git.
func (v *verifier) ofTeam(team string) []persona {
	ns := v1alpha1.NamespaceOf(team)
	return append(v.people(team, ns), persona{name: "Git of team " + team, Identity: rbac.Account(ns, ownership.DeliverAccount), home: ns})
}

// ofNoTeam are the platform's people, and those who are nobody in particular.
func (v *verifier) ofNoTeam() (all []persona) {
	if v.platform != nil {
		for _, g := range v.platform.Spec.Team.Groups {
			all = append(all, persona{name: "the platform's people (group " + g + ")", Identity: rbac.Of(rbacv1.Subject{Kind: rbacv1.GroupKind, Name: g}, "")})
		}
	}
	return append(all,
		persona{name: "CI without a Tenant (ServiceAccount default/default)", Identity: rbac.Account("default", "default")},
		persona{name: "any ServiceAccount", Identity: rbac.Of(rbacv1.Subject{Kind: rbacv1.GroupKind, Name: rbac.AllAccounts}, "")},
		persona{name: "anyone who is authenticated", Identity: rbac.Of(rbacv1.Subject{Kind: rbacv1.GroupKind, Name: rbac.Authenticated}, "")},
		persona{name: "anonymous", Identity: rbac.Identity{User: rbac.Anonymous, Groups: []string{rbac.Unauthenticated}}})
}

// people are whom a team's Tenant gives a role, read off the bindings that are rendered
// from it.
func (v *verifier) people(team, ns string) (all []persona) {
	bindings := v.want.In(ns)
	for _, role := range []string{"view", "operate", "edit"} {
		i := slices.IndexFunc(bindings, func(b *rbac.Binding) bool { return b.Name == "demarc-"+role })
		if i < 0 {
			continue
		}
		for _, s := range bindings[i].Subjects {
			all = append(all, persona{name: role + " of team " + team + " (" + describe(s) + ")", Identity: rbac.Of(s, ns), home: ns})
		}
	}
	return all
}

// accounts that some binding names, by namespace: but for those of Git, which are personas
// of their own.
func accounts(w *rbac.World) map[string][]string {
	names := map[string][]string{}
	for _, b := range w.Bindings {
		for _, s := range b.Subjects {
			ns, name, ok := rbac.ParseAccount(rbac.Of(s, b.Namespace).User)
			if ok && name != "" && name != ownership.DeliverAccount {
				names[ns] = append(names[ns], name)
			}
		}
	}
	return names
}

// accountsOf a namespace, one of which stands for all that no binding names.
func accountsOf(ns string, named map[string][]string) []string {
	names := append([]string{"default"}, named[ns]...)
	slices.Sort(names)
	return slices.Compact(names)
}
