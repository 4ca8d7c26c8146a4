package who

import (
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// plain are the verbs that are asked of every kind, and the duty that each belongs to.
var plain = []struct{ verb, duty string }{
	{"get", ""}, {"list", ""}, {"watch", ""}, {"create", "creates"}, {"update", "modifies"}, {"patch", "modifies"}, {"delete", "deletes"},
}

// operationWords are what the operations of a contract are called; what is read only by
// programs is left out.
var operationWords = []struct{ name, words string }{
	{"logs", "read its logs"}, {"exec", "open a shell in it"}, {"portForward", "forward ports to it"}, {"restart", "restart it"},
	{"scale", "scale it"}, {"scaleClaim", "change its replicas"}, {"evict", "evict it"}, {"contact", "change the team's contacts"},
}

// asks lists the rights that the answer would tell of who asks.
func (d *decision) asks() (list []Access) {
	o := d.object
	if o == nil || o.Resource == "" || o.Unserved || d.other || d.From != FromCluster {
		return nil
	}
	for _, p := range plain {
		list = append(list, d.access(p.verb))
	}
	for _, name := range d.operations() {
		for _, a := range d.operation(name) {
			if !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	return list
}

func (d *decision) access(verb string) Access {
	a := Access{Verb: verb, Group: d.object.Group, Resource: d.object.Resource, Namespace: d.object.Namespace}
	if !slices.Contains([]string{"list", "watch", "create"}, verb) {
		a.Name = d.object.Name
	}
	return a
}

// operations are those that the contract has for the kind.
func (d *decision) operations() (names []string) {
	for _, row := range d.contract.Rows() {
		if row.GroupKind() == d.object.GroupKind() {
			for name := range row.Operations {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// operation is what one takes. Those on kinds without a namespace are given in the
// namespace of the team.
func (d *decision) operation(name string) (list []Access) {
	subresource, verbs, _ := contract.Takes(name)
	for _, verb := range verbs {
		a := d.access(verb)
		if a.Subresource = subresource; subresource != "" {
			a.Name = d.object.Name // it is that object's, whatever the verb
		}
		if d.object.Cluster {
			if d.team.name == "" {
				return nil
			}
			a.Namespace = v1alpha1.NamespaceOf(d.team.name)
		}
		list = append(list, a)
	}
	return list
}

// you says what who asks may do, in words.
func (d *decision) you() {
	if d.Self == nil && len(d.Permits) == 0 {
		return
	}
	you := &You{Asked: d.Permits}
	if d.Self != nil {
		you.Self = *d.Self
		you.Of = d.partiesOf(*d.Self)
	}
	d.answer.You = you
	if d.object == nil || d.other || len(d.Permits) == 0 {
		return
	}
	you.Where = d.object.Namespace
	d.mayPlain(you)
	for _, o := range operationWords {
		if slices.Contains(d.operations(), o.name) {
			d.verdict(you, d.mayOperate(o.name), o.words, o.name)
		}
	}
}

// mayPlain puts the plain verbs into words. Admission policy asks for the verb deploy
// beside them where the contract has it.
func (d *decision) mayPlain(you *You) {
	deploys := !slices.Contains(d.operations(), "deploy") || d.mayOperate("deploy")
	d.verdict(you, d.may(d.access("get")) || d.may(d.access("list")), "read it", "read")
	d.verdict(you, deploys && d.may(d.access("create")), "create one", "creates")
	d.verdict(you, deploys && d.mayChange(), "change it", "modifies")
	d.verdict(you, deploys && d.may(d.access("delete")), "delete it", "deletes")
}

// mayChange is that all of it may be changed: a patch alone may be there for an
// operation, to which policy then holds it.
func (d *decision) mayChange() bool {
	narrow := slices.ContainsFunc(d.operations(), func(name string) bool {
		subresource, verbs, _ := contract.Takes(name)
		return subresource == "" && slices.Contains(verbs, "patch") || name == "contact"
	})
	return d.may(d.access("update")) || d.may(d.access("patch")) && !narrow
}

func (d *decision) mayOperate(name string) bool {
	takes := d.operation(name)
	return len(takes) > 0 && !slices.ContainsFunc(takes, func(a Access) bool { return !d.may(a) })
}

func (d *decision) may(a Access) bool {
	return slices.ContainsFunc(d.Permits, func(p Permit) bool { return p.Access == a && p.Allowed })
}
