package contract

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/api/v1alpha1"
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
	rows := c.Rows()
	return []Role{
		{ownership.RoleView, "Read all but Secrets in a team's namespace.", teamRules(rows, View)},
		{ownership.RoleOperate, "View, and restart and scale, delete pods, open shells and forward ports.", teamRules(rows, Operate)},
		{ownership.RoleEdit, "Operate, and write workloads and the team's claims.", teamRules(rows, Edit)},
		{ownership.RoleDeliver, "What Argo CD may do as a team's ServiceAccount.", deliverRules(rows)},
		{ownership.RoleClaims, "Write ServiceClaims, where the claim policy allows it.", []rbacv1.PolicyRule{
			rule(demarc, "serviceclaims", claimVerbs(rows)),
		}},
		{ownership.RoleScale, "Patch ServiceClaims, where the claim policy allows it: their replicas alone.", []rbacv1.PolicyRule{
			rule(demarc, "serviceclaims", scaleVerbs(rows)),
		}},
		{ownership.RoleContacts, "Patch Tenants, where the policy on contacts allows it: their contacts alone.", []rbacv1.PolicyRule{
			rule(demarc, "tenants", []string{"get", "patch"}),
		}},
		{ownership.RoleRequests, "Ask for access, budgets and exceptions, and approve them, where the policy on grants allows it.", requestRules(rows)},
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
			if o.name != restarts && level.reaches(r.Operations[o.name]) {
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
	if level.reaches(r.Operations[restarts]) && !slices.Contains(verbs, "patch") {
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
		rules = append(rules, rule(r.Group, r.Resource, slices.Concat(readVerbs, r.Platform.verbs(), r.platformAsks(), r.platformDeploys())))
	}
	return append(rules,
		rule("", "pods/log", []string{"get", "list"}),
		rule(demarc, "ownershipcontracts", []string{ownership.VerbOverride}),
		rule(demarc, "serviceclaims", []string{ownership.VerbForce}),
		rule(demarc, "tenants", []string{ownership.VerbForce}))
}

// requestRules let people write what they ask for, whatever the change path is: asking
// and approving is done in the cluster. It is read here too, so that no order in which
// roles are written takes that away for a moment.
func requestRules(rows []Row) (rules []rbacv1.PolicyRule) {
	for _, r := range rows {
		switch {
		case !standsOn(asks, r.GroupKind()):
		case r.Operations[asks] != Never || r.Operations[approves] != Never:
			rules = append(rules, rule(r.Group, r.Resource, []string{"create", "get", "patch"}))
		default:
			rules = append(rules, rule(r.Group, r.Resource, []string{"get"}))
		}
	}
	return rules
}

// platformAsks is what the platform's people have beside, on what is asked for and
// approved: by the domain's answers, in the cluster whatever the change path is.
func (r Row) platformAsks() (verbs []string) {
	if _, asked := r.Operations[asks]; !asked {
		return nil
	}
	theirs := has(v1alpha1.PartyPlatform)
	if theirs(r.Domain.Creates) {
		verbs = append(verbs, ownership.VerbRequest)
		if !r.Platform.Create {
			verbs = append(verbs, "create")
		}
	}
	if theirs(r.Domain.Approves) {
		verbs = append(verbs, ownership.VerbApprove)
	}
	if len(verbs) > 0 && !r.Platform.Modify {
		verbs = append(verbs, "patch")
	}
	return verbs
}

func deliverRules(rows []Row) (rules []rbacv1.PolicyRule) {
	for _, r := range rows {
		if r.Delivered() && !r.Cluster {
			rules = append(rules, rule(r.Group, r.Resource, readAnd(r.Git)))
		}
	}
	if claimRow(rows).Delivered() {
		rules = append(rules, rule(demarc, "serviceclaims", deployVerb))
	}
	return rules
}

// readAnd are the verbs to read and to write. There is no deletecollection: Argo CD
// deletes one by one.
func readAnd(w Writes) []string {
	return slices.Sorted(slices.Values(slices.Concat(readVerbs, w.verbs())))
}

func rule(group, resource string, verbs []string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}
