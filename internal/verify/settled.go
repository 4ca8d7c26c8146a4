package verify

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/rbac"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// access gathers the RBAC that should be, and says which bindings are unsure: what is on
// its way in or out nobody is wrong to have, and nobody to lack.
func (v *verifier) access() map[*rbac.Binding]bool {
	unsure := map[*rbac.Binding]bool{}
	take := func(objects []render.Object, sure bool) {
		from := len(v.want.Bindings)
		for _, o := range objects {
			put(v.want, o)
		}
		for _, b := range v.want.Bindings[from:] {
			if !sure {
				unsure[b] = true
			}
		}
	}
	for _, k := range v.clusters() {
		take([]render.Object{k.want}, true)
	}
	for _, t := range v.tenants {
		take(render.Access(t), settled(t))
	}
	for _, g := range v.grants {
		take(v.grantNow(g))
	}
	v.want.Index()
	return unsure
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
func (v *verifier) grantNow(g *v1alpha1.AccessGrant) (bindings []render.Object, sure bool) {
	t := v.tenant(g.Spec.Team)
	if t == nil || g.Status.Expires == nil || g.Spec.Revocation != nil || !inForce(g, t, v.set.At.Add(-grantSlack)) && !inForce(g, t, v.set.At) {
		return nil, false
	}
	certain := meta.IsStatusConditionTrue(g.Status.Conditions, readiness.Ready) && inForce(g, t, v.set.At.Add(grantSlack))
	return render.Grant(g, g.Status.Expires.Time), certain && t.DeletionTimestamp == nil
}
