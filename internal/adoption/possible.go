package adoption

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/snapshot"
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

// possible says why a namespace that was read cannot be adopted by this team.
func possible(ns snapshot.Object, team string) error {
	name := ns.GetName()
	switch {
	case ns.GetDeletionTimestamp() != nil:
		return &ImpossibleError{"namespace " + name + " is being deleted", "see what holds it: demarc explain delete namespace/" + name}
	case ns.GetAnnotations()[v1alpha1.AnnotationAdopted] != "" && ns.GetLabels()[v1alpha1.LabelTenant] == team:
		return &ImpossibleError{"namespace " + name + " was adopted by Tenant " + team + " already", "see how it is: demarc get tenant " + team}
	case ns.GetLabels()[v1alpha1.LabelTenant] != "":
		return &ImpossibleError{"namespace " + name + " is Demarc's already: it belongs to Tenant " + ns.GetLabels()[v1alpha1.LabelTenant], "there is nothing to adopt"}
	case ns.GetLabels()[v1alpha1.LabelOwner] != "":
		return &ImpossibleError{"namespace " + name + " is Demarc's already: it belongs to " + ns.GetLabels()[v1alpha1.LabelOwner], "there is nothing to adopt"}
	default:
		return nil
	}
}
