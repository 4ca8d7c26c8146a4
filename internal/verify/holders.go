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

// held is one power that a subject of a binding has.
type held struct {
	power power
	rule  rbac.Rule
	asked rbac.Request
}

// powers finds who holds any, by which binding.
func (v *verifier) powers() {
	kubernetes, known := map[string][]finding.Evidence{}, carriers{}
	for _, b := range v.live.Bindings {
		if v.teamOf(b.Namespace) != nil {
			continue // what is given in a team's namespace is compared cell by cell
		}
		for i, s := range b.Subjects {
			if given := givenTo(b, s, v.want); len(given) > 0 {
				kubernetes[byContract] = append(kubernetes[byContract], finding.Evidence{Object: ofBinding(b), Field: "subjects[" + itoa(i) + "]", Value: describe(s) + ": " + strings.Join(given, ", ")})
			}
			list := v.heldBy(b, s, known)
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
func (v *verifier) heldBy(b *rbac.Binding, s rbacv1.Subject, known carriers) (list []held) {
	who := rbac.Of(s, b.Namespace)
	ns, _, account := rbac.ParseAccount(who.User)
	atHome := account && b.Namespace != "" && ns == b.Namespace
	carried := known.of(v.live, b, v.floorOf(b.Namespace))
	if len(carried) == 0 {
		return nil
	}
	rules, should := v.live.RulesOf(b), v.want.For(who, b.Namespace)
	for _, c := range carried {
		if atHome && c.power.at == "" {
			continue // an account in its own namespace
		}
		if i := slices.IndexFunc(c.by, func(by carriedBy) bool { return should.Allow(by.asked) == nil }); i >= 0 {
			list = append(list, held{c.power, rules[c.by[i].rule], c.by[i].asked})
		}
	}
	return list
}

func (v *verifier) powerful(b *rbac.Binding, subject int, list []held) {
	f := finding.Finding{ID: Power, Severity: finding.Error, Object: ofBinding(b),
		Message: fmt.Sprintf("%s holds %s%s", describe(b.Subjects[subject]), few(names(list), 4), where(b.Namespace)),
		Cause:   causeOf(&rbac.Cause{Binding: b, Subject: subject, Rule: list[0].rule}), Mend: v.less(&rbac.Cause{Binding: b, Subject: subject, Rule: list[0].rule})}
	if _, kept := v.fixes[ofRole(list[0].rule.Role)]; !kept && !v.keeps(f.Object) {
		f.Mend.Says += "; where it is to stay, name the holder in spec.trusted of the contract, with the reason"
	}
	if b.Namespace != "" && !v.floor(b.Namespace) || !slices.ContainsFunc(list, func(h held) bool { return !h.power.disturbs }) {
		f.Severity = finding.Warning
	}
	for _, h := range list {
		f.Evidence = append(f.Evidence, finding.Evidence{Object: ofRole(h.rule.Role), Field: "rules[" + itoa(h.rule.Index) + "]", Value: h.power.name + ": " + inWords(h.rule.PolicyRule)})
	}
	v.add(f)
}
