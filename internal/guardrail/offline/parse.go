package offline

import (
	"errors"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/manifest"
)

// Source is what files of policies hold.
type Source struct {
	Policies []*admissionregistrationv1.ValidatingAdmissionPolicy
	Bindings []*admissionregistrationv1.ValidatingAdmissionPolicyBinding
	// Others are what stands beside them, such as their parameters.
	Others []runtime.Object
}

// Read takes the policies and bindings out of what was read. A field that there is not is an
// error, with its line.
func Read(docs []manifest.Doc) (s Source, err error) {
	var errs []error
	for _, d := range docs {
		switch kind := (schema.GroupKind{Group: d.Group(), Kind: d.Kind}); kind {
		case policyKind:
			p := &admissionregistrationv1.ValidatingAdmissionPolicy{}
			errs = append(errs, d.Decode(p))
			s.Policies = append(s.Policies, p)
		case bindingKind:
			b := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}
			errs = append(errs, d.Decode(b))
			s.Bindings = append(s.Bindings, b)
		default:
			o, err := admitted.Decode(d.JSON)
			if err != nil {
				errs = append(errs, d.Errorf("", "it cannot be read: %v", err))
				continue
			}
			s.Others = append(s.Others, o)
		}
	}
	return s, errors.Join(errs...)
}

var (
	policyKind  = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicy"}
	bindingKind = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicyBinding"}
)

// Compile compiles what was read.
func (s Source) Compile() (*Policies, error) { return Compile(s.Policies, s.Bindings) }
