package rbac_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/rbac"
)

func rule(groups, resources, verbs []string, names ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: groups, Resources: resources, Verbs: verbs, ResourceNames: names}
}

type list = []string

// TestAllows; test/verify asks the API server's own authorizer the same.
func TestAllows(t *testing.T) {
	pods := rbac.Request{Verb: "get", Resource: "pods"}
	exec := rbac.Request{Verb: "get", Resource: "pods/exec"}
	for name, c := range map[string]struct {
		rule rbacv1.PolicyRule
		r    rbac.Request
		want bool
	}{
		"itself":                       {rule(list{""}, list{"pods"}, list{"get"}), pods, true},
		"another verb":                 {rule(list{""}, list{"pods"}, list{"list"}), pods, false},
		"another group":                {rule(list{"apps"}, list{"pods"}, list{"get"}), pods, false},
		"all":                          {rule(list{"*"}, list{"*"}, list{"*"}), pods, true},
		"all holds subresources":       {rule(list{"*"}, list{"*"}, list{"*"}), exec, true},
		"no subresource by the kind":   {rule(list{""}, list{"pods"}, list{"get"}), exec, false},
		"a subresource of all kinds":   {rule(list{""}, list{"*/exec"}, list{"get"}), exec, true},
		"not all subresources of one":  {rule(list{""}, list{"pods/*"}, list{"get"}), exec, false},
		"by name, without one":         {rule(list{""}, list{"pods"}, list{"get"}, "one"), pods, false},
		"by name":                      {rule(list{""}, list{"pods"}, list{"get"}, "one"), rbac.Request{Verb: "get", Resource: "pods", Name: "one"}, true},
		"a path":                       {rbacv1.PolicyRule{Verbs: list{"get"}, NonResourceURLs: list{"/logs/*"}}, rbac.Request{Verb: "get", Path: "/logs/a"}, true},
		"a path that only begins so":   {rbacv1.PolicyRule{Verbs: list{"get"}, NonResourceURLs: list{"/logs"}}, rbac.Request{Verb: "get", Path: "/logs/a"}, false},
		"a path by a rule of resource": {rule(list{"*"}, list{"*"}, list{"*"}), rbac.Request{Verb: "get", Path: "/logs"}, false},
	} {
		if got := rbac.Allows(c.rule, c.r); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestMeans(t *testing.T) {
	bot := rbac.Account("ci", "bot")
	for _, c := range []struct {
		who       rbac.Identity
		subject   rbacv1.Subject
		namespace string
		want      bool
	}{
		{bot, rbacv1.Subject{Kind: "ServiceAccount", Namespace: "ci", Name: "bot"}, "x", true},
		{bot, rbacv1.Subject{Kind: "ServiceAccount", Name: "bot"}, "ci", true},
		{bot, rbacv1.Subject{Kind: "ServiceAccount", Name: "bot"}, "x", false},
		{bot, rbacv1.Subject{Kind: "User", Name: "system:serviceaccount:ci:bot"}, "", true},
		{bot, rbacv1.Subject{Kind: "Group", Name: "system:serviceaccounts:ci"}, "", true},
		{bot, rbacv1.Subject{Kind: "Group", Name: "system:authenticated"}, "", true},
		{bot, rbacv1.Subject{Kind: "Group", Name: "system:unauthenticated"}, "", false},
		{rbac.Identity{Groups: list{"devs"}}, rbacv1.Subject{Kind: "User", Name: ""}, "", false},
		{rbac.Identity{User: "devs"}, rbacv1.Subject{Kind: "Group", Name: "devs"}, "", false},
	} {
		if got := c.who.Means(c.subject, c.namespace); got != c.want {
			t.Errorf("%v %+v in %q: %v", c.who, c.subject, c.namespace, got)
		}
	}
}

// Who is meant by a subject is meant by it.
func TestOfMeans(t *testing.T) {
	for _, s := range []rbacv1.Subject{{Kind: "User", Name: "lee"}, {Kind: "User", Name: "system:anonymous"}, {Kind: "User", Name: "system:serviceaccount:a:b"}, {Kind: "Group", Name: "devs"},
		{Kind: "Group", Name: "system:serviceaccounts"}, {Kind: "Group", Name: "system:serviceaccounts:ci"}, {Kind: "Group", Name: "system:authenticated"},
		{Kind: "Group", Name: "system:unauthenticated"}, {Kind: "ServiceAccount", Name: "bot"}} {
		if !rbac.Of(s, "ci").Means(s, "ci") {
			t.Errorf("%+v does not mean %v", s, rbac.Of(s, "ci"))
		}
	}
}

// Rules that are aggregated are told with the role in which they are written, and what
// stands in the role and is of none of these is told too.
func TestAggregation(t *testing.T) {
	role := func(name string, labels map[string]string, rules ...rbacv1.PolicyRule) rbacv1.ClusterRole {
		return rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Rules: rules}
	}
	into := map[string]string{"into": "wide"}
	part, forged := rule(list{""}, list{"pods"}, list{"get"}), rule(list{""}, list{"secrets"}, list{"get"})
	wide := role("wide", into, part, forged)
	wide.AggregationRule = &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: into}}}
	w := &rbac.World{ClusterRoles: []rbacv1.ClusterRole{role("part", into, part), role("other", nil, part), wide}}
	w.AddClusterRoleBinding(&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "b"}, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "wide"},
		Subjects: []rbacv1.Subject{{Kind: "Group", Name: "other"}, {Kind: "Group", Name: "devs"}}})
	w.Index()
	grants := w.For(rbac.Identity{Groups: list{"devs"}}, "any")
	got := map[string]string{}
	for _, resource := range (list{"pods", "secrets"}) {
		c := grants.Allow(rbac.Request{Verb: "get", Resource: resource})
		if c == nil || c.Subject != 1 {
			t.Fatalf("%s: %+v", resource, c)
		}
		got[resource] = c.Rule.Role.Name + " " + c.Binding.String()
	}
	want := map[string]string{"pods": "part ClusterRoleBinding/b", "secrets": "wide ClusterRoleBinding/b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if names := w.Into(&w.ClusterRoles[0]); !cmp.Equal(names, list{"wide"}) || len(w.Into(&w.ClusterRoles[1])) > 0 {
		t.Errorf("part of %v", names)
	}
}
