package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/rbac"
)

func itoa(n int) string { return strconv.Itoa(n) }

func describe(s rbacv1.Subject) string {
	if s.Kind == rbacv1.ServiceAccountKind {
		return "ServiceAccount " + s.Namespace + "/" + s.Name
	}
	return strings.ToLower(s.Kind) + " " + s.Name
}

// inWords is a rule as people read it.
func inWords(r rbacv1.PolicyRule) string {
	s := strings.Join(r.Verbs, ",") + " "
	if len(r.NonResourceURLs) > 0 {
		return s + strings.Join(r.NonResourceURLs, ",")
	}
	s += strings.Join(r.Resources, ",")
	if groups := strings.Join(r.APIGroups, ","); groups != "" {
		s += " of " + groups
	}
	if len(r.ResourceNames) > 0 {
		s += " named " + strings.Join(r.ResourceNames, ",")
	}
	return s
}

// asked is a request as people read it.
func asked(r rbac.Request) string {
	switch {
	case r.Path != "":
		return r.Verb + " " + r.Path
	case r.Group != "":
		return named(r.Verb+" "+r.Resource+"."+r.Group, r.Name)
	}
	return named(r.Verb+" "+r.Resource, r.Name)
}

func named(s, name string) string {
	if name == "" {
		return s
	}
	return s + " " + name
}

func causeOf(c *rbac.Cause) *finding.Cause {
	return &finding.Cause{Binding: ofBinding(c.Binding), Subject: describe(c.Binding.Subjects[c.Subject]),
		Role: ofRole(c.Rule.Role), Rule: inWords(c.Rule.PolicyRule)}
}

// few joins the first of many.
func few(list []string, most int) string {
	list = slices.Compact(slices.Clone(list))
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
