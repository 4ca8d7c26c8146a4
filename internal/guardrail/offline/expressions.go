package offline

import (
	"cmp"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/utils/ptr"
)

func matchConditions(p *admissionregistrationv1.ValidatingAdmissionPolicy) (list []cel.ExpressionAccessor) {
	for i := range p.Spec.MatchConditions {
		list = append(list, (*matchconditions.MatchCondition)(&p.Spec.MatchConditions[i]))
	}
	return list
}

func validations(p *admissionregistrationv1.ValidatingAdmissionPolicy) (list []cel.ExpressionAccessor) {
	for _, v := range p.Spec.Validations {
		list = append(list, &validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason})
	}
	return list
}

// messageExpressions has a place for each validation: nil where one has none.
func messageExpressions(p *admissionregistrationv1.ValidatingAdmissionPolicy) []cel.ExpressionAccessor {
	list := make([]cel.ExpressionAccessor, len(p.Spec.Validations))
	for i, v := range p.Spec.Validations {
		if v.MessageExpression != "" {
			list[i] = &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
		}
	}
	return list
}

func auditAnnotations(p *admissionregistrationv1.ValidatingAdmissionPolicy) (list []cel.ExpressionAccessor) {
	for _, a := range p.Spec.AuditAnnotations {
		list = append(list, &validating.AuditAnnotationCondition{Key: a.Key, ValueExpression: a.ValueExpression})
	}
	return list
}

// policyDefaults fills in what the API server does.
func policyDefaults(p *admissionregistrationv1.ValidatingAdmissionPolicy) {
	if p.Spec.FailurePolicy == nil {
		p.Spec.FailurePolicy = ptr.To(admissionregistrationv1.Fail)
	}
	matchDefaults(p.Spec.MatchConstraints)
}

func matchDefaults(m *admissionregistrationv1.MatchResources) {
	if m == nil {
		return
	}
	if m.MatchPolicy == nil {
		m.MatchPolicy = ptr.To(admissionregistrationv1.Equivalent)
	}
	if m.NamespaceSelector == nil {
		m.NamespaceSelector = &metav1.LabelSelector{}
	}
	if m.ObjectSelector == nil {
		m.ObjectSelector = &metav1.LabelSelector{}
	}
	for _, rules := range [][]admissionregistrationv1.NamedRuleWithOperations{m.ResourceRules, m.ExcludeResourceRules} {
		for i := range rules {
			if rules[i].Scope == nil {
				rules[i].Scope = ptr.To(admissionregistrationv1.AllScopes)
			}
		}
	}
}

// sort puts policies and their bindings in the order of their names.
func (p *Policies) sort() {
	slices.SortStableFunc(p.list, func(a, b *Policy) int { return cmp.Compare(a.Name, b.Name) })
	for _, one := range p.list {
		slices.SortStableFunc(one.Bindings, func(a, b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) int {
			return cmp.Compare(a.Name, b.Name)
		})
	}
}
