package verify

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/rbac"
)

// unnamed is a rule as if it named no objects: a name chosen well is power enough.
func unnamed(r rbacv1.PolicyRule) rbacv1.PolicyRule {
	r.ResourceNames = nil
	return r
}

// held is one power that a subject of a binding has.
type held struct {
	power power
	rule  rbac.Rule
	asked rbac.Request
}

// powers finds who holds any, by which binding.
func (v *verifier) powers() {
	want, kubernetes := v.expected(), map[string][]finding.Evidence{}
	for _, b := range v.live.Bindings {
		if v.teamOf(b.Namespace) != nil {
			continue // what is given in a team's namespace is compared cell by cell
		}
		for i, s := range b.Subjects {
			if given := givenTo(b, s, want); len(given) > 0 {
				kubernetes[byContract] = append(kubernetes[byContract], finding.Evidence{Object: ofBinding(b), Field: "subjects[" + itoa(i) + "]", Value: describe(s) + ": " + strings.Join(given, ", ")})
			}
			list := v.heldBy(b, s, want)
			if len(list) == 0 {
				continue
			}
			if reason := v.trusted(s, b); reason != "" {
				kubernetes[reason] = append(kubernetes[reason], finding.Evidence{Object: ofBinding(b), Field: "subjects[" + itoa(i) + "]", Value: describe(s) + ": " + few(names(list), 4)})
				continue
			}
			v.powerful(b, i, list)
		}
	}
	v.trustedHolders(kubernetes)
}

func names(list []held) (names []string) {
	for _, h := range list {
		names = append(names, h.power.name)
	}
	return names
}

// byContract is why the platform's people hold power: Demarc's roles are what the contract
// says, and the operator may write them whatever that is.
const byContract = "by the contract, and whoever of them changes the contract by hand changes what it gives them"

// givenTo are the powers that the contract gives the platform's people.
func givenTo(b *rbac.Binding, s rbacv1.Subject, want *rbac.World) (names []string) {
	if b.Role.Name != ownership.RolePlatform {
		return nil
	}
	should := want.For(rbac.Of(s, b.Namespace), b.Namespace)
	for _, p := range powers {
		if slices.ContainsFunc(p.requests, func(r rbac.Request) bool { return should.Allow(r) != nil }) {
			names = append(names, p.name)
		}
	}
	return names
}

// heldBy are the powers that a binding gives to one of its subjects, and that nothing of
// Demarc's gives it.
func (v *verifier) heldBy(b *rbac.Binding, s rbacv1.Subject, want *rbac.World) (list []held) {
	who := rbac.Of(s, b.Namespace)
	if ns, _, ok := rbac.ParseAccount(who.User); ok && b.Namespace != "" && ns == b.Namespace {
		return nil // an account in its own namespace
	}
	should := want.For(who, b.Namespace)
	for _, p := range powers {
		if b.Namespace != "" && !p.namespaced {
			continue
		}
		if h, ok := first(v.live.RulesOf(b), p, should); ok {
			list = append(list, h)
		}
	}
	return list
}

func first(rules []rbac.Rule, p power, should rbac.Grants) (held, bool) {
	for _, rule := range rules {
		for _, r := range p.requests {
			if rbac.Allows(unnamed(rule.PolicyRule), r) && should.Allow(r) == nil {
				return held{p, rule, r}, true
			}
		}
	}
	return held{}, false
}

func (v *verifier) powerful(b *rbac.Binding, subject int, list []held) {
	f := finding.Finding{ID: Power, Severity: finding.Error, Object: ofBinding(b),
		Message: fmt.Sprintf("%s holds %s%s", describe(b.Subjects[subject]), few(names(list), 4), where(b.Namespace)),
		Cause:   causeOf(&rbac.Cause{Binding: b, Subject: subject, Rule: list[0].rule}), Mend: v.less(&rbac.Cause{Binding: b, Subject: subject, Rule: list[0].rule})}
	if _, kept := v.fixes[ofRole(list[0].rule.Role)]; !kept && !v.keeps(kindOf(f.Object), b.Namespace, b.Name) {
		f.Mend.Says += "; where it is to stay, name the holder in spec.trusted of the contract, with the reason"
	}
	if b.Namespace != "" && !slices.Contains([]string{"kube-system", v.operator, v.settings.ArgoCDNamespace}, b.Namespace) {
		f.Severity = finding.Warning
	}
	for _, h := range list {
		f.Evidence = append(f.Evidence, finding.Evidence{Object: ofRole(h.rule.Role), Field: "rules[" + itoa(h.rule.Index) + "]", Value: h.power.name + ": " + inWords(h.rule.PolicyRule)})
	}
	v.add(f)
}
