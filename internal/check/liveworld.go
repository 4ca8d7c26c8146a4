package check

import (
	"cmp"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/guardrail/offline"
	"demarc.dev/demarc/internal/snapshot"
)

// Kinds that the rules judge, of those that a cluster is known to serve.
func (r *Rules) Kinds() (list []schema.GroupKind) {
	for _, p := range r.policies.All() {
		if p.Spec.MatchConstraints == nil {
			continue
		}
		for _, rule := range p.Spec.MatchConstraints.ResourceRules {
			for _, k := range contract.Kinds {
				if covers(rule.Rule, k) && !slices.Contains(list, k.GroupKind()) {
					list = append(list, k.GroupKind())
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b schema.GroupKind) int { return cmp.Compare(a.String(), b.String()) })
	return list
}

// covers reports whether a rule is about a kind that is kept in a namespace.
func covers(r admissionregistrationv1.Rule, k contract.Served) bool {
	has := func(list []string, word string) bool {
		return slices.Contains(list, word) || slices.Contains(list, "*")
	}
	return !k.Cluster && !k.Asked && has(r.APIGroups, k.Group) && has(r.Resources, k.Resource)
}

var (
	setKind   = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "GuardrailSet"}
	aroundNow = []schema.GroupKind{
		{Kind: "Namespace"}, {Kind: "LimitRange"}, {Kind: "ServiceAccount"}, {Group: "networking.k8s.io", Kind: "IngressClass"},
		{Group: "storage.k8s.io", Kind: "StorageClass"}, {Group: "scheduling.k8s.io", Kind: "PriorityClass"},
	}
)

// world is what requests would meet if every rule were deny for everybody, and all else as
// it is in the cluster.
func (l *live) world() error {
	l.meets = &offline.World{At: l.Set.At}
	if l.Team != "" { // who may not list namespaces knows the name of one's own
		l.meets.Add(namespace(l.Team))
	}
	for _, kind := range aroundNow {
		for _, o := range l.Set.Of(kind) {
			typed, err := admitted.Typed(o)
			if err != nil {
				return err
			}
			l.meets.Add(typed)
		}
	}
	for _, o := range l.Set.Of(setKind) {
		set, err := snapshot.Into[v1alpha1.GuardrailSet](o)
		if err != nil {
			return err
		}
		l.sets = append(l.sets, *set)
	}
	if len(l.sets) == 0 { // none could be read, or the operator has not come to it
		l.sets = guardrail.Sets(nil, nil, nil)
	}
	strict := Settings{Sets: everything(l.sets)}
	params, err := strict.sets()
	if err != nil {
		return err
	}
	l.meets.Add(params...)
	l.meets.Add(l.Rules.beside...)
	return nil
}

// everything are the sets by which every rule is denied to everybody.
func everything(sets []v1alpha1.GuardrailSet) (deny []v1alpha1.GuardrailSet) {
	for _, name := range guardrail.SetNames() {
		if guardrail.ModeOfSet(name) != v1alpha1.GuardrailDeny {
			continue
		}
		set := v1alpha1.GuardrailSet{}
		if i := slices.IndexFunc(sets, func(s v1alpha1.GuardrailSet) bool { return s.Name == name }); i >= 0 {
			set = *sets[i].DeepCopy()
		}
		set.Name, set.Spec.Rules, set.Spec.Except, set.Spec.Teams = name, nil, "", ""
		for _, r := range guardrail.Catalogue() {
			if r.Set(v1alpha1.GuardrailDeny) == name {
				set.Spec.Rules = append(set.Spec.Rules, r.ID)
			}
		}
		deny = append(deny, set)
	}
	return deny
}
