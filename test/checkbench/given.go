package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/snapshot"
)

// left are the rules that are left out on both sides, since kyverno apply does not compile
// them. It puts a function of its own in the place of CEL's orValue, and that gives a value of
// no known type: these rules have such a value beside a string in one map, which does not
// compile then. If it ceases to compile another one, readKyverno says so.
var left = []string{"memory-unit", "request-max", "team-label"}

// compared are the other rules.
func compared() []guardrail.Rule {
	return slices.DeleteFunc(guardrail.Catalogue(), func(r guardrail.Rule) bool { return slices.Contains(left, r.ID) })
}

// sets are the GuardrailSets of a Platform that refuses by every rule that is
// compared, with what the examples of the rules are measured with. Both programs read this
// text.
func sets() (string, error) {
	p := &v1alpha1.Platform{}
	domains := map[string][]string{}
	for _, id := range left {
		p.Spec.Guardrails.Rules = append(p.Spec.Guardrails.Rules, v1alpha1.GuardrailRule{ID: id, Mode: v1alpha1.GuardrailOff})
	}
	for _, r := range compared() {
		p.Spec.Guardrails.Rules = append(p.Spec.Guardrails.Rules, v1alpha1.GuardrailRule{ID: r.ID, Mode: v1alpha1.GuardrailDeny})
		limits, err := json.Marshal(r.Limits)
		if err == nil {
			err = json.Unmarshal(limits, &p.Spec.Guardrails.Limits) // what is not set stays
		}
		if err != nil {
			return "", fmt.Errorf("limits of %s: %w", r.ID, err)
		}
		for of, names := range r.Domains {
			of = strings.Replace(of, "TEAM", team, 1)
			domains[of] = append(domains[of], names...)
		}
	}
	var tenants []v1alpha1.Tenant
	for of, names := range domains {
		t := v1alpha1.Tenant{}
		t.Name, t.Spec.Domains = of, names
		tenants = append(tenants, t)
	}
	return documents(guardrail.Sets(p, tenants, nil)...)
}

// rules are the shipped policies that are compared, each with its first binding, the one that refuses.
//
// Of several bindings kyverno apply keeps what the last one said, and the other two take an
// empty set. It also asks only a binding which kinds it is for, and not the policy, so the
// binding is told what the policy says. Neither changes what is refused in a cluster.
func rules() (map[string]string, error) {
	files := map[string]string{}
	for _, r := range compared() {
		_, text := r.Compiled()
		objects, err := snapshot.Parse([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.ID, err)
		}
		policy, binding := objects[0], objects[1]
		if set, _, _ := unstructured.NestedString(binding.Object, "spec", "paramRef", "name"); set != r.Set(v1alpha1.GuardrailDeny) {
			return nil, fmt.Errorf("rule %s: its first binding takes the set %q and not the one of deny", r.ID, set)
		}
		var bound admissionregistrationv1.ValidatingAdmissionPolicyBinding
		var judges admissionregistrationv1.ValidatingAdmissionPolicy
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(policy.Object, &judges); err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.ID, err)
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(binding.Object, &bound); err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.ID, err)
		}
		bound.Spec.MatchResources = judges.Spec.MatchConstraints
		policies, err := documents(policy)
		if err != nil {
			return nil, err
		}
		bindings, err := documents(bound)
		if err != nil {
			return nil, err
		}
		files[r.ID+".yaml"] = policies + bindings
	}
	return files, nil
}

// values tell kyverno apply the labels of the team's namespace, which demarc check knows.
func values() (string, error) {
	return documents(map[string]any{
		"apiVersion": "cli.kyverno.io/v1alpha1", "kind": "Values", "metadata": map[string]any{"name": "namespaces"},
		"namespaceSelector": []any{map[string]any{"name": v1alpha1.NamespaceOf(team),
			"labels": map[string]any{v1alpha1.LabelTenant: team, v1alpha1.LabelTeam: team}}},
	})
}

// documents are objects as the documents of a file.
func documents[T any](objects ...T) (string, error) {
	var b strings.Builder
	for _, o := range objects {
		text, err := yaml.Marshal(o)
		if err != nil {
			return "", err
		}
		b.WriteString("---\n")
		b.Write(text)
	}
	return b.String(), nil
}
