package who

import (
	"demarc.dev/demarc/api/v1alpha1"
)

// written finds whom a team has on call where its Tenant is not there to say it: Demarc
// writes it on the team's namespace and its Applications too, whose marks policy keeps.
func (d *decision) written(b *Behind) {
	space := Ref{namespaces, "", v1alpha1.NamespaceOf(d.team.name)}
	o, on := d.get(space), "namespace "+space.Name
	if o == nil && d.live != nil && d.live.GroupVersionKind().GroupKind() == applications {
		o, on = d.live, "the Application"
	}
	if o == nil || o.GetLabels()[v1alpha1.LabelOwner] == "" || o.GetLabels()[v1alpha1.LabelTeam] != d.team.name {
		return
	}
	c := v1alpha1.Contacts{OnCall: o.GetAnnotations()[v1alpha1.AnnotationOnCall], Channel: o.GetAnnotations()[v1alpha1.AnnotationChannel]}
	if c.OnCall != "" || c.Channel != "" {
		b.reach(c)
		b.Missing += "; whom it has on call stands on " + on
	}
}
