package compile

import (
	"errors"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
)

// Prefix of the names of policies.
const Prefix = "demarc-rule-"

// labels of everything that is made from a rule.
func labels() map[string]string { return map[string]string{"app.kubernetes.io/name": "demarc"} }

// Policy is what the API server evaluates for a rule.
func Policy(r guardrail.Rule) (*admissionv1.ValidatingAdmissionPolicy, error) {
	vars, err := variables(r)
	conditions, alone := judged(r)
	told, also := message(r)
	if err := errors.Join(err, alone, also); err != nil {
		return nil, fmt.Errorf("rule %s: %w", r.ID, err)
	}
	return &admissionv1.ValidatingAdmissionPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingAdmissionPolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: Prefix + r.ID, Labels: labels()},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy:    ptr.To(admissionv1.Fail),
			ParamKind:        &admissionv1.ParamKind{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "GuardrailSet"},
			MatchConstraints: constraints(r),
			MatchConditions:  conditions,
			Variables:        vars,
			Validations: []admissionv1.Validation{{
				Expression:        "size(variables.fresh) == 0 || size(variables.holding) > 0",
				Message:           r.ID + ": " + r.Title,
				MessageExpression: told,
				Reason:            ptr.To(metav1.StatusReasonForbidden),
			}},
			AuditAnnotations: []admissionv1.AuditAnnotation{{Key: "exception", ValueExpression: used}},
		},
	}, nil
}

// constraints confine a policy to the namespaces of teams: in a binding they would not
// hold where the parameter's kind is missing, which would then refuse everywhere.
func constraints(r guardrail.Rule) *admissionv1.MatchResources {
	m := &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: v1alpha1.LabelTenant, Operator: metav1.LabelSelectorOpExists}}}}
	for _, rule := range r.Resources() {
		m.ResourceRules = append(m.ResourceRules, admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update}, Rule: rule}})
	}
	return m
}
