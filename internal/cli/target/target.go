// Package target names what a verb works on: claims and tenants, by the words that
// kubectl knows them by.
package target

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
)

// Kind is one of Demarc's kinds.
type Kind struct {
	// Word for it in sentences and in KIND/NAME; Words are all that stand for it.
	Word, Plural string
	Words        []string
	// Name of the kind in the API, and of its resource.
	Name, Resource string
	// Draining is the condition that says what a deletion waits for.
	Draining string
}

// Claim is the kind of services, Tenant that of teams.
var (
	Claim = Kind{"claim", "claims", []string{"claim", "claims", "serviceclaim", "serviceclaims"},
		"ServiceClaim", "serviceclaims", "Drained"}
	Tenant = Kind{"tenant", "tenants", []string{"tenant", "tenants", "tn"},
		"Tenant", "tenants", "ClaimsDrained"}
)

// GVK of the kind.
func (k Kind) GVK() schema.GroupVersionKind { return v1alpha1.SchemeGroupVersion.WithKind(k.Name) }

// New is an empty object of the kind.
func (k Kind) New() client.Object {
	if k.Name == Tenant.Name {
		return &v1alpha1.Tenant{}
	}
	return &v1alpha1.ServiceClaim{}
}

// NewList is an empty list of the kind.
func (k Kind) NewList() client.ObjectList {
	if k.Name == Tenant.Name {
		return &v1alpha1.TenantList{}
	}
	return &v1alpha1.ServiceClaimList{}
}

// Conditions of an object of either kind.
func Conditions(o client.Object) []metav1.Condition {
	switch o := o.(type) {
	case *v1alpha1.Tenant:
		return o.Status.Conditions
	case *v1alpha1.ServiceClaim:
		return o.Status.Conditions
	}
	return nil
}

// ParseKind finds the kind that a word stands for.
func ParseKind(word string) (Kind, error) {
	word = strings.TrimSuffix(strings.ToLower(word), ".demarc.dev")
	for _, k := range []Kind{Claim, Tenant} {
		if slices.Contains(k.Words, word) {
			return k, nil
		}
	}
	return Kind{}, exit.Failed(fmt.Sprintf("%q is no kind of this command", word), instead(word))
}

// instead says what is meant where somebody names what Demarc keeps.
func instead(word string) string {
	switch strings.TrimSuffix(word, "s") {
	case "namespace", "n", "appproject", "project", "quota", "resourcequota":
		return "name the Tenant that it belongs to: tenant/NAME"
	case "application", "app", "deployment", "deploy":
		return "name the claim that it belongs to: claim/NAME"
	default:
		return "name a claim or a tenant: claim/NAME or tenant/NAME"
	}
}

// Parse reads KIND/NAME, or KIND NAME.
func Parse(args []string) (Kind, string, error) {
	word, name, ok := strings.Cut(args[0], "/")
	switch {
	case ok && len(args) == 1:
	case !ok && len(args) == 2:
		name = args[1]
	default:
		return Kind{}, "", exit.Failed(fmt.Sprintf("%q does not name one object", strings.Join(args, " ")), "name it as KIND/NAME, such as claim/payments")
	}
	kind, err := ParseKind(word)
	if err != nil {
		return kind, name, err
	}
	return kind, name, Named(name)
}

// longest is what the API server takes for a name.
const longest = 253

// Named refuses what cannot be the name of an object.
func Named(name string) error {
	odd := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	if name == "" || len(name) > longest || strings.ContainsFunc(name, odd) || len(content.IsPathSegmentName(name)) > 0 {
		return exit.Failed(fmt.Sprintf("%q is no name of an object", name), "")
	}
	return nil
}

// Space refuses what cannot be the name of a namespace.
func Space(name string) error {
	if len(validation.IsDNS1123Label(name)) > 0 {
		return exit.Failed(fmt.Sprintf("%q is no name of a namespace", name), "a namespace has at most 63 lower-case letters, digits and '-'")
	}
	return nil
}
