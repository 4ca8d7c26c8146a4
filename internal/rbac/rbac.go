// Package rbac answers from RBAC objects alone who may do what, as Kubernetes' own
// authorizer does, and names the binding and the rule that say so.
package rbac

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Identity is who asks.
type Identity struct {
	User   string
	Groups []string
}

const (
	accountPrefix = "system:serviceaccount:"
	// AllAccounts is the group of every ServiceAccount, Authenticated of whoever is known,
	// Unauthenticated of whoever is not.
	AllAccounts     = "system:serviceaccounts"
	Authenticated   = "system:authenticated"
	Unauthenticated = "system:unauthenticated"
	Anonymous       = "system:anonymous"
)

// Account is the identity of a ServiceAccount.
func Account(namespace, name string) Identity {
	return Identity{accountPrefix + namespace + ":" + name, []string{AllAccounts, AllAccounts + ":" + namespace, Authenticated}}
}

// ParseAccount reads the name of a ServiceAccount as a user.
func ParseAccount(user string) (namespace, name string, ok bool) {
	rest, ok := strings.CutPrefix(user, accountPrefix)
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ":")
}

// Of is whom a subject of a binding in a namespace means: as somebody who is nobody
// else beside.
func Of(s rbacv1.Subject, namespace string) Identity {
	switch s.Kind {
	case rbacv1.ServiceAccountKind:
		return Account(in(s, namespace), s.Name)
	case rbacv1.UserKind:
		if ns, name, ok := ParseAccount(s.Name); ok {
			return Account(ns, name)
		}
		if s.Name == Anonymous {
			return Identity{Anonymous, []string{Unauthenticated}}
		}
		return Identity{s.Name, []string{Authenticated}}
	default:
		return ofGroup(s.Name)
	}
}

func ofGroup(group string) Identity {
	if ns, ok := strings.CutPrefix(group, AllAccounts+":"); ok {
		return Account(ns, "")
	}
	switch group {
	case AllAccounts:
		return Identity{"", []string{AllAccounts, Authenticated}}
	case Unauthenticated:
		return Identity{Anonymous, []string{Unauthenticated}}
	case Authenticated:
		return Identity{"", []string{Authenticated}}
	}
	return Identity{"", []string{group, Authenticated}}
}

func in(s rbacv1.Subject, namespace string) string {
	if s.Namespace != "" {
		return s.Namespace
	}
	return namespace
}

// Means says whether a subject of a binding in a namespace means this identity.
func (i Identity) Means(s rbacv1.Subject, namespace string) bool {
	switch s.Kind {
	case rbacv1.GroupKind:
		return slices.Contains(i.Groups, s.Name)
	case rbacv1.UserKind:
		return i.User != "" && i.User == s.Name
	case rbacv1.ServiceAccountKind:
		ns, name, ok := ParseAccount(i.User)
		return ok && name != "" && name == s.Name && ns == in(s, namespace)
	}
	return false
}

// Request is what is asked for. Path is set for what is no resource, and then only the
// verb beside it.
type Request struct {
	Verb, Group, Resource, Name, Path string
}

// Writing are the verbs of the API that change objects.
var Writing = []string{"create", "update", "patch", "delete", "deletecollection"}

// Requests are all of some verbs on some resources of a group.
func Requests(verbs []string, group string, resources ...string) (all []Request) {
	for _, resource := range resources {
		for _, verb := range verbs {
			all = append(all, Request{Verb: verb, Group: group, Resource: resource})
		}
	}
	return all
}

// Allows says whether a rule gives a request. Resource is as rules write it, with the
// subresource after a slash.
func Allows(rule rbacv1.PolicyRule, r Request) bool {
	if !has(rule.Verbs, r.Verb) {
		return false
	}
	if r.Path != "" {
		return slices.ContainsFunc(rule.NonResourceURLs, func(url string) bool { return covers(url, r.Path) })
	}
	return has(rule.APIGroups, r.Group) && hasResource(rule.Resources, r.Resource) &&
		(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, r.Name))
}

func has(list []string, want string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, want)
}

func hasResource(list []string, want string) bool {
	if has(list, want) {
		return true
	}
	_, sub, ok := strings.Cut(want, "/")
	return ok && slices.Contains(list, "*/"+sub)
}

func covers(url, path string) bool {
	prefix, wild := strings.CutSuffix(url, "*")
	return url == path || wild && strings.HasPrefix(path, prefix)
}

// Each takes a rule apart into the single requests that it names; a * stays one.
func Each(rule rbacv1.PolicyRule) (all []Request) {
	for _, verb := range rule.Verbs {
		for _, path := range rule.NonResourceURLs {
			all = append(all, Request{Verb: verb, Path: path})
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				if len(rule.ResourceNames) == 0 {
					all = append(all, Request{Verb: verb, Group: group, Resource: resource})
				}
				for _, name := range rule.ResourceNames {
					all = append(all, Request{Verb: verb, Group: group, Resource: resource, Name: name})
				}
			}
		}
	}
	return all
}

// selects says whether a role is aggregated into another.
func selects(rule *rbacv1.AggregationRule, role metav1.Object) bool {
	return slices.ContainsFunc(rule.ClusterRoleSelectors, func(s metav1.LabelSelector) bool {
		selector, err := metav1.LabelSelectorAsSelector(&s)
		return err == nil && selector.Matches(labels.Set(role.GetLabels()))
	})
}
