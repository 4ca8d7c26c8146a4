package who

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/snapshot"
)

// team is the team that something is of.
type team struct {
	name string
	// none is that it is known to be of no team: its namespace is no team's.
	none bool
}

// teamOf finds the team of an object: that of its namespace, which policy keeps; or that
// of a Tenant, a claim, or an object without a team's namespace by its label.
func (d *decision) teamOf(o Object, live snapshot.Object) team {
	labelled := ""
	if live != nil {
		labelled = live.GetLabels()[v1alpha1.LabelTeam]
	}
	switch {
	case o.GroupKind() == tenants:
		return team{name: o.Name}
	case o.GroupKind() == claims && live != nil:
		name, _, _ := unstructured.NestedString(live.Object, "spec", "team")
		return team{name: name}
	case o.GroupKind() == namespaces && live != nil:
		return team{name: live.GetLabels()[v1alpha1.LabelTenant]}
	case o.GroupKind() == namespaces && o.Name != "":
		return team{name: d.byName(o.Name)}
	case o.Namespace == "":
		return team{name: labelled}
	}
	found := d.ofNamespace(o.Namespace)
	if found.name == "" && labelled != "" {
		return team{name: labelled} // in Argo CD's namespace, say
	}
	if labelled != "" && labelled != found.name {
		d.note("%s carries the label %s=%s, and lives in the namespace of team %s: the namespace counts.", o, v1alpha1.LabelTeam, labelled, found.name)
	}
	return found
}

// ofNamespace is the team of a namespace.
func (d *decision) ofNamespace(name string) team {
	if ns := d.get(Ref{namespaces, "", name}); ns != nil {
		of := ns.GetLabels()[v1alpha1.LabelTenant]
		return team{name: of, none: of == ""}
	}
	return team{name: d.byName(name)}
}

// byName is the team of a namespace that cannot be read itself: the Tenant of its name
// says that it has it. Teams' people may read Tenants, and namespaces not.
func (d *decision) byName(namespace string) string {
	name, ok := strings.CutPrefix(namespace, v1alpha1.NamespacePrefix)
	if !ok {
		return ""
	}
	o := d.get(Ref{tenants, "", name})
	if o == nil && d.From == FromNothing {
		d.note("Namespace %s was taken for that of team %s by its name alone.", namespace, name)
		return name
	}
	if o == nil {
		return ""
	}
	if kept, _, _ := unstructured.NestedString(o.Object, "status", "namespace"); kept != namespace {
		return ""
	}
	return name
}

// named takes a team that was named beside what was read, and says where the two differ.
func (d *decision) named(name, by string) {
	if d.team.name != "" && d.team.name != name {
		d.note("It is of team %s by %s, and of team %s by its namespace: the first is taken.", name, by, d.team.name)
	}
	d.team = team{name: name}
}

// stand is who stands for an answer here: what is in a namespace that is no team's is
// the platform's.
func (d *decision) stand(answer v1alpha1.Party) v1alpha1.Party {
	if answer == v1alpha1.PartyTeam && d.team.none {
		return v1alpha1.PartyPlatform
	}
	return answer
}
