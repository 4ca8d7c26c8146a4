// Package owner records whose an object is, and compares before anything is
// written (invariant O1).
//
// Ours is what carries the label demarc.dev/owner and the annotation
// demarc.dev/owner-uid. There are no ownerReferences: a restored backup or a
// reinstalled CRD gives owners new UIDs, and the garbage collector would then
// take the services down.
package owner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
)

// Ref is an owner: a Tenant, a ServiceClaim or the Platform.
type Ref struct {
	Kind string
	Name string
	UID  types.UID
}

// Label is the value of demarc.dev/owner: "<kind>.<name>" in lower case. A label
// value holds 63 characters and a kind with a long name does not fit, so what is
// too long ends in a hash of the whole.
func (r Ref) Label() string {
	whole := strings.ToLower(r.Kind) + "." + r.Name
	if len(whole) <= validation.LabelValueMaxLength {
		return whole
	}
	sum := sha256.Sum256([]byte(whole))
	tail := "-" + hex.EncodeToString(sum[:5])
	return strings.TrimRight(whole[:validation.LabelValueMaxLength-len(tail)], "-.") + tail
}

// String names the owner the way kubectl does.
func (r Ref) String() string { return r.Kind + "/" + r.Name }

// Stamp records the owner on an object that is about to be written.
func (r Ref) Stamp(o metav1.Object) {
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1alpha1.LabelOwner] = r.Label()
	o.SetLabels(labels)
	if r.UID == "" { // rendered from a file, where there is no UID yet
		return
	}
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[v1alpha1.AnnotationOwnerUID] = string(r.UID)
	o.SetAnnotations(annotations)
}

// Verdict is the answer of Compare.
type Verdict int

const (
	// Foreign objects are never written to.
	Foreign Verdict = iota
	// Ours carries the owner's label and UID.
	Ours
	// Reborn carries the owner's label and another UID: the owner was restored
	// or its CRD reinstalled. It is found again, never collected.
	Reborn
)

// Compare says whose a live object is from the standpoint of r.
func Compare(live metav1.Object, r Ref) Verdict {
	switch {
	case live.GetLabels()[v1alpha1.LabelOwner] != r.Label():
		return Foreign
	case live.GetAnnotations()[v1alpha1.AnnotationOwnerUID] != string(r.UID):
		return Reborn
	default:
		return Ours
	}
}

// Describe names who a foreign object belongs to, as well as it can be told.
func Describe(live metav1.Object) string {
	if label := live.GetLabels()[v1alpha1.LabelOwner]; label != "" {
		return "Demarc's " + label
	}
	if c := metav1.GetControllerOf(live); c != nil {
		return c.Kind + "/" + c.Name
	}
	if id := live.GetAnnotations()[argocd.TrackingID]; id != "" {
		app, _, _ := strings.Cut(id, ":")
		return "the Argo CD Application " + app
	}
	if release := live.GetAnnotations()["meta.helm.sh/release-name"]; release != "" {
		return "the Helm release " + release
	}
	if by := live.GetLabels()["app.kubernetes.io/managed-by"]; by != "" {
		return by
	}
	if fields := live.GetManagedFields(); len(fields) > 0 && fields[0].Manager != "" {
		return fmt.Sprintf("somebody else (first written by %q)", fields[0].Manager)
	}
	return "somebody else"
}
