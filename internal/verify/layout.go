package verify

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/rbac"
)

func identityKey(who rbac.Identity) string { return who.User + "|" + strings.Join(who.Groups, "|") }

func blockKey(who rbac.Identity, place string) string { return identityKey(who) + "\n" + place }

// layout gathers blocks.
type layout struct {
	blocks map[string]*block
	// of an identity, and personas by the holder that means them.
	of       map[string][]*block
	byHolder map[string][]persona
}

// add puts a persona into places, the whole cluster among them.
func (l *layout) add(p persona, places ...string) {
	for _, place := range append(places, "") {
		l.at(p, place)
	}
	for _, holder := range own(p.Identity) {
		if !slices.ContainsFunc(l.byHolder[holder], func(o persona) bool { return o.name == p.name }) {
			l.byHolder[holder] = append(l.byHolder[holder], p)
		}
	}
}

// at is the block of a persona in a place; who is the same in two teams has one.
func (l *layout) at(p persona, place string) *block {
	key, who := blockKey(p.Identity, place), identityKey(p.Identity)
	if l.blocks[key] == nil {
		l.blocks[key] = &block{persona: p, place: place}
		l.of[who] = append(l.of[who], l.blocks[key])
	}
	return l.blocks[key]
}

// bound looks wherever a binding means a persona, and what it gives where it is none that
// should be.
func (l *layout) bound(v *verifier, r *rights) {
	should := map[string]*rbac.Binding{}
	for _, b := range r.most.world.Bindings {
		should[b.Namespace+"/"+b.Name] = b
		for _, s := range b.Subjects {
			for _, p := range l.byHolder[holderOf(s, b.Namespace)] {
				if v.teamOf(b.Namespace) != nil {
					l.at(p, b.Namespace)
				}
			}
		}
	}
	for _, b := range v.live.Bindings {
		want := should[b.Namespace+"/"+b.Name]
		if b.Namespace != "" && v.teamOf(b.Namespace) == nil && !slices.Contains([]string{"kube-system", v.operator, v.settings.ArgoCDNamespace}, b.Namespace) ||
			want != nil && sameBinding(want, b) {
			continue
		}
		for _, s := range b.Subjects {
			l.account(v, s, b.Namespace)
			for _, p := range l.byHolder[holderOf(s, b.Namespace)] {
				l.stray(p, b)
			}
		}
	}
}

// account makes a persona of a team's account that is meant outside its home.
func (l *layout) account(v *verifier, s rbacv1.Subject, namespace string) {
	who := rbac.Of(s, namespace)
	ns, name, ok := rbac.ParseAccount(who.User)
	if !ok || ns == namespace || name == "" || v.teamOf(ns) == nil || len(l.byHolder["user "+who.User]) > 0 {
		return
	}
	p := persona{name: "account " + name + " of team " + v.teamOf(ns).Name, Identity: who, home: ns, account: true}
	l.byHolder["user "+who.User] = []persona{p}
	l.at(p, "")
	for _, t := range v.tenants {
		if t.Name != v.teamOf(ns).Name {
			l.at(p, v1alpha1.NamespaceOf(t.Name))
			return
		}
	}
}

// stray notes a binding where it holds: what holds everywhere, in all places in which the
// persona is asked, its own apart.
func (l *layout) stray(p persona, by *rbac.Binding) {
	at := l.at(p, by.Namespace)
	at.strays = append(at.strays, by)
	if by.Namespace != "" {
		return
	}
	for _, other := range l.of[identityKey(p.Identity)] {
		if other != at && other.place != other.home {
			other.strays = append(other.strays, by)
		}
	}
}

func sameBinding(a, b *rbac.Binding) bool {
	return a.Role.Kind == b.Role.Kind && a.Role.Name == b.Role.Name && len(a.Subjects) == len(b.Subjects) &&
		!slices.ContainsFunc(a.Subjects, func(s rbacv1.Subject) bool {
			return !slices.ContainsFunc(b.Subjects, func(o rbacv1.Subject) bool { return holderOf(s, a.Namespace) == holderOf(o, b.Namespace) })
		})
}
