package deletion

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/snapshot"
)

// OwnerOf names the Tenant, the claim or the Platform that an object of Demarc's belongs
// to; ok is false where its labels name none.
func OwnerOf(o metav1.Object) (is Object, ok bool) {
	labels := o.GetLabels()
	if team := labels[v1alpha1.LabelTenant]; team != "" {
		return Object{Group: kindTenant.Group, Kind: kindTenant.Kind, Name: team}, true
	}
	for _, c := range []struct {
		kind schema.GroupKind
		name string
	}{{kindTenant, labels[v1alpha1.LabelTeam]}, {kindClaim, labels[v1alpha1.LabelClaim]}, {kindPlatform, v1alpha1.PlatformName}} {
		if c.name != "" && (owner.Ref{Kind: c.kind.Kind, Name: c.name}).Label() == labels[v1alpha1.LabelOwner] {
			return Object{Group: c.kind.Group, Kind: c.kind.Kind, Name: c.name}, true
		}
	}
	return Object{}, false
}

// presence of an owner, as far as it is known.
type presence int

const (
	unknown presence = iota
	there
	gone
)

// ownerOf says whose an object is, and whether its owner is still there. What could not
// be read is noted: it holds nothing.
func (e *explainer) ownerOf(o snapshot.Object) (Object, presence) {
	of, ok := OwnerOf(o)
	if !ok {
		return of, unknown
	}
	if e.set.Get(of.GroupKind(), "", of.Name) != nil {
		return of, there
	}
	if u, missed := e.set.Missed(of.GroupKind(), "", of.Name); missed {
		e.beyond(u)
		return of, unknown
	}
	return of, gone
}

// called names an owner in a sentence.
func called(of Object) string {
	if of.GroupKind() == kindClaim {
		return "claim " + of.Name
	}
	return of.Kind + " " + of.Name
}

// leftBehind says what is to be done with a namespace, an Application or an AppProject
// whose owner is gone, and what to run. Everything else is deleted as it is.
func leftBehind(o snapshot.Object, of Object) (next, command string) {
	it := ObjectOf(o).Kubectl()
	if o.GetAnnotations()[v1alpha1.AnnotationAdopted] != "" {
		return "make " + called(of) + " again and delete it: this was adopted, stays then, and is nobody's", ""
	}
	return "make " + called(of) + " again and delete it, which takes all down in order; or, as who holds the verb force on tenants.demarc.dev, " +
			"write a reason on this (" + v1alpha1.AnnotationForce + ") and delete it: Applications first, then the AppProject, then the namespace",
		"kubectl annotate " + it + " " + v1alpha1.AnnotationForce + "='" + called(of) + " is gone' && kubectl delete " + it
}

// planGone says who takes down what carries an owner's name when that is gone: nobody by
// itself, unless it is on its way or the reason for a force stands on it already.
func (e *explainer) planGone(o snapshot.Object, of Object) {
	if going(o) || readiness.ReasonOn(o, v1alpha1.AnnotationForce) != "" {
		return
	}
	next, _ := leftBehind(o, of)
	who := "whoever holds the verb force"
	if o.GetAnnotations()[v1alpha1.AnnotationAdopted] != "" {
		who = "whoever may make Tenants"
	}
	e.plan("OwnerGone", who, called(of)+" is gone, and nobody takes this down with it: "+next)
}

// planGuarded adds that, for an Application or an AppProject of Demarc's.
func (e *explainer) planGuarded(o snapshot.Object) {
	if of, is := e.ownerOf(o); is == gone {
		e.planGone(o, of)
	}
}

// planOwner says whether the operator makes an object again.
func (e *explainer) planOwner(o snapshot.Object) {
	by := o.GetLabels()[v1alpha1.LabelOwner]
	of, is := e.ownerOf(o)
	switch {
	case by == "":
	case is == gone:
		e.plan("NotMadeAnew", operator, "its owner, "+called(of)+", is gone: nobody makes it again")
	case is == there:
		e.plan("MadeAnew", operator, "makes it again as long as "+called(of)+" is there")
	default:
		e.plan("MadeAnew", operator, "makes it again if its owner is still there, which is not known: "+strings.Replace(by, ".", " ", 1))
	}
}
