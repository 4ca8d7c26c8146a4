package render

import (
	rbacv1 "k8s.io/api/rbac/v1"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/ownership"
)

// PlatformRef is the owner that the fixed ClusterRoles carry. It has no UID: the
// roles are there whether or not a Platform object is.
var PlatformRef = owner.Ref{Kind: "Platform", Name: "default"}

// Roles renders the fixed ClusterRoles from the contract.
func Roles(c *contract.Contract) []Object {
	var out []Object
	for _, r := range c.Roles() {
		role := rbacv1ac.ClusterRole(r.Name).
			WithAnnotations(map[string]string{"demarc.dev/purpose": r.Purpose})
		for _, rule := range r.Rules {
			role.WithRules(policyRule(rule))
		}
		out = append(out, own(object(role), PlatformRef, ""))
	}
	return out
}

func policyRule(r rbacv1.PolicyRule) *rbacv1ac.PolicyRuleApplyConfiguration {
	return rbacv1ac.PolicyRule().WithAPIGroups(r.APIGroups...).WithResources(r.Resources...).WithVerbs(r.Verbs...)
}

// PlatformAccess binds the platform's groups to their role; nil where none is named.
func PlatformAccess(groups []string) Object {
	if len(groups) == 0 {
		return nil
	}
	var subjects []*rbacv1ac.SubjectApplyConfiguration
	for _, g := range groups {
		subjects = append(subjects, rbacv1ac.Subject().WithKind(rbacv1.GroupKind).WithAPIGroup(rbacv1.GroupName).WithName(g))
	}
	return own(object(rbacv1ac.ClusterRoleBinding(ownership.RolePlatform).
		WithRoleRef(rbacv1ac.RoleRef().WithAPIGroup(rbacv1.GroupName).WithKind("ClusterRole").WithName(ownership.RolePlatform)).
		WithSubjects(subjects...)), PlatformRef, "")
}
