package readiness

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/render"
)

// HoldsTenant reports whether a claim holds its Tenant: it carries Demarc's finalizer.
// One that was never delivered does not.
func HoldsTenant(claim metav1.Object) bool {
	return slices.Contains(claim.GetFinalizers(), v1alpha1.FinalizerClaim)
}

// Place is what an Application is to a Tenant that is being deleted.
type Place int

const (
	// Elsewhere: it is not in the team's project.
	Elsewhere Place = iota
	// OfClaim: its claim takes it down.
	OfClaim
	// Orphan: it is Demarc's, and its claim is gone.
	Orphan
	// Stranger: somebody else made it.
	Stranger
)

// AddApplication notes an Application where it is in the team's project: Argo CD could
// not remove what it delivered once the project is gone. claims are all of the team's.
func (d *TenantDrain) AddApplication(app *unstructured.Unstructured, claims []string) Place {
	place := d.placeOf(app, claims)
	switch place {
	case OfClaim, Stranger:
		d.Applications = append(d.Applications, app.GetName())
	case Orphan:
		d.Orphans = append(d.Orphans, app.GetName())
	case Elsewhere:
	}
	return place
}

func (d *TenantDrain) placeOf(app *unstructured.Unstructured, claims []string) Place {
	claim := app.GetLabels()[v1alpha1.LabelClaim]
	switch {
	case argocd.ProjectOf(app) != render.ProjectName(d.Team):
		return Elsewhere
	case claim == "" || app.GetLabels()[v1alpha1.LabelOwner] != owner.Ref{Kind: "ServiceClaim", Name: claim}.Label():
		return Stranger
	case slices.Contains(claims, claim):
		return OfClaim
	default:
		return Orphan
	}
}
