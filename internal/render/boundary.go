package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	admissionv1ac "k8s.io/client-go/applyconfigurations/admissionregistration/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// BoundaryName is the name of the policy that is compiled from the contract, and of
// its binding.
const BoundaryName = "demarc-boundary"

// Boundary compiles the contract to the policy that keeps what is the platform's in team
// namespaces the platform's, through whatever client. operator is whom the operator
// acts as, channel where the platform's people answer; it may be empty.
func Boundary(c *contract.Contract, operator, channel string) []Object {
	b := boundary{rows: c.Rows(), channel: channel}
	policy := admissionv1ac.ValidatingAdmissionPolicy(BoundaryName).
		WithAnnotations(map[string]string{"demarc.dev/purpose": "Keep what the contract says is the platform's in team namespaces the platform's."}).
		WithSpec(admissionv1ac.ValidatingAdmissionPolicySpec().
			WithFailurePolicy(admissionv1.Fail).
			WithMatchConstraints(admissionv1ac.MatchResources().
				WithNamespaceSelector(metav1ac.LabelSelector().WithMatchExpressions(metav1ac.LabelSelectorRequirement().
					WithKey(v1alpha1.LabelTenant).WithOperator(metav1.LabelSelectorOpExists))).
				WithResourceRules(b.resources()...)).
			WithMatchConditions(trusted(c, operator)...).
			WithVariables(
				variable("key", "request.resource.group + '/' + request.resource.resource"),
				variable("going", "request.operation == 'DELETE' && has(namespaceObject.metadata.deletionTimestamp)"),
				variable("before", "dyn(oldObject)"),
				variable("after", "dyn(object)"),
				variable("kept", "variables.before == null ? '' : string(variables.before.metadata.?labels[?'"+v1alpha1.LabelOwner+"'].orValue(''))"),
				variable("found", b.found()),
			).
			WithValidations(admissionv1ac.Validation().
				WithExpression("variables.found == '' || variables.going || authorizer.group('demarc.dev').resource('ownershipcontracts').check('override').allowed()").
				WithReason(metav1.StatusReasonForbidden).
				WithMessageExpression(b.message())))
	binding := admissionv1ac.ValidatingAdmissionPolicyBinding(BoundaryName).
		WithSpec(admissionv1ac.ValidatingAdmissionPolicyBindingSpec().WithPolicyName(BoundaryName).WithValidationActions(admissionv1.Deny))
	return []Object{own(object(policy), PlatformRef, ""), own(object(binding), PlatformRef, "")}
}

type boundary struct {
	rows    []contract.Row
	channel string
}

func variable(name, expression string) *admissionv1ac.VariableApplyConfiguration {
	return admissionv1ac.Variable().WithName(name).WithExpression(expression)
}

// guarded are the rows of which something is the platform's alone.
func (b boundary) guarded() []contract.Row {
	return slices.DeleteFunc(slices.Clone(b.rows), func(r contract.Row) bool {
		return r.Cluster || r.Asked || !r.Reserved.Any() && len(r.Shares) == 0
	})
}

// resources are the kinds that are looked at, by group.
func (b boundary) resources() (rules []*admissionv1ac.NamedRuleWithOperationsApplyConfiguration) {
	var groups []string
	of := map[string][]string{}
	for _, r := range b.guarded() {
		if of[r.Group] == nil {
			groups = append(groups, r.Group)
		}
		of[r.Group] = append(of[r.Group], r.Resource)
	}
	slices.Sort(groups)
	for _, g := range groups {
		slices.Sort(of[g])
		rules = append(rules, admissionv1ac.NamedRuleWithOperations().
			WithAPIGroups(g).WithAPIVersions("*").WithResources(of[g]...).
			WithOperations(admissionv1.Create, admissionv1.Update, admissionv1.Delete))
	}
	return rules
}

