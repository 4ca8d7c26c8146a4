package who

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/routes"
)

// alert says what an alert is about, and where its routes send it.
func (d *decision) alert() {
	d.alertDomain()
	d.receivers()
}

// receivers are those of the routes that are made of the contract. They go by two labels
// alone, so that an alert without them may reach others than those who are paged.
func (d *decision) receivers() {
	var parties contract.Parties
	if name := d.Alert[LabelAlertTeam]; name != "" {
		ref := Ref{tenants, "", name}
		o := d.get(ref)
		if _, missed := d.set.Missed(ref.Kind, ref.Namespace, ref.Name); o == nil && missed || d.From != FromCluster && o == nil {
			return // whether there is such a team is not known
		}
		if o != nil {
			parties.Tenants = append(parties.Tenants, v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
	}
	d.answer.Receivers = routes.New(d.contract, parties).Receivers(d.Alert)
	if d.Alert[LabelAlertDomain] == "" || d.domain.Paged == v1alpha1.PartyTeam && d.Alert[LabelAlertTeam] == "" {
		d.note("Alerts are routed by the labels %s and %s: as it is, this one goes to the receiver %s.", LabelAlertDomain, LabelAlertTeam, joined(d.answer.Receivers))
	}
}

// alertDomain finds what an alert is about: the domain that it names, or that of its object.
func (d *decision) alertDomain() {
	object, general := alertObject(d.Alert)
	d.object = object
	d.answer.Labels, d.answer.About = d.Alert, "the alert "+cmp.Or(d.Alert["alertname"], "with these labels")
	if object != nil {
		d.read()
		d.answer.Object = object
	}
	if name := d.Alert[LabelAlertTeam]; name != "" {
		d.named(name, "the alert's label "+LabelAlertTeam)
	}
	if name := d.Alert[LabelAlertDomain]; name != "" {
		if d.domain = d.contract.Domain(name); d.domain != nil {
			d.apart(general)
			return
		}
		d.note("The contract has no domain %s, which the label %s names.", name, LabelAlertDomain)
	}
	if object == nil {
		d.domain, d.answer.Domain.Unlisted = d.contract.Unlisted(), true
		return
	}
	d.covered()
	if d.answer.Also = nil; general {
		d.note("The labels name no object: this is about what runs in namespace %s. The label %s says it exactly.", object.Namespace, LabelAlertDomain)
	}
}

// apart lets go of an object that the domain of the alert's label is not about: who may do
// what with it, how it is changed and by whom says nothing of the domain.
func (d *decision) apart(general bool) {
	if d.object == nil || !general && d.isAbout(d.object.GroupKind()) {
		return
	}
	d.other, d.live = true, nil
	if general { // nothing but what runs in the namespace
		d.answer.Object = nil
	}
}

func (d *decision) isAbout(kind schema.GroupKind) bool {
	return slices.ContainsFunc(d.domain.Resources, func(r v1alpha1.ContractResource) bool {
		return r.Group == kind.Group && slices.Contains(r.Kinds, kind.Kind)
	})
}
