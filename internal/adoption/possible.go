package adoption

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/owner"
)

// ImpossibleError says why a namespace cannot be adopted, and what to do.
type ImpossibleError struct{ Why, Next string }

func (e *ImpossibleError) Error() string { return e.Why }

// Team is whose a namespace of this name can become.
func Team(namespace string) (string, error) {
	team, is := strings.CutPrefix(namespace, v1alpha1.NamespacePrefix)
	switch {
	case reserved(namespace):
		return "", &ImpossibleError{"namespace " + namespace + " is Kubernetes' own and is never a team's", "give the team a namespace of its own: a Tenant makes one"}
	case !is || team == "":
		return "", &ImpossibleError{fmt.Sprintf("a team's namespace is called %sNAME, and %s is not", v1alpha1.NamespacePrefix, namespace),
			"a namespace cannot be renamed: make a Tenant, and bring the workloads into its namespace"}
	case slices.Contains(v1alpha1.ReservedTeams, team):
		return "", &ImpossibleError{fmt.Sprintf("no Tenant may be called %q: the name is reserved", team), "bring the workloads into the namespace of a Tenant of another name"}
	case len(validation.IsDNS1123Label(namespace)) > 0:
		return "", &ImpossibleError{fmt.Sprintf("%q is no name of a namespace", namespace), ""}
	default:
		return team, nil
	}
}

func reserved(namespace string) bool {
	return namespace == "default" || strings.HasPrefix(namespace, "kube-")
}

// possible says why the namespace that was read cannot be adopted by this team.
func (p *preview) possible() error {
	name, team := p.report.Namespace, p.report.Team
	tenant, is := p.keeper()
	switch {
	case p.ns.GetDeletionTimestamp() != nil:
		return &ImpossibleError{"namespace " + name + " is being deleted", "see what holds it: demarc explain delete namespace/" + name}
	case tenant != "" && is == gone:
		return &ImpossibleError{"namespace " + name + " is marked as that of Tenant " + tenant + ", which is gone", p.foundAgain(tenant)}
	case tenant != "" && is == unknown:
		return &ImpossibleError{"namespace " + name + " is marked as that of Tenant " + tenant + ", and whether that is there could not be read",
			"ask who may read tenants: kubectl get tenant " + tenant}
	case p.ns.GetAnnotations()[v1alpha1.AnnotationAdopted] != "" && tenant == team:
		return &ImpossibleError{"namespace " + name + " was adopted by Tenant " + team + " already", "see how it is: demarc get tenant " + team}
	case tenant != "":
		return &ImpossibleError{"namespace " + name + " is Demarc's already: it belongs to Tenant " + tenant, "there is nothing to adopt"}
	case p.ns.GetLabels()[v1alpha1.LabelOwner] != "":
		return &ImpossibleError{"namespace " + name + " is marked as Demarc's: its label " + v1alpha1.LabelOwner + " says " + p.ns.GetLabels()[v1alpha1.LabelOwner],
			"see what becomes of it: demarc explain delete namespace/" + name}
	default:
		return nil
	}
}

// foundAgain says what to do with a namespace whose Tenant is gone. One that was adopted
// is not to be deleted for that.
func (p *preview) foundAgain(tenant string) string {
	byForce := "demarc explain delete namespace/" + p.report.Namespace + " says how who holds the verb force on tenants deletes it"
	again := "make Tenant " + tenant + " again with kubectl apply: it finds its namespace by itself"
	switch {
	case tenant != p.report.Team: // another's namespace would have another name
		return byForce
	case p.ns.GetAnnotations()[v1alpha1.AnnotationAdopted] != "":
		return again + ", and the namespace stays when that Tenant is deleted"
	default:
		return again + "; or " + byForce
	}
}

// presence of a Tenant, as far as it is known.
type presence int

const (
	unknown presence = iota
	there
	gone
)

// keeper is the Tenant that the namespace names as its own, and whether that is there.
func (p *preview) keeper() (tenant string, is presence) {
	tenant = p.ns.GetLabels()[v1alpha1.LabelTenant]
	if by := (owner.Ref{Kind: kindTenant.Kind, Name: p.report.Team}); tenant == "" && p.ns.GetLabels()[v1alpha1.LabelOwner] == by.Label() {
		tenant = p.report.Team
	}
	_, missed := p.set.Missed(kindTenant, "", tenant)
	switch {
	case tenant == p.report.Team && p.question.Exists, p.set.Get(kindTenant, "", tenant) != nil:
		return tenant, there
	case tenant != p.report.Team && missed:
		return tenant, unknown
	default:
		return tenant, gone
	}
}
