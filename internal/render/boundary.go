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

// Boundary compiles contracts to the policy that keeps what is the platform's in team
// namespaces the platform's, through whatever client. There is one; while one follows
// another both are given, and what either keeps is kept. operator is whom the operator
// acts as, channel where the platform's people answer; it may be empty.
//
// What Demarc itself keeps there is guarded by the chart's policy demarc-platform-share,
// whatever a contract says of its kind.
func Boundary(operator, channel string, contracts ...*contract.Contract) []Object {
	if contract.SecretChannel(channel) {
		channel = "" // whoever is refused reads it
	}
	b := boundary{channel: channel, of: map[string][]string{}}
	for _, c := range contracts {
		b.add(c)
	}
	slices.Sort(b.keys)
	variables := []*admissionv1ac.VariableApplyConfiguration{
		variable("key", "request.resource.group + '/' + request.resource.resource + (request.?subResource.orValue('') == '' ? '' : '/' + request.subResource)"),
		variable("going", "request.operation == 'DELETE' && has(namespaceObject.metadata.deletionTimestamp)"),
		variable("before", "dyn(oldObject)"),
		variable("after", "dyn(object)"),
	}
	var found []string
	for i, key := range b.keys {
		name := "of" + strconv.Itoa(i)
		variables = append(variables, variable(name, first(b.of[key], refuses)))
		found = append(found, fmt.Sprintf("variables.key == %s ? variables.%s : ''", text(key), name))
	}
	policy := admissionv1ac.ValidatingAdmissionPolicy(BoundaryName).
		WithAnnotations(map[string]string{
			"demarc.dev/purpose":         "Keep what the contract says is the platform's in team namespaces the platform's.",
			v1alpha1.AnnotationContracts: contract.Pack(contracts...),
		}).
		WithSpec(admissionv1ac.ValidatingAdmissionPolicySpec().
			WithFailurePolicy(admissionv1.Fail).
			WithMatchConstraints(admissionv1ac.MatchResources().
				WithNamespaceSelector(metav1ac.LabelSelector().WithMatchExpressions(metav1ac.LabelSelectorRequirement().
					WithKey(v1alpha1.LabelTenant).WithOperator(metav1.LabelSelectorOpExists))).
				WithResourceRules(b.resources()...)).
			WithMatchConditions(trusted(operator, contracts)...).
			WithVariables(append(variables, variable("found", first(found, refuses)))...).
			WithValidations(admissionv1ac.Validation().
				WithExpression("variables.found == '' || variables.going || authorizer.group('demarc.dev').resource('ownershipcontracts').check('override').allowed()").
				WithReason(metav1.StatusReasonForbidden).
				WithMessageExpression("'the platform keeps this in team namespaces (' + variables.found")))
	binding := admissionv1ac.ValidatingAdmissionPolicyBinding(BoundaryName).
		WithSpec(admissionv1ac.ValidatingAdmissionPolicyBindingSpec().WithPolicyName(BoundaryName).WithValidationActions(admissionv1.Deny))
	return []Object{own(object(policy), PlatformRef, ""), own(object(binding), PlatformRef, "")}
}

// boundary gathers, for each resource, expressions that say why a request is refused: the
// domain on whose account and what to do instead, or nothing where it is let through.
type boundary struct {
	channel string
	keys    []string
	of      map[string][]string
}

func variable(name, expression string) *admissionv1ac.VariableApplyConfiguration {
	return admissionv1ac.Variable().WithName(name).WithExpression(expression)
}

// add what a contract keeps.
func (b *boundary) add(c *contract.Contract) {
	for _, r := range c.Rows() {
		if r.Cluster || r.Asked || !keeps(r) {
			continue
		}
		b.resource(r.Group, r.Resource, b.found(r, "", false))
		for _, s := range subresources {
			if s.resource != r.Resource || s.group != r.Group {
				continue
			}
			given := r.Operations[s.operation] != contract.Never
			b.resource(r.Group, r.Resource+"/"+s.name, b.found(r, s.name, given))
		}
	}
}

func (b *boundary) resource(group, resource, found string) {
	key := group + "/" + resource
	if found == "" {
		return
	}
	if b.of[key] == nil {
		b.keys = append(b.keys, key)
	}
	if !slices.Contains(b.of[key], found) {
		b.of[key] = append(b.of[key], found)
	}
}

// keeps says whether something of a kind is the platform's alone.
func keeps(r contract.Row) bool {
	return r.Reserved.Any() || slices.ContainsFunc(r.Shares, func(s contract.Share) bool { return s.Reserved.Any() })
}

// subresources by which objects are written, each with the operation by which the contract
// gives them; then the fields alone that it keeps are a matter of this policy.
var subresources = []struct{ group, resource, name, operation string }{
	{"", "pods", "ephemeralcontainers", ""},
	{"", "pods", "resize", ""},
	{"", "pods", "eviction", "evict"},
	{"", "replicationcontrollers", "scale", "scale"},
	{"apps", "deployments", "scale", "scale"},
	{"apps", "replicasets", "scale", "scale"},
	{"apps", "statefulsets", "scale", "scale"},
}

// resources are the kinds that are looked at, by group.
func (b *boundary) resources() (rules []*admissionv1ac.NamedRuleWithOperationsApplyConfiguration) {
	var groups []string
	of := map[string][]string{}
	for _, key := range b.keys {
		group, resource, _ := strings.Cut(key, "/")
		if of[group] == nil {
			groups = append(groups, group)
		}
		of[group] = append(of[group], resource)
	}
	slices.Sort(groups)
	for _, g := range groups {
		rules = append(rules, admissionv1ac.NamedRuleWithOperations().
			WithAPIGroups(g).WithAPIVersions("*").WithResources(of[g]...).
			WithOperations(admissionv1.Create, admissionv1.Update, admissionv1.Delete))
	}
	return rules
}

// trusted lets those through who act on both sides: the operator, and whom all contracts
// name.
func trusted(operator string, contracts []*contract.Contract) []*admissionv1ac.MatchConditionApplyConfiguration {
	users, groups := []string{operator}, []string{}
	for i, c := range contracts {
		named, in := []string{operator}, []string{}
		for _, t := range c.Spec.Trusted {
			switch {
			case t.User != "":
				named = append(named, t.User)
			case t.Group != "":
				in = append(in, t.Group)
			default:
				named = append(named, "system:serviceaccount:"+t.ServiceAccount.Namespace+":"+t.ServiceAccount.Name)
			}
		}
		if i == 0 {
			users, groups = named, in
			continue
		}
		users = slices.DeleteFunc(users, func(u string) bool { return !slices.Contains(named, u) })
		groups = slices.DeleteFunc(groups, func(g string) bool { return !slices.Contains(in, g) })
	}
	return []*admissionv1ac.MatchConditionApplyConfiguration{
		admissionv1ac.MatchCondition().WithName("no-trusted-user").WithExpression("!(request.userInfo.username in " + list(users) + ")"),
		admissionv1ac.MatchCondition().WithName("of-no-trusted-group").WithExpression("!request.userInfo.groups.exists(g, g in " + list(groups) + ")"),
	}
}
