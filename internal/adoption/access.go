package adoption

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// access says who gets what, and which bindings stay.
func (p *preview) access() {
	for _, o := range p.space.Access {
		if o.GetKind() != kindBinding.Kind {
			continue
		}
		b, err := snapshot.Into[rbacv1.RoleBinding](o)
		if err != nil {
			continue // render made it
		}
		for _, s := range b.Subjects {
			p.report.Access = append(p.report.Access, Grant{Subject: subject(s), Role: b.RoleRef.Name})
		}
	}
	if p.question.Tenant.Spec.Access == nil {
		p.note("spec.access is not set, so the group %s gets the role edit; [] gives nobody anything", p.report.Namespace)
	}
	p.bindings()
}

// bindings lists the RoleBindings that are there: adoption takes none away.
func (p *preview) bindings() {
	ref := render.TenantRef(p.question.Tenant)
	for _, b := range in[rbacv1.RoleBinding](p, kindBinding) {
		if owner.Compare(&b, ref) != owner.Foreign || p.ours(b.Name) {
			continue
		}
		kept := Binding{Name: b.Name, Role: b.RoleRef.Kind + " " + b.RoleRef.Name}
		for _, s := range b.Subjects {
			kept.Subjects = append(kept.Subjects, subject(s))
			kept.Outside = kept.Outside || s.Kind != rbacv1.ServiceAccountKind || s.Namespace != b.Namespace
		}
		p.report.Stays = append(p.report.Stays, kept)
	}
	if slices.ContainsFunc(p.report.Stays, func(b Binding) bool { return b.Outside }) {
		p.note("bindings that give people access stay, and can be deleted but no longer changed: put these people into spec.access")
	}
}

// ours reports whether a name is one of those that adoption writes: a conflict then.
func (p *preview) ours(name string) bool {
	return slices.ContainsFunc(p.space.Access, func(o render.Object) bool { return o.GetKind() == kindBinding.Kind && o.GetName() == name })
}

func subject(s rbacv1.Subject) string {
	if s.Kind == rbacv1.ServiceAccountKind {
		return "ServiceAccount " + s.Name + " in " + s.Namespace
	}
	return s.Kind + " " + s.Name
}
