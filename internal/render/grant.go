package render

import (
	"strings"
	"time"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/ownership"
)

const (
	grantPrefix = "demarc-grant-"
	// grantPart stands between a role's name and a grant's; a team's name holds no colon.
	grantPart = ":grant:"
)

// GrantRef is the owner that the bindings of an AccessGrant carry.
func GrantRef(g *v1alpha1.AccessGrant) owner.Ref {
	return owner.Ref{Kind: "AccessGrant", Name: g.Name, UID: g.UID}
}

// GrantBinding is the name of an AccessGrant's RoleBinding.
func GrantBinding(grant string) string { return grantPrefix + grant }

// GrantOf is the AccessGrant that a binding is of, by its name; empty where it is of none.
func GrantOf(binding string) string {
	if _, grant, ok := strings.Cut(binding, grantPart); ok {
		return grant
	}
	grant, ok := strings.CutPrefix(binding, grantPrefix)
	if !ok {
		return ""
	}
	return grant
}

// Grant renders the bindings of an AccessGrant that is in force until a time: the role
// in the team's namespace, and what that role has on kinds without a namespace. These
// give nothing by themselves: policies ask for verbs of the role in the namespace. They
// have no finalizer: taking access away is one write, and nothing holds it up.
func Grant(g *v1alpha1.AccessGrant, until time.Time) []Object {
	who := subject(v1alpha1.TenantAccess{Group: g.Spec.Group, User: g.Spec.User, ServiceAccount: g.Spec.ServiceAccount})
	role := roleBinding(GrantBinding(g.Name), v1alpha1.NamespaceOf(g.Spec.Team), "demarc:"+g.Spec.Role, who)
	role.SetFinalizers(nil)
	bindings := []Object{role}
	for _, beside := range grantBeside[g.Spec.Role] {
		o := clusterRoleBinding("", beside, who)
		o.SetName(beside + grantPart + g.Name)
		bindings = append(bindings, o)
	}
	for _, o := range bindings {
		o.SetAnnotations(map[string]string{v1alpha1.AnnotationExpires: until.UTC().Format(time.RFC3339)})
		own(o, GrantRef(g), g.Spec.Team)
	}
	return bindings
}

// grantBeside are the roles that each role has beside, for kinds without a namespace.
// There is no demarc:contacts: whom to call is not changed for some hours.
var grantBeside = map[string][]string{
	"view":    {ownership.RoleRead},
	"operate": {ownership.RoleRead, ownership.RoleScale},
	"edit":    {ownership.RoleRead, ownership.RoleClaims},
}
