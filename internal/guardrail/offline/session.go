package offline

import (
	"context"
	"fmt"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"demarc.dev/demarc/internal/guardrail/admitted"
)

var denies = []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}

// misconfigured refuses, whatever the binding's actions are, unless the policy ignores
// failures.
func (s *session) misconfigured(p *Policy, b *admissionregistrationv1.ValidatingAdmissionPolicyBinding, what string, err error) {
	if *p.Spec.FailurePolicy == admissionregistrationv1.Ignore {
		return
	}
	v := Verdict{Policy: p.Name, Outcome: Failed, Actions: denies, Message: what + err.Error()}
	if b != nil {
		v.Binding = b.Name
	}
	s.out.Verdicts = append(s.out.Verdicts, v)
}

// version is the request with its objects in the version that a policy asks for.
func (s *session) version(kind schema.GroupVersionKind) (*admission.VersionedAttributes, error) {
	if known := s.versions[kind]; known != nil {
		return known, nil
	}
	made, err := admission.NewVersionedAttributes(s.attributes, kind, interfaces)
	if err == nil {
		s.versions[kind] = made
	}
	return made, err
}

func (s *session) namespace() *corev1.Namespace {
	if s.attributes.GetKind().GroupKind() == (schema.GroupKind{Kind: "Namespace"}) {
		return nil
	}
	return s.world.Namespace(s.attributes.GetNamespace())
}

func (s *session) annotate(p *Policy, notes map[string][]string) {
	for key, values := range notes {
		s.out.Annotations[p.Name+"/"+key] = strings.Join(values, ", ")
	}
}

// nobody is the authorizer: it knows nobody's rights, and notes what it was asked.
type nobody struct{ what string }

// Authorize has no opinion.
func (n *nobody) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	n.what = "it asks whether who makes the request may " + question(a) + ", which only a cluster knows"
	return authorizer.DecisionNoOpinion, "", nil
}

func question(a authorizer.Attributes) string {
	if !a.IsResourceRequest() {
		return fmt.Sprintf("%s %s", a.GetVerb(), a.GetPath())
	}
	what := fmt.Sprintf("%s %s", a.GetVerb(), schema.GroupResource{Group: a.GetAPIGroup(), Resource: a.GetResource()})
	if a.GetSubresource() != "" {
		what += "/" + a.GetSubresource()
	}
	if a.GetName() != "" {
		what += " " + a.GetName()
	}
	if a.GetNamespace() != "" {
		what += " in " + a.GetNamespace()
	}
	return what
}

// interfaces tells the API server's code of the kinds that there are, and in which
// versions.
var interfaces admission.ObjectInterfaces = admitted.NewInterfaces()
