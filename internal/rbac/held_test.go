package rbac_test

import (
	"fmt"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"demarc.dev/demarc/internal/rbac"
)

var subjects = []rbacv1.Subject{{Kind: "Group", Name: "devs"}, {Kind: "Group", Name: "ops"}, {Kind: "Group", Name: rbac.Authenticated}, {Kind: "Group", Name: rbac.AllAccounts},
	{Kind: "Group", Name: "system:serviceaccounts:a"}, {Kind: "User", Name: "lee"}, {Kind: "User", Name: "system:serviceaccount:a:bot"}, {Kind: "User", Name: "system:serviceaccount:a:"},
	{Kind: "ServiceAccount", Name: "bot", Namespace: "a"}, {Kind: "ServiceAccount", Name: "bot"}, {Kind: "ServiceAccount", Namespace: "a"}, {Kind: "Robot", Name: "lee"}}

var people = []rbac.Identity{{User: "lee", Groups: list{"devs", "ops", rbac.Authenticated}}, {Groups: list{"devs", rbac.Authenticated}}, rbac.Account("a", "bot"), rbac.Account("b", "bot"),
	rbac.Account("a", ""), {Groups: list{rbac.Authenticated}}, {User: rbac.Anonymous, Groups: list{rbac.Unauthenticated}}, {User: "alone"}}

func drawnWorld(t *rapid.T) *rbac.World {
	w := &rbac.World{}
	for _, name := range (list{"read", "write", "again"}) {
		verb := map[string]string{"read": "get", "write": "create", "again": "get"}[name]
		w.ClusterRoles = append(w.ClusterRoles, rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{rule(list{""}, list{"pods"}, list{verb})}})
	}
	for i := range rapid.IntRange(0, 12).Draw(t, "bindings") {
		w.Bindings = append(w.Bindings, &rbac.Binding{Name: fmt.Sprint(i), Namespace: rapid.SampledFrom(list{"", "a", "b"}).Draw(t, "namespace"),
			Role:     rbacv1.RoleRef{Kind: "ClusterRole", Name: rapid.SampledFrom(list{"read", "write", "again", "none"}).Draw(t, "role")},
			Subjects: rapid.SliceOfN(rapid.SampledFrom(subjects), 0, 4).Draw(t, "subjects")})
	}
	w.Index()
	return w
}

// What the index finds is what looking at every binding finds.
func TestForIsWhatMeansSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawnWorld(t)
		for _, who := range people {
			for _, place := range (list{"", "a", "b"}) {
				for _, verb := range (list{"get", "create"}) {
					r := rbac.Request{Verb: verb, Resource: "pods"}
					want := slices.ContainsFunc(w.Bindings, func(b *rbac.Binding) bool {
						gives := map[string]string{"read": "get", "write": "create", "again": "get"}[b.Role.Name] == verb
						return gives && (b.Namespace == "" || b.Namespace == place) && slices.ContainsFunc(b.Subjects, func(s rbacv1.Subject) bool { return who.Means(s, b.Namespace) })
					})
					c := w.For(who, place).Allow(r)
					if (c != nil) != want || c != nil && !who.Means(c.Binding.Subjects[c.Subject], c.Binding.Namespace) {
						t.Fatalf("%v in %q: %s: %+v, want %v", who, place, verb, c, want)
					}
					apart := w.OwnIn(who, "").And(w.EverybodysIn(who, ""))
					if place != "" {
						apart = apart.And(w.OwnIn(who, place)).And(w.EverybodysIn(who, place))
					}
					if (apart.Allow(r) != nil) != want {
						t.Fatalf("%v in %q: %s: own and everybody's are not all", who, place, verb)
					}
				}
			}
		}
	})
}

// Grants that are called the same allow the same at the same spots.
func TestSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, known := drawnWorld(t), map[string]rbac.Grants{}
		for _, who := range people {
			for _, place := range (list{"", "a", "b"}) {
				g := w.For(who, place)
				was, seen := known[g.Same()]
				known[g.Same()] = g
				if !seen {
					continue
				}
				for _, verb := range (list{"get", "create"}) {
					r := rbac.Request{Verb: verb, Resource: "pods"}
					here, there := slices.Collect(g.Spots(r)), slices.Collect(was.Spots(r))
					if !slices.Equal(here, there) {
						t.Fatalf("%s: %v and %v", verb, here, there)
					}
					for _, spot := range here {
						for _, c := range g.At(spot, 10) {
							if !rbac.Allows(c.Rule.PolicyRule, r) || !who.Means(c.Binding.Subjects[c.Subject], c.Binding.Namespace) {
								t.Fatalf("%v in %q: %s is not allowed by %+v", who, place, verb, c)
							}
						}
					}
				}
			}
		}
	})
}

// Everybody is not what somebody is by themselves, but for who is nobody else.
func TestOwn(t *testing.T) {
	for _, c := range []struct {
		who  rbac.Identity
		want list
	}{
		{people[0], list{"user lee", "group devs", "group ops"}},
		{people[1], list{"group devs"}},
		{people[2], list{"user system:serviceaccount:a:bot", "group system:serviceaccounts:a"}},
		{people[5], list{"group system:authenticated"}},
		{people[6], list{"user system:anonymous", "group system:unauthenticated"}},
	} {
		if got := c.who.Own(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.who, got, c.want)
		}
	}
	w := &rbac.World{Bindings: []*rbac.Binding{{Namespace: "b", Name: "x", Subjects: subjects[:3]}, {Namespace: "a", Name: "x", Subjects: subjects[:1]}, {Name: "x", Subjects: subjects[:1]}}}
	w.Index()
	if got := w.Where(people[0].Own()); !slices.Equal(got, list{"a", "b"}) {
		t.Errorf("devs are named in %q", got)
	}
}
