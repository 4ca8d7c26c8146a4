// Package offline answers, without a cluster, what ValidatingAdmissionPolicies would
// answer to a request: with the API server's own code to match, to compile and to evaluate
// them, and with the objects that package admitted makes.
//
// What only a cluster knows is not guessed: a policy that asks the authorizer answers
// Unknown.
package offline

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Policy is one policy with what binds it.
type Policy struct {
	*admissionregistrationv1.ValidatingAdmissionPolicy
	// Bindings in the order of their names.
	Bindings []*admissionregistrationv1.ValidatingAdmissionPolicyBinding

	evaluator validating.Validator
	// places tells where it is broken; nil where the policy does not say.
	places cel.ConditionEvaluator
}

// Policies are compiled, and ready to be asked by several at once.
type Policies struct{ list []*Policy }

// Compile compiles policies. One without a binding is compiled too, and never holds. The
// error names every expression that is wrong, and every binding of a policy that is not
// there.
func Compile(policies []*admissionregistrationv1.ValidatingAdmissionPolicy, bindings []*admissionregistrationv1.ValidatingAdmissionPolicyBinding) (*Policies, error) {
	all := &Policies{list: make([]*Policy, len(policies))}
	wrong := make([]error, len(policies))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range policies {
		group.Go(func() error {
			all.list[i], wrong[i] = compile(p)
			return nil
		})
	}
	_ = group.Wait() // each has an error of its own
	errs := []error{errors.Join(wrong...)}
	for _, b := range bindings {
		i := slices.IndexFunc(all.list, func(p *Policy) bool { return p.Name == b.Spec.PolicyName })
		if i < 0 {
			errs = append(errs, fmt.Errorf("ValidatingAdmissionPolicyBinding %s: there is no policy %s", b.Name, b.Spec.PolicyName))
			continue
		}
		b = b.DeepCopy()
		matchDefaults(b.Spec.MatchResources)
		all.list[i].Bindings = append(all.list[i].Bindings, b)
	}
	all.sort()
	return all, errors.Join(errs...)
}

// All lists them in the order of their names.
func (p *Policies) All() []*Policy { return slices.Clone(p.list) }

// environments is what policies are compiled in.
var environments = sync.OnceValue(func() *environment.EnvSet {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
})

// compile does what the API server does when it reads a policy.
func compile(p *admissionregistrationv1.ValidatingAdmissionPolicy) (*Policy, error) {
	p = p.DeepCopy()
	policyDefaults(p)
	all := cel.OptionalVariableDeclarations{HasParams: p.Spec.ParamKind != nil, HasAuthorizer: true}
	messages := cel.OptionalVariableDeclarations{HasParams: p.Spec.ParamKind != nil}
	compiler, err := cel.NewCompositedCompiler(environments())
	if err != nil {
		return nil, fmt.Errorf("prepare for policy %s: %w", p.Name, err)
	}
	var errs []error
	for i, v := range p.Spec.Variables {
		result := compiler.CompileAndStoreVariable(&validating.Variable{Name: v.Name, Expression: v.Expression}, all, environment.StoredExpressions)
		if result.Error != nil {
			errs = append(errs, wrong(p, fmt.Sprintf("spec.variables[%d].expression", i), result.Error))
		}
	}
	part := func(field string, list []cel.ExpressionAccessor, with cel.OptionalVariableDeclarations) cel.ConditionEvaluator {
		made := compiler.CompileCondition(list, with, environment.StoredExpressions)
		for _, err := range made.CompilationErrors() {
			errs = append(errs, wrong(p, field, err))
		}
		return made
	}
	var conditions matchconditions.Matcher
	if len(p.Spec.MatchConditions) > 0 {
		conditions = matchconditions.NewMatcher(part("spec.matchConditions", matchConditions(p), all), p.Spec.FailurePolicy, "policy", "validate", p.Name)
	}
	made := &Policy{ValidatingAdmissionPolicy: p, evaluator: validating.NewValidator(
		part("spec.validations", validations(p), all), conditions,
		part("spec.auditAnnotations", auditAnnotations(p), all),
		part("spec.validations.messageExpression", messageExpressions(p), messages),
		p.Spec.FailurePolicy, nil,
	)}
	if slices.ContainsFunc(p.Spec.Variables, func(v admissionregistrationv1.Variable) bool { return v.Name == PlacesVariable }) {
		made.places = part("spec.variables", []cel.ExpressionAccessor{where{}}, all)
	}
	return made, errors.Join(errs...)
}

func wrong(p *admissionregistrationv1.ValidatingAdmissionPolicy, field string, err error) error {
	return fmt.Errorf("ValidatingAdmissionPolicy %s: %s: %w", p.Name, field, err)
}
