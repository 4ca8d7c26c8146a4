package verify

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/rbac"
)

// strays finds bindings that neither Demarc made nor a team for its own accounts.
func (v *verifier) strays() {
	for _, b := range v.live.Bindings {
		at := ofBinding(b)
		if v.keeps(at) {
			continue // compared as a whole
		}
		if b.Role.Kind == "ClusterRole" && strings.HasPrefix(b.Role.Name, demarcRole) && len(b.Subjects) > 0 {
			v.add(finding.Finding{ID: Unmade, Severity: finding.Error, Object: at, Cause: whole(v.live, b, 0),
				Message: fmt.Sprintf("%s is bound to %s by no Tenant and not by the Platform", b.Role.Name, subjects(b)),
				Mend:    deletion(at, "takes the binding away; who is to have the access is named in "+namedIn(b.Role.Name))})
			continue
		}
		if b.Namespace != "" && v.teamOf(b.Namespace) != nil {
			v.stray(b)
		}
	}
}

// namedIn is where people are given a role of Demarc's.
func namedIn(role string) string {
	if role == ownership.RolePlatform {
		return "spec.team.groups of the Platform"
	}
	return "spec.access of the Tenant"
}

func (v *verifier) stray(b *rbac.Binding) {
	for i, s := range b.Subjects {
		ns, _, account := rbac.ParseAccount(rbac.Of(s, b.Namespace).User)
		if account && ns == b.Namespace {
			continue
		}
		if reason := v.trusted(s, b); reason != "" {
			continue
		}
		v.add(finding.Finding{ID: Stray, Severity: finding.Error, Object: ofBinding(b), Cause: whole(v.live, b, i),
			Message: fmt.Sprintf("%s has %s in the namespace of a team, and the Tenant does not say so", describe(s), b.Role.Name),
			Mend:    v.leave(b, i)})
	}
}

func subjects(b *rbac.Binding) string {
	var list []string
	for _, s := range b.Subjects {
		list = append(list, describe(s))
	}
	return few(list, 3)
}

// whole names a binding as a cause, with the first of its rules.
func whole(w *rbac.World, b *rbac.Binding, subject int) *finding.Cause {
	c := &finding.Cause{Binding: ofBinding(b), Subject: describe(b.Subjects[subject]), Role: ofRole(rbac.Ref{Name: b.Role.Name})}
	if b.Role.Kind == "Role" {
		c.Role = ofRole(rbac.Ref{Namespace: b.Namespace, Name: b.Role.Name})
	}
	rules := w.RulesOf(b)
	for i, r := range rules {
		if i == 3 {
			c.Rule += fmt.Sprintf("; and %d more", len(rules)-i)
			break
		}
		c.Rule += strings.Repeat("; ", min(i, 1)) + inWords(r.PolicyRule)
	}
	return c
}

// aggregations finds roles that are added to others by a label and bring power there.
//
// Two of Kubernetes' own are parts of each other, and filled by the parts of their own,
// each of which is looked at by itself.
func (v *verifier) aggregations() {
	for i := range v.live.ClusterRoles {
		role := &v.live.ClusterRoles[i]
		if strings.HasPrefix(role.Name, "system:") {
			continue
		}
		for _, into := range v.live.Into(role) {
			if nested[role.Name] == into {
				continue
			}
			held := broughtBy(v.live, role, into)
			if len(held) == 0 {
				continue
			}
			at := ofRole(rbac.Ref{Name: role.Name})
			v.add(finding.Finding{ID: Aggregated, Severity: finding.Error, Object: at,
				Message:  fmt.Sprintf("by its label it is part of ClusterRole %s, and brings there: %s. Whoever is bound to %s has it", into, few(held, 4), into),
				Evidence: []finding.Evidence{{Object: at, Field: "metadata.labels", Value: text(role.Labels)}},
				Cause:    &finding.Cause{Binding: at, Role: ofRole(rbac.Ref{Name: into}), Rule: held[0]}, Mend: v.unaggregated(role.Name, into)})
		}
	}
}

// nested are Kubernetes' roles for users that are aggregated into the next one.
var nested = map[string]string{"view": "edit", "edit": "admin"}

// broughtBy names the powers that a role gives and the rest of what it is added to does not.
func broughtBy(w *rbac.World, role *rbacv1.ClusterRole, into string) (held []string) {
	rest := slices.DeleteFunc(slices.Clone(w.RulesOf(&rbac.Binding{Role: rbacv1.RoleRef{Kind: "ClusterRole", Name: into}})),
		func(r rbac.Rule) bool { return r.Role.Name == role.Name })
	for _, p := range powers {
		if p.at != "" {
			continue // it is one where somebody is bound to it there, which is looked at
		}
		for _, r := range p.requests {
			gives := func(rule rbacv1.PolicyRule) bool { return rbac.Allows(unnamed(rule), r) }
			if slices.ContainsFunc(role.Rules, gives) && !slices.ContainsFunc(rest, func(o rbac.Rule) bool { return gives(o.PolicyRule) }) {
				held = append(held, p.name)
				break
			}
		}
	}
	return held
}

// unaggregated takes the labels off by which a role is part of another.
func (v *verifier) unaggregated(role, into string) finding.Mend {
	at := ofRole(rbac.Ref{Name: role})
	line := "kubectl label " + target(at)
	for i := range v.live.ClusterRoles {
		other := &v.live.ClusterRoles[i]
		if other.Name != into || other.AggregationRule == nil {
			continue
		}
		for _, s := range other.AggregationRule.ClusterRoleSelectors {
			for _, key := range keysOf(s.MatchLabels) {
				line += " " + word(key+"-")
			}
		}
	}
	return command("takes off the label by which it is part of "+into, line)
}
