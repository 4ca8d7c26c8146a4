package compile

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
)

// Bindings are the three of a rule, one for each mode. They are always there: which of the
// sets lists the rule decides. Without the set deny everything is refused, as nobody knows
// what is allowed; without another nobody is warned.
func Bindings(r guardrail.Rule) []*admissionv1.ValidatingAdmissionPolicyBinding {
	one := func(mode v1alpha1.GuardrailMode, missing admissionv1.ParameterNotFoundActionType, action admissionv1.ValidationAction) *admissionv1.ValidatingAdmissionPolicyBinding {
		return &admissionv1.ValidatingAdmissionPolicyBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingAdmissionPolicyBinding"},
			ObjectMeta: metav1.ObjectMeta{Name: Prefix + r.ID + "-" + string(mode), Labels: labels()},
			Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName:        Prefix + r.ID,
				ParamRef:          &admissionv1.ParamRef{Name: r.Set(mode), ParameterNotFoundAction: ptr.To(missing)},
				ValidationActions: []admissionv1.ValidationAction{action},
			},
		}
	}
	return []*admissionv1.ValidatingAdmissionPolicyBinding{
		one(v1alpha1.GuardrailDeny, admissionv1.DenyAction, admissionv1.Deny),
		one(v1alpha1.GuardrailWarn, admissionv1.AllowAction, admissionv1.Warn),
		one(v1alpha1.GuardrailAudit, admissionv1.AllowAction, admissionv1.Audit),
	}
}