// trusted lets those through who act on both sides: the operator, and whom the contract
// names.
func trusted(c *contract.Contract, operator string) (conditions []*admissionv1ac.MatchConditionApplyConfiguration) {
	users, groups := []string{operator}, []string{}
	for _, t := range c.Spec.Trusted {
		switch {
		case t.User != "":
			users = append(users, t.User)
		case t.Group != "":
			groups = append(groups, t.Group)
		default:
			users = append(users, "system:serviceaccount:"+t.ServiceAccount.Namespace+":"+t.ServiceAccount.Name)
		}
	}
	return []*admissionv1ac.MatchConditionApplyConfiguration{
		admissionv1ac.MatchCondition().WithName("no-trusted-user").WithExpression("!(request.userInfo.username in " + list(users) + ")"),
		admissionv1ac.MatchCondition().WithName("of-no-trusted-group").WithExpression("!request.userInfo.groups.exists(g, g in " + list(groups) + ")"),
	}
}

// found is why a request is refused: the domain on whose account, and what to do
// instead. It is empty where the request is let through.
func (b boundary) found() string {
	var cases []string
	for _, r := range b.guarded() {
		key := "variables.key == " + text(r.Group+"/"+r.Resource)
		for _, s := range r.Shares {
			if on := operations(s.Reserved); on != "" {
				cases = append(cases, fmt.Sprintf("%s && %s && %s ? %s", key, on, part(s), b.because(s.Domain, s.Instead)))
			}
		}
		if on := operations(r.Reserved); on != "" {
			cases = append(cases, fmt.Sprintf("%s && %s ? %s", key, on, b.because(r.Domain, r.Instead)))
		}
	}
	return strings.Join(append(cases, "''"), " :\n")
}

// operations are those of a request that are reserved.
func operations(w contract.Writes) string {
	var on []string
	for _, o := range []struct {
		is   bool
		name string
	}{{w.Create, "CREATE"}, {w.Modify, "UPDATE"}, {w.Delete, "DELETE"}} {
		if o.is {
			on = append(on, o.name)
		}
	}
	if len(on) == 0 {
		return ""
	}
	return "request.operation in " + list(on)
}

// part is when an object, or what changes of it, belongs to a share. Who takes a label
// off is asked as well as who puts it on.
func part(s contract.Share) string {
	var all []string
	if s.Name != "" {
		all = append(all, "request.name == "+text(s.Name))
	}
	if s.Label != "" {
		key, value, exact := strings.Cut(s.Label, "=")
		looked := []string{"before", "after"}
		if key == v1alpha1.LabelOwner {
			looked = looked[:1] // who puts Demarc's mark on is told so by the policy for marks
		}
		var sides []string
		for _, side := range looked {
			label := fmt.Sprintf("variables.%s != null && variables.%s.metadata.?labels[?%s]", side, side, text(key))
			if exact {
				sides = append(sides, label+".orValue('') == "+text(value))
			} else {
				sides = append(sides, label+".hasValue()")
			}
		}
		all = append(all, "("+strings.Join(sides, " || ")+")")
	}
	var fields []string
	for _, f := range s.Fields {
		path := ".?" + strings.Join(strings.Split(f, "."), ".?")
		fields = append(fields, fmt.Sprintf("variables.after != null && variables.after%[1]s.hasValue() && (variables.before == null || variables.after%[1]s != variables.before%[1]s)", path))
	}
	if len(fields) > 0 {
		all = append(all, "("+strings.Join(fields, " || ")+")")
	}
	return strings.Join(all, " && ")
}

// because is the end of a refusal.
func (b boundary) because(domain *v1alpha1.ContractDomain, instead string) string {
	switch {
	case instead != "":
	case b.channel != "":
		instead = "ask them in " + b.channel
	default:
		instead = "have it changed by them"
	}
	return text("domain " + domain.Name + " of the ownership contract): " + instead)
}

// message says whose it is, for whom it is kept, and what to do.
func (b boundary) message() string {
	return "'the platform keeps this in team namespaces (' + (variables.kept == '' ? '' : variables.kept + ', ') + variables.found"
}

func list(words []string) string {
	quoted := make([]string, 0, len(words))
	for _, w := range words {
		quoted = append(quoted, text(w))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// text is a string in CEL; whatever is in it stays text.
func text(s string) string { return strconv.QuoteToASCII(s) }
