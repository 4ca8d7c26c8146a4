package verify

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// access gathers the RBAC that should be. What is on its way in or out is marked as such:
// nobody is wrong to have it, and nobody to lack it.
func (v *verifier) access() {
	for _, o := range everybody() {
		v.kept = append(v.kept, kept{want: o, id: Everybody})
	}
	for _, o := range installed(v.operator, v.settings.ArgoCDNamespace) {
		v.kept = append(v.kept, kept{want: o, id: Install})
	}
	v.platforms()
	for _, t := range v.tenants {
		bare := *t
		bare.Spec.Resources = nil // a budget gives no right, and one that does not parse takes none
		from := len(v.kept)
		v.space(&bare)
		for i := range v.kept[from:] {
			v.kept[from+i].unasked = !settled(t)
		}
	}
	for _, g := range v.grants {
		v.grantNow(g)
	}
}

// settled says whether a Tenant's access is as its spec says. Where it is not, the Tenant
// itself says why.
func settled(t *v1alpha1.Tenant) bool {
	c := meta.FindStatusCondition(t.Status.Conditions, readiness.AccessReady)
	return t.DeletionTimestamp == nil && c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == t.Generation
}

// grantSlack is how long around its end a grant is on its way out.
const grantSlack = 2 * time.Minute

// grantNow is what an AccessGrant gives, or may still give.
func (v *verifier) grantNow(g *v1alpha1.AccessGrant) {
	t, ref := v.tenant(g.Spec.Team), render.GrantRef(g)
	if t == nil || g.Status.Expires == nil || g.Spec.Revocation != nil || !inForce(g, t, v.set.At.Add(-grantSlack)) && !inForce(g, t, v.set.At) {
		return
	}
	certain := meta.IsStatusConditionTrue(g.Status.Conditions, readiness.Ready) && inForce(g, t, v.set.At.Add(grantSlack))
	for _, o := range render.Grant(g, g.Status.Expires.Time) {
		v.kept = append(v.kept, kept{want: o, id: Access, owner: &ref, team: g.Spec.Team, unasked: !certain || t.DeletionTimestamp != nil})
	}
}
