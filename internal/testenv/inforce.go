package testenv

import (
	"context"
	"fmt"
	"strings"
	"time"

	admission "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// InForce waits, for three minutes at most, until the API server judges by every policy
// and binding made before: it takes them up in the order in which they were made, some
// time later, so a last one that refuses shows that those before it would too.
func (e *Env) InForce(ctx context.Context) error {
	const name = "all-in-force"
	named := metav1.ObjectMeta{Name: name}
	policy := &admission.ValidatingAdmissionPolicy{ObjectMeta: named, Spec: admission.ValidatingAdmissionPolicySpec{
		MatchConstraints: &admission.MatchResources{ResourceRules: []admission.NamedRuleWithOperations{{
			ResourceNames: []string{name},
			RuleWithOperations: admission.RuleWithOperations{Operations: []admission.OperationType{admission.Create},
				Rule: admission.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}}},
		}}},
		Validations: []admission.Validation{{Expression: "false", Message: name}},
	}}
	binding := &admission.ValidatingAdmissionPolicyBinding{ObjectMeta: named, Spec: admission.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: name, ValidationActions: []admission.ValidationAction{admission.Deny}}}
	for _, o := range []client.Object{policy, binding} {
		if err := e.Client.Create(ctx, o); err != nil {
			return err
		}
		defer func() { _ = e.Client.Delete(ctx, o) }() // it refuses nothing but its own name
	}
	var last error
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 3*time.Minute, true, func(ctx context.Context) (bool, error) {
		last = e.Client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}, client.DryRunAll)
		return last != nil && strings.Contains(last.Error(), "'"+name+"'"), nil
	})
	if err != nil {
		return fmt.Errorf("policies are not in force: %w (the last answer: %v)", err, last)
	}
	return nil
}
