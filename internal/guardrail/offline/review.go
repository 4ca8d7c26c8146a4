package offline

import (
	"context"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Outcome of one validation.
type Outcome string

// Outcomes that are told; what passes is not.
const (
	// Broken is that the policy says no.
	Broken Outcome = "broken"
	// Failed is that it could not be evaluated, which counts as a no where its
	// failurePolicy is Fail.
	Failed Outcome = "failed"
	// Unknown is that it asks what only a cluster knows.
	Unknown Outcome = "unknown"
)

// Verdict of one validation of a policy, by one of its bindings.
type Verdict struct {
	Policy, Binding string
	Outcome         Outcome
	// Actions of the binding: what a cluster does then.
	Actions []admissionregistrationv1.ValidationAction
	Message string
	Reason  metav1.StatusReason
	// Places that are broken, where the policy says so.
	Places []Place
}

// Does reports whether the binding takes an action.
func (v Verdict) Does(action admissionregistrationv1.ValidationAction) bool {
	return slices.Contains(v.Actions, action)
}

// Review is what all policies say of a request.
type Review struct {
	// Verdicts in the order of the policies' names, and of their bindings'.
	Verdicts []Verdict
	// Judged are the policies that looked at it, by name.
	Judged []string
	// Annotations that the audit log gets, by policy and key.
	Annotations map[string]string
}

// Refused reports whether the request would be refused.
func (r Review) Refused() bool { return r.Refusal() != nil }

// Refusal is the verdict by which a request is refused, as the API server names it: the
// first. Nil where it is not refused.
func (r Review) Refusal() *Verdict {
	for i, v := range r.Verdicts {
		if v.Outcome != Unknown && v.Does(admissionregistrationv1.Deny) {
			return &r.Verdicts[i]
		}
	}
	return nil
}

// Review asks all policies.
func (p *Policies) Review(r Request, w *World) (Review, error) {
	attributes, err := r.seen(w)
	if err != nil {
		return Review{}, err
	}
	s := &session{
		world: w, attributes: attributes, matcher: generic.NewPolicyMatcher(matching.NewMatcher(namespaces{w}, nil)),
		versions: map[schema.GroupVersionKind]*admission.VersionedAttributes{},
		out:      Review{Annotations: map[string]string{}},
	}
	for _, one := range p.list {
		s.policy(one)
	}
	return s.out, nil
}

// session is one request on its way through the policies.
type session struct {
	world      *World
	attributes admission.Attributes
	matcher    generic.PolicyMatcher
	versions   map[schema.GroupVersionKind]*admission.VersionedAttributes
	out        Review
}

// policy does what the API server's dispatcher does, and goes on after a refusal.
func (s *session) policy(p *Policy) {
	matches, resource, kind, err := s.matcher.DefinitionMatches(s.attributes, interfaces, validating.NewValidatingAdmissionPolicyAccessor(p.ValidatingAdmissionPolicy))
	if err != nil {
		s.misconfigured(p, nil, "failed to configure policy: ", err)
		return
	}
	if !matches {
		return
	}
	notes := map[string][]string{}
	for _, b := range p.Bindings {
		matches, err := s.matcher.BindingMatches(s.attributes, interfaces, validating.NewValidatingAdmissionPolicyBindingAccessor(b))
		if err != nil {
			s.misconfigured(p, b, "failed to configure binding: ", err)
		}
		if err != nil || !matches {
			continue
		}
		if !slices.Contains(s.out.Judged, p.Name) {
			s.out.Judged = append(s.out.Judged, p.Name)
		}
		params, err := s.world.params(p.Spec.ParamKind, b.Spec.ParamRef, s.attributes.GetNamespace())
		if err != nil {
			s.misconfigured(p, b, "failed to configure binding: ", err)
		}
		for _, param := range params {
			s.evaluate(p, b, resource, kind, param, notes)
		}
	}
	s.annotate(p, notes)
}

func (s *session) evaluate(p *Policy, b *admissionregistrationv1.ValidatingAdmissionPolicyBinding, resource schema.GroupVersionResource, kind schema.GroupVersionKind, param runtime.Object, notes map[string][]string) {
	versioned, err := s.version(kind)
	if err != nil {
		s.misconfigured(p, b, "failed to configure binding: failed to convert object version: ", err)
		return
	}
	asked := &nobody{}
	result := p.evaluator.Validate(context.Background(), resource, versioned, param, s.namespace(), celconfig.RuntimeCELCostBudget, asked)
	if asked.what != "" {
		s.out.Verdicts = append(s.out.Verdicts, Verdict{Policy: p.Name, Binding: b.Name, Outcome: Unknown, Actions: b.Spec.ValidationActions, Message: asked.what})
		return
	}
	for _, d := range result.Decisions {
		if d.Action != validating.ActionDeny {
			continue
		}
		outcome := Broken
		if d.Evaluation == validating.EvalError {
			outcome = Failed
		}
		v := Verdict{Policy: p.Name, Binding: b.Name, Outcome: outcome, Actions: b.Spec.ValidationActions, Message: d.Message, Reason: d.Reason}
		if outcome == Broken {
			v.Places = p.where(versioned, resource, param, s.namespace())
		}
		s.out.Verdicts = append(s.out.Verdicts, v)
	}
	for _, a := range result.AuditAnnotations {
		switch a.Action {
		case validating.AuditAnnotationActionPublish:
			if !slices.Contains(notes[a.Key], a.Value) {
				notes[a.Key] = append(notes[a.Key], a.Value)
			}
		case validating.AuditAnnotationActionError: // refuses, whatever the binding's actions are
			s.out.Verdicts = append(s.out.Verdicts, Verdict{Policy: p.Name, Binding: b.Name, Outcome: Failed, Actions: denies, Message: a.Error})
		}
	}
}
