package verify

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// rendered is a team's space. Where its budget does not parse the operator writes nothing:
// then whole is false, and nobody knows what should be in any of it.
func (v *verifier) rendered(t *v1alpha1.Tenant) (whole bool, all []render.Object) {
	holds, _ := readiness.Raised(t, v.settings.Ceiling, v.raises, v.set.At)
	space, err := render.Raised(t, holds, v.settings)
	if err == nil && v.keepsRepositories(space.Project, t) == nil {
		return true, space.All()
	}
	bare := *t
	bare.Spec.Resources = nil
	if space, err = render.Tenant(&bare, v.settings); err != nil {
		panic("verify: a space without a budget is not rendered: " + err.Error()) // only a mistake in this program gets here
	}
	ns := v1alpha1.NamespaceOf(t.Name)
	return false, append(space.All(), bareOf(schema.GroupVersionKind{Version: "v1", Kind: quotas.Kind}, ns, render.QuotaName),
		bareOf(schema.GroupVersionKind{Version: "v1", Kind: limitRanges.Kind}, ns, render.LimitsName))
}

// keepsRepositories is what the operator does while no Platform names the chart.
func (v *verifier) keepsRepositories(project render.Object, t *v1alpha1.Tenant) error {
	if project == nil {
		return nil
	}
	return render.KeepRepositories(project, t, v.settings, v.set.Get(projects, project.GetNamespace(), project.GetName()))
}

// claim is compared where it was delivered: when that is, the claim says itself. What cannot
// be rendered now, as while no Platform names the chart, stays as it was delivered.
func (v *verifier) claim(c *v1alpha1.ServiceClaim) kept {
	ns, name, ref := v.settings.ArgoCDNamespace, render.ApplicationName(c), render.ClaimRef(c)
	live := v.set.Get(applications, ns, name)
	k := kept{id: Delivery, owner: &ref, team: c.Spec.Team, unasked: c.DeletionTimestamp != nil || live == nil}
	var err error
	if k.want, err = render.Application(c, render.KeepChart(c, v.settings, live)); err != nil {
		k.want, k.unrendered = bareOf(argocd.ApplicationKind, ns, name), true
	}
	return k
}

// bareOf is an object of which the name alone is known.
func bareOf(kind schema.GroupVersionKind, namespace, name string) render.Object {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// grant is what an AccessGrant gives, while it is in force.
func (v *verifier) grant(g *v1alpha1.AccessGrant) (all []kept) {
	t, ref := v.tenant(g.Spec.Team), render.GrantRef(g)
	if t == nil || !inForce(g, t, v.set.At) {
		return nil
	}
	for _, o := range render.Grant(g, g.Status.Expires.Time) {
		all = append(all, kept{want: o, id: Access, owner: &ref, team: g.Spec.Team, unasked: t.DeletionTimestamp != nil})
	}
	return all
}
