package deletion

import (
	"regexp"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/finalizer"
	"demarc.dev/demarc/internal/snapshot"
)

// Object names one object.
type Object struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// ObjectOf names an object that was read.
func ObjectOf(o snapshot.Object) Object {
	return Object{o.GroupVersionKind().Group, o.GetKind(), o.GetNamespace(), o.GetName()}
}

// contractual names an object as the contract asks about it.
func contractual(o snapshot.Object) contract.Object {
	return contract.Object{GroupKind: ObjectOf(o).GroupKind(), Name: o.GetName(), Labels: o.GetLabels()}
}

// String names it the way the conditions do.
func (o Object) String() string {
	name := strings.ToLower(o.Kind) + "/" + o.Name
	if o.Namespace != "" {
		name += " in " + o.Namespace
	}
	return name
}

// Kubectl names it as kubectl takes it, whatever else has a kind of this name. Teams name
// their roles and bindings, and these names may be anything that a shell or kubectl
// would take for a command or a flag.
func (o Object) Kubectl() string {
	name := strings.ToLower(o.Kind)
	if o.Group != "" {
		name += "." + o.Group
	}
	if harmless.MatchString(o.Name) {
		name += " " + o.Name
	} else {
		name = finalizer.Quoted(name + "/" + o.Name)
	}
	if o.Namespace != "" {
		name += " -n " + o.Namespace
	}
	return name
}

// harmless names are what they are to a shell and to kubectl.
var harmless = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]*$`)

// GroupKind of the object.
func (o Object) GroupKind() schema.GroupKind { return schema.GroupKind{Group: o.Group, Kind: o.Kind} }

// going reports whether an object is being deleted.
func going(o metav1.Object) bool { return o.GetDeletionTimestamp() != nil }

// since is when the deletion of an object was asked for: the time on it is that of
// the end of its grace.
func since(o metav1.Object) *time.Time {
	at := o.GetDeletionTimestamp()
	if at == nil {
		return nil
	}
	asked := at.UTC()
	if grace := o.GetDeletionGracePeriodSeconds(); grace != nil {
		asked = asked.Add(-time.Duration(*grace) * time.Second)
	}
	return &asked
}
