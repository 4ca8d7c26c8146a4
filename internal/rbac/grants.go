package rbac

import (
	"iter"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// Cause is why a request is allowed.
type Cause struct {
	Binding *Binding
	// Subject is the index of the subject that means who asks.
	Subject int
	Rule    Rule
}

// Grants are all that somebody is given in a place: a namespace and what holds
// everywhere, or that alone.
type Grants struct{ all []given }

// given is what a role gives, and by which bindings. Whoever is of many teams is given the
// same by many.
type given struct {
	same  string
	rules []Rule
	by    []holding
}

// For collects what an identity is given in a namespace; empty is the whole cluster.
func (w *World) For(who Identity, namespace string) Grants {
	g := w.at(who, who.Holders(), "")
	if namespace != "" {
		g = g.And(w.at(who, who.Holders(), namespace))
	}
	return g
}

// OwnIn is what bindings of this very place give an identity, and not everybody.
func (w *World) OwnIn(who Identity, place string) Grants { return w.at(who, who.Own(), place) }

// EverybodysIn is what bindings of this very place give an identity as they do everybody.
func (w *World) EverybodysIn(who Identity, place string) Grants {
	return w.at(who, who.everybodys(), place)
}

func (w *World) at(who Identity, holders []string, place string) (g Grants) {
	for _, one := range w.meant(who, holders, place) {
		g.add(given{w.Same(one.binding), w.RulesOf(one.binding), []holding{one}})
	}
	return g
}

func (g *Grants) add(one given) {
	i := slices.IndexFunc(g.all, func(o given) bool { return o.same == one.same })
	if i < 0 {
		g.all = append(g.all, one)
		return
	}
	g.all[i].by = append(g.all[i].by, one.by...)
}

// And are both.
func (g Grants) And(o Grants) Grants {
	both := Grants{make([]given, len(g.all), len(g.all)+len(o.all))}
	for i, one := range g.all {
		both.all[i] = given{one.same, one.rules, slices.Clip(one.by)}
	}
	for _, one := range o.all {
		both.add(one)
	}
	return both
}

// By are the grants of which at least one binding is such.
func (g Grants) By(such func(*Binding) bool) (some Grants) {
	for _, one := range g.all {
		if slices.ContainsFunc(one.by, func(h holding) bool { return such(h.binding) }) {
			some.all = append(some.all, one)
		}
	}
	return some
}

// Same is one word for all grants that give the same rules in the same order, by whichever
// bindings.
func (g Grants) Same() string {
	var b strings.Builder
	for _, one := range g.all {
		b.WriteString(one.same)
	}
	return b.String()
}

// Spot is where in grants a rule is. It is the same in all that have the same Same.
type Spot struct{ given, rule int }

// Spots are all from which a request is allowed.
func (g Grants) Spots(r Request) iter.Seq[Spot] {
	return func(yield func(Spot) bool) {
		for i := range g.all {
			for j := range g.all[i].rules {
				if Allows(g.all[i].rules[j].PolicyRule, r) && !yield(Spot{i, j}) {
					return
				}
			}
		}
	}
}

// At are the causes at a spot, at most so many: whoever is bound by more is told of these.
func (g Grants) At(s Spot, most int) (causes []*Cause) {
	one := &g.all[s.given]
	for _, h := range one.by[:min(most, len(one.by))] {
		causes = append(causes, &Cause{h.binding, h.subject, one.rules[s.rule]})
	}
	return causes
}

// Allow finds the first cause for which a request is allowed; nil where it is not.
func (g Grants) Allow(r Request) *Cause {
	for s := range g.Spots(r) {
		return g.At(s, 1)[0]
	}
	return nil
}

// Rules are those of all grants.
func (g Grants) Rules() iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		for i := range g.all {
			for _, r := range g.all[i].rules {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// PolicyRules are those of all grants, as Kubernetes has them.
func (g Grants) PolicyRules() iter.Seq[rbacv1.PolicyRule] {
	return func(yield func(rbacv1.PolicyRule) bool) {
		for r := range g.Rules() {
			if !yield(r.PolicyRule) {
				return
			}
		}
	}
}
