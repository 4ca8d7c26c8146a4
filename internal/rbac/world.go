package rbac

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
)

// Binding gives the rules of a role to subjects, in one namespace or everywhere.
type Binding struct {
	// Namespace is empty for one that holds everywhere.
	Namespace, Name string
	Role            rbacv1.RoleRef
	Subjects        []rbacv1.Subject
}

// Kind of the binding.
func (b *Binding) Kind() string {
	if b.Namespace == "" {
		return "ClusterRoleBinding"
	}
	return "RoleBinding"
}

// String names it the way kubectl does.
func (b *Binding) String() string {
	if b.Namespace == "" {
		return "ClusterRoleBinding/" + b.Name
	}
	return fmt.Sprintf("RoleBinding/%s in %s", b.Name, b.Namespace)
}

// Rule is one rule of a role, and where it stands.
type Rule struct {
	rbacv1.PolicyRule
	// Role in which it is written: with aggregation another than the bound one.
	Role Ref
	// Index in that role.
	Index int
}

// Ref names a role; Namespace is empty for a ClusterRole.
type Ref struct{ Namespace, Name string }

func (r Ref) String() string {
	if r.Namespace == "" {
		return "ClusterRole/" + r.Name
	}
	return fmt.Sprintf("Role/%s in %s", r.Name, r.Namespace)
}

// World is all of RBAC. Index it once it is full.
type World struct {
	ClusterRoles []rbacv1.ClusterRole
	Roles        []rbacv1.Role
	Bindings     []*Binding

	rules map[Ref][]Rule
	// same is one word for all roles that give the same.
	same map[Ref]string
	// placed are the bindings everywhere, and by namespace; held those by whom they name,
	// and where by whom alone.
	placed map[string][]*Binding
	held   map[spot][]holding
	where  map[string][]string
}

// AddClusterRoleBinding puts one in.
func (w *World) AddClusterRoleBinding(b *rbacv1.ClusterRoleBinding) {
	w.Bindings = append(w.Bindings, &Binding{"", b.Name, b.RoleRef, b.Subjects})
}

// AddRoleBinding puts one in.
func (w *World) AddRoleBinding(b *rbacv1.RoleBinding) {
	w.Bindings = append(w.Bindings, &Binding{b.Namespace, b.Name, b.RoleRef, b.Subjects})
}

// Index makes the world ready to be asked: what is aggregated is resolved.
func (w *World) Index() {
	w.rules, w.placed = map[Ref][]Rule{}, map[string][]*Binding{}
	for i := range w.Roles {
		ref := Ref{w.Roles[i].Namespace, w.Roles[i].Name}
		w.rules[ref] = numbered(ref, w.Roles[i].Rules)
	}
	for i := range w.ClusterRoles {
		ref := Ref{"", w.ClusterRoles[i].Name}
		w.rules[ref] = numbered(ref, w.ClusterRoles[i].Rules)
	}
	for i := range w.ClusterRoles {
		if role := &w.ClusterRoles[i]; role.AggregationRule != nil {
			w.rules[Ref{"", role.Name}] = w.aggregated(role)
		}
	}
	w.same = make(map[Ref]string, len(w.rules))
	for ref, rules := range w.rules {
		w.same[ref] = sameness(rules)
	}
	w.hold()
}

func numbered(ref Ref, rules []rbacv1.PolicyRule) (out []Rule) {
	for i, r := range rules {
		out = append(out, Rule{r, ref, i})
	}
	return out
}

// aggregated are the rules of the roles that are selected, which a controller writes into
// the role; and what stands in it and is of none of them, which it is about to take out.
func (w *World) aggregated(role *rbacv1.ClusterRole) (rules []Rule) {
	for i := range w.ClusterRoles {
		if other := &w.ClusterRoles[i]; other.Name != role.Name && selects(role.AggregationRule, other) {
			rules = append(rules, numbered(Ref{"", other.Name}, other.Rules)...)
		}
	}
	for _, own := range numbered(Ref{"", role.Name}, role.Rules) {
		if !slices.ContainsFunc(rules, func(r Rule) bool { return reflect.DeepEqual(r.PolicyRule, own.PolicyRule) }) {
			rules = append(rules, own)
		}
	}
	return rules
}

// Into lists the roles that a ClusterRole is aggregated into.
func (w *World) Into(role *rbacv1.ClusterRole) (names []string) {
	for i := range w.ClusterRoles {
		if other := &w.ClusterRoles[i]; other.Name != role.Name && other.AggregationRule != nil && selects(other.AggregationRule, role) {
			names = append(names, other.Name)
		}
	}
	return names
}

// RoleOf is the role that a binding gives.
func (b *Binding) RoleOf() Ref {
	if b.Role.Kind == "Role" {
		return Ref{b.Namespace, b.Role.Name}
	}
	return Ref{"", b.Role.Name}
}

// RulesOf a binding.
func (w *World) RulesOf(b *Binding) []Rule { return w.rules[b.RoleOf()] }

// Same is one word for all bindings that give the same rules, in whichever world.
func (w *World) Same(b *Binding) string { return cmp.Or(w.same[b.RoleOf()], nothing) }

// In are the bindings of a namespace; of an empty one those that hold everywhere.
func (w *World) In(namespace string) []*Binding { return w.placed[namespace] }

// Has says whether there is such a role.
func (w *World) Has(r Ref) bool { _, ok := w.rules[r]; return ok }

// Compare orders bindings.
func Compare(a, b *Binding) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
