package ownership

import (
	rbacv1 "k8s.io/api/rbac/v1"
)

var (
	readVerbs  = []string{"get", "list", "watch"}
	writeVerbs = []string{"create", "delete", "patch", "update"}
	// deliverVerbs has no deletecollection: Argo CD deletes one by one.
	deliverVerbs = []string{"create", "delete", "get", "list", "patch", "update", "watch"}
)

// Role is one ClusterRole that Demarc keeps.
type Role struct {
	Name    string
	Purpose string
	Rules   []rbacv1.PolicyRule
}

// Roles compiles the table to the ClusterRoles that the operator writes.
func Roles() []Role {
	return []Role{
		{RoleView, "Read all but Secrets in a team's namespace.", teamRules(View)},
		{RoleOperate, "View, and restart and scale, delete pods, open shells and forward ports.", teamRules(Operate)},
		{RoleEdit, "Operate, and write workloads and the team's claims.", teamRules(Edit)},
		{RoleDeliver, "What Argo CD may do as a team's ServiceAccount.", deliverRules()},
		{RoleClaims, "Write ServiceClaims, where the claim policy allows it.", []rbacv1.PolicyRule{
			rule("demarc.dev", "serviceclaims", deliverVerbs),
		}},
		{RoleScale, "Patch ServiceClaims, where the claim policy allows it: their replicas alone.", []rbacv1.PolicyRule{
			rule("demarc.dev", "serviceclaims", []string{"get", "patch"}),
		}},
		{RoleRead, "Read Demarc's own kinds.", []rbacv1.PolicyRule{
			{APIGroups: []string{"demarc.dev"}, Resources: []string{"platforms", "serviceclaims", "tenants"}, Verbs: readVerbs},
		}},
	}
}

// teamRules are the rules of one of the three roles of a team.
func teamRules(level Level) []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for _, k := range Kinds {
		var verbs []string
		if k.Read != Never && k.Read <= level {
			verbs = append(verbs, readVerbs...)
		}
		switch {
		case k.Write != Never && k.Write <= level:
			verbs = append(verbs, writeVerbs...)
		case k.Restart != Never && k.Restart <= level:
			verbs = append(verbs, "patch")
		}
		if len(verbs) > 0 {
			rules = append(rules, rule(k.Group, k.Resource, verbs))
		}
	}
	for _, s := range subresources {
		if s.from <= level {
			rules = append(rules, rule(s.group, s.resource, s.verbs))
		}
	}
	return rules
}

func deliverRules() []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for _, k := range Kinds {
		if k.Delivered && !k.Cluster {
			rules = append(rules, rule(k.Group, k.Resource, deliverVerbs))
		}
	}
	return append(rules, rule("demarc.dev", "serviceclaims", []string{VerbDeploy}))
}

func rule(group, resource string, verbs []string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}
