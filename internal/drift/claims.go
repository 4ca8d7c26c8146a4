package drift

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// claimSpace is the namespace that a claim is for, empty for what is no claim.
func claimSpace(o snapshot.Object) string {
	if keyOf(o).GroupKind != claimKind {
		return ""
	}
	team, _, _ := unstructured.NestedString(o.Object, "spec", "team")
	if team == "" {
		return ""
	}
	return v1alpha1.NamespaceOf(team)
}

// Claims are those in a snapshot that are for one of the namespaces, and stay.
func Claims(set *snapshot.Set, namespaces []string) (list []*v1alpha1.ServiceClaim) {
	w := &world{q: Question{Namespaces: namespaces}}
	for _, o := range set.Of(claimKind) {
		if o.GetDeletionTimestamp() != nil || !w.in(claimSpace(o)) {
			continue
		}
		if c, err := snapshot.Into[v1alpha1.ServiceClaim](o); err == nil {
			list = append(list, c)
		}
	}
	return list
}

// Applications are what the claims become in Argo CD. Those that the platform does not
// render, for want of a chart, are left out.
func Applications(claims []*v1alpha1.ServiceClaim, s render.Settings) (list []Rendered) {
	for _, c := range claims {
		app, err := render.Application(c, s)
		if err != nil {
			continue
		}
		list = append(list, Rendered{Claim: c.Name, Object: app})
	}
	return list
}
