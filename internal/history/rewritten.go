package history

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/snapshot"
)

// rewritten is the current revision where it is the rollout of the claim as it is now, and has
// another image than the claim: a mirror or a webhook rewrites images. Nil where it has the claim's,
// or may still be of the claim before its last change.
func (a Answer) rewritten(set *snapshot.Set, claim *v1alpha1.ServiceClaim) *Revision {
	at := slices.IndexFunc(a.Revisions, func(r Revision) bool { return r.Current })
	if at < 0 || claim.Spec.Image == "" {
		return nil
	}
	r := &a.Revisions[at]
	if r.Image == "" || r.Image == a.Image || !version(r.Image, a.Image) && !a.rolledOut(set, claim) {
		return nil
	}
	return r
}

// version says that two images are the same one of two registries.
func version(one, other string) bool {
	last := func(image string) string { return image[strings.LastIndexByte(image, '/')+1:] }
	return last(one) == last(other) && strings.ContainsAny(last(one), ":@")
}

// rolledOut says that what runs was made of the claim as it is now: the operator says that this
// spec was delivered, or, where it says nothing, the newest delivery of Argo CD has the claim's image.
func (a Answer) rolledOut(set *snapshot.Set, claim *v1alpha1.ServiceClaim) bool {
	if c := meta.FindStatusCondition(claim.Status.Conditions, readiness.DeliveryReady); c != nil {
		return c.Status == metav1.ConditionTrue && c.ObservedGeneration == claim.Generation
	}
	app, _ := applicationOf(set, claim)
	if app == nil || len(a.Deliveries) == 0 {
		return false
	}
	return a.Deliveries[0].Image == claim.Spec.Image
}
