package contract

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/ownership"
)

var readVerbs = []string{"get", "list", "watch"}

// Role is one ClusterRole that Demarc keeps.
type Role struct {
	Name    string
	Purpose string
	Rules   []rbacv1.PolicyRule
}

// Roles compiles the contract to the ClusterRoles that the operator writes.
func (c *Contract) Roles() []Role {
	rows, all := c.Rows(), readAnd(Writes{true, true, true})
	return []Role{
		{ownership.RoleView, "Read all but Secrets in a team's namespace.", teamRules(rows, View)},
		{ownership.RoleOperate, "View, and restart and scale, delete pods, open shells and forward ports.", teamRules(rows, Operate)},
		{ownership.RoleEdit, "Operate, and write workloads and the team's claims.", teamRules(rows, Edit)},
		{ownership.RoleDeliver, "What Argo CD may do as a team's ServiceAccount.", deliverRules(rows)},
		{ownership.RoleClaims, "Write ServiceClaims, where the claim policy allows it.", []rbacv1.PolicyRule{
			rule(demarc, "serviceclaims", all),
		}},
		{ownership.RoleScale, "Patch ServiceClaims, where the claim policy allows it: their replicas alone.", []rbacv1.PolicyRule{
			rule(demarc, "serviceclaims", []string{"get", "patch"}),
		}},
		{ownership.RoleContacts, "Patch Tenants, where the policy on contacts allows it: their contacts alone.", []rbacv1.PolicyRule{
			rule(demarc, "tenants", []string{"get", "patch"}),
		}},
		{ownership.RolePlatform, "What the platform's people do by hand; the rest is changed in Git.", platformRules(rows)},
		{ownership.RoleRead, "Read Demarc's own kinds.", []rbacv1.PolicyRule{
			{APIGroups: []string{demarc}, Resources: readable(rows), Verbs: readVerbs},
		}},
	}
}

// readable are the kinds without a namespace that all teams' people read.
func readable(rows []Row) (resources []string) {
	for _, r := range rows {
		if r.Cluster && r.Group == demarc && r.Read != Never {
			resources = append(resources, r.Resource)
		}
	}
	slices.Sort(resources)
	return resources
}

// teamRules are the rules of one of the three roles of a team.
func teamRules(rows []Row, level Level) []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for _, r := range rows {
		if verbs := r.verbs(level); !r.Cluster && len(verbs) > 0 {
			rules = append(rules, rule(r.Group, r.Resource, verbs))
		}
	}
	for _, o := range operations {
		for _, r := range rows {
			if o.name != "restart" && level.reaches(r.Operations[o.name]) {
				rules = append(rules, rule(r.Group, r.Resource+o.suffix, o.verbs))
			}
		}
	}
	return rules
}

// verbs that a role of a team has on a kind in the team's namespace.
func (r Row) verbs(level Level) (verbs []string) {
	if level.reaches(r.Read) {
		verbs = append(verbs, readVerbs...)
	}
	if level == Edit {
		verbs = append(verbs, r.Hand.verbs()...)
	}
	if level.reaches(r.Operations["restart"]) && !slices.Contains(verbs, "patch") {
		verbs = append(verbs, "patch")
	}
	return verbs
}

// platformRules let the platform's people read all but Secrets, and write what the contract
// gives them a path for in the cluster.
func platformRules(rows []Row) []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for _, r := range rows {
		if r.Asked || r.Group == "" && r.Kind == "Secret" {
			continue
		}
		rules = append(rules, rule(r.Group, r.Resource, append(slices.Clone(readVerbs), r.Platform.verbs()...)))
	}
	return append(rules,
		rule("", "pods/log", []string{"get", "list"}),
		rule(demarc, "ownershipcontracts", []string{ownership.VerbOverride}),
		rule(demarc, "serviceclaims", []string{ownership.VerbForce}),
		rule(demarc, "tenants", []string{ownership.VerbForce}))
}

func deliverRules(rows []Row) []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for _, r := range rows {
		if r.Delivered() && !r.Cluster {
			rules = append(rules, rule(r.Group, r.Resource, readAnd(r.Git)))
		}
	}
	return append(rules, rule(demarc, "serviceclaims", []string{ownership.VerbDeploy}))
}

// readAnd are the verbs to read and to write. There is no deletecollection: Argo CD
// deletes one by one.
func readAnd(w Writes) []string {
	return slices.Sorted(slices.Values(slices.Concat(readVerbs, w.verbs())))
}

func rule(group, resource string, verbs []string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}
