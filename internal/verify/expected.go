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

// expected is RBAC as the contract, the Tenants and the Platform would have it, with what
// Kubernetes gives everybody: what is rendered is asked, and no second list.
func (v *verifier) expected() *rbac.World {
	w := &rbac.World{}
	for _, o := range v.kept {
		put(w, o.want)
	}
	w.Index()
	return w
}

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
	for _, t := range v.tenants {
		if !v.wanted(t.Name) || t.DeletionTimestamp != nil {
			continue
		}
		ns := v1alpha1.NamespaceOf(t.Name)
		all = append(all, v.ofTeam(t.Name)...)
		for _, name := range v.accounts(ns) {
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
	for _, role := range []string{"view", "operate", "edit"} {
		for _, k := range v.kept {
			if k.team != team || k.want.GetKind() != "RoleBinding" || k.want.GetNamespace() != ns || k.want.GetName() != "demarc-"+role {
				continue
			}
			for _, s := range decoded[rbacv1.RoleBinding](k.want).Subjects {
				all = append(all, persona{name: role + " of team " + team + " (" + describe(s) + ")", Identity: rbac.Of(s, ns), home: ns})
			}
		}
	}
	return all
}

// accounts of a namespace that some binding names, and one that stands for all others.
func (v *verifier) accounts(ns string) []string {
	names := []string{"default"}
	for _, b := range v.live.Bindings {
		for _, s := range b.Subjects {
			who := rbac.Of(s, b.Namespace)
			if in, name, ok := rbac.ParseAccount(who.User); ok && in == ns && name != "" && name != ownership.DeliverAccount {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
