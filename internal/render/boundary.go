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

// passed stands for an entry that is about the object and lets it through; refuses tells
// a refusal from that, and from nothing.
const passed, refuses = "' '", "size(s) > 1"

// first is the first of many strings that is wanted, or an empty one.
func first(list []string, wanted string) string {
	return "([" + strings.Join(list, ",\n") + "].filter(s, " + wanted + ") + [''])[0]"
}

// found is for one kind why a request is refused, or nothing: on account of the fields
// that it changes, else of the closest entry about the object, else of the kind. A list,
// as CEL nests no deeper than 250. It is empty where nothing can be.
func (b *boundary) found(r contract.Row, sub string, given bool) string {
	var fields, entries []string
	for _, s := range closest(r.Shares) {
		on := operations(s.Reserved, sub)
		switch {
		case given && len(s.Fields) == 0:
		case s.Label == v1alpha1.LabelOwner || strings.HasPrefix(s.Label, v1alpha1.LabelOwner+"="):
			// What Demarc keeps: see Boundary.
		case len(s.Fields) > 0 && on != "":
			fields = append(fields, fmt.Sprintf("%s && %s ? %s : ''", part(s), on, b.because(s.Domain, s.Instead)))
		case len(s.Fields) == 0 && sub != "" && s.Label != "":
			// A subresource is another object, without the labels.
		case len(s.Fields) == 0 && on != "":
			entries = append(entries, fmt.Sprintf("%s ? (%s ? %s : %s) : ''", part(s), on, b.because(s.Domain, s.Instead), passed))
		case len(s.Fields) == 0:
			entries = append(entries, fmt.Sprintf("%s ? %s : ''", part(s), passed))
		}
	}
	if on := operations(r.Reserved, sub); on != "" && !given {
		entries = append(entries, fmt.Sprintf("%s ? %s : ''", on, b.because(r.Domain, r.Instead)))
	}
	all := append(fields, entries...)
	if len(all) == 0 {
		return ""
	}
	return first(all, "s != ''")
}

// closest puts the entries that are about fewest objects first, as Contract.Of does.
func closest(shares []contract.Share) []contract.Share {
	points := func(s contract.Share) (p int) {
		if s.Name != "" {
			p += 2
		}
		if s.Label != "" {
			p++
		}
		return p
	}
	return slices.SortedStableFunc(slices.Values(shares), func(a, b contract.Share) int { return points(b) - points(a) })
}

// operations are those of a request that are reserved; by a subresource an object is
// changed, and by an eviction deleted.
func operations(w contract.Writes, sub string) string {
	if sub != "" {
		if sub == "eviction" && w.Delete || sub != "eviction" && w.Modify {
			return "true"
		}
		return ""
	}
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

// part is when an object, or what changes of it, belongs to a share. Who takes a label or
// a field off is asked as well as who puts it on. What the API server fills in itself where
// nobody says it is guarded from the first change on.
func part(s contract.Share) string {
	var all []string
	if s.Name != "" {
		all = append(all, "request.name == "+text(s.Name))
	}
	if s.Label != "" {
		key, value, exact := strings.Cut(s.Label, "=")
		var sides []string
		for _, side := range []string{"before", "after"} {
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
		made := fmt.Sprintf("variables.after%s.hasValue()", path)
		if contract.Defaulted(f) {
			made = "false"
		}
		fields = append(fields, fmt.Sprintf("(variables.after != null && (variables.before == null ? %[2]s : variables.after%[1]s.orValue(null) != variables.before%[1]s.orValue(null)))", path, made))
	}
	if len(fields) > 0 {
		all = append(all, "("+strings.Join(fields, " || ")+")")
	}
	return strings.Join(all, " && ")
}

// because is the end of a refusal.
func (b *boundary) because(domain *v1alpha1.ContractDomain, instead string) string {
	switch {
	case instead != "":
	case b.channel != "":
		instead = "ask them in " + b.channel
	default:
		instead = "have it changed by them"
	}
	return text("domain " + domain.Name + " of the ownership contract): " + instead)
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
