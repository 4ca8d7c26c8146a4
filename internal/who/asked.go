package who

import (
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// asked finds what a question about an object, a kind or a field is about.
func (d *decision) asked() {
	d.read()
	o := *d.object
	d.answer.About, d.answer.Object, d.answer.Field = o.String(), &o, d.Field.String()
	if d.answer.Field != "" {
		d.answer.About = d.answer.Field + " of " + d.answer.About
	}
	d.covered()
}

// read looks the object and its team up.
func (d *decision) read() {
	o := d.object
	if o.Name != "" {
		ref := Ref{o.GroupKind(), o.Namespace, o.Name}
		d.live = d.get(ref)
		if exists := d.live != nil; exists || d.gone(ref) {
			d.answer.Exists = &exists
		}
	}
	d.team = d.teamOf(*o, d.live)
}

// covered finds the domain of the object, and the domains of its parts.
func (d *decision) covered() {
	o := contract.Object{GroupKind: d.object.GroupKind(), Name: d.object.Name, Field: d.Field.Contract()}
	if d.live != nil {
		o.Labels = d.live.GetLabels()
	}
	if d.domain = d.contract.Of(o); d.domain == nil {
		d.domain = d.contract.Unlisted()
		d.answer.Domain.Unlisted = true
	}
	d.answer.Also = d.parts(o)
	if d.object.Unserved {
		d.note("The cluster does not serve %s: the contract names it, and this is its answer.", d.object.GroupKind())
	}
	if d.live != nil && d.answer.Field != "" && !d.Field.there(d.live.Object) {
		d.note("%s has no field %s now.", d.object, d.answer.Field)
	}
}

// parts are the narrower domains that cover something of the kind and are not the answer.
func (d *decision) parts(o contract.Object) (also []Also) {
	for i := range d.contract.Spec.Domains {
		domain := &d.contract.Spec.Domains[i]
		if domain.Name == d.domain.Name {
			continue
		}
		for _, r := range domain.Resources {
			if r.Group != o.Group || !slices.Contains(r.Kinds, o.Kind) || !d.concerns(r, o) {
				continue
			}
			also = append(also, Also{Domain: domain.Name, Title: domain.Title, Modifies: domain.Modifies, Name: r.Name, Label: r.Label, Fields: r.Fields})
		}
	}
	return also
}

// concerns says whether a narrower entry may hold for a part of what is asked about, or
// for it itself where it could not be read.
func (d *decision) concerns(r v1alpha1.ContractResource, o contract.Object) bool {
	switch {
	case r.Name == "" && r.Label == "" && len(r.Fields) == 0:
		return false
	case r.Name != "" && o.Name != "" && r.Name != o.Name:
		return false
	case r.Label != "" && d.live != nil && !contract.Carries(o.Labels, r.Label):
		return false
	case o.Field != "":
		return slices.ContainsFunc(r.Fields, func(f string) bool { return below(f, o.Field) })
	default:
		return len(r.Fields) > 0 || o.Name == "" || d.live == nil
	}
}

func below(field, above string) bool {
	return len(field) > len(above) && field[:len(above)] == above && field[len(above)] == '.'
}
