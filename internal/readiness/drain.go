package readiness

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/api/v1alpha1"
)

// TenantDrain is what was read, live, of a Tenant that is being deleted.
type TenantDrain struct {
	Team string
	// Claims that carry Demarc's finalizer; one never delivered holds nothing.
	Claims []string
	// Orphans are Applications of the team's claims whose claim is gone.
	Orphans []string
	// Applications in the team's project, whoever made them.
	Applications []string
	// Project, Namespace: there, and ours.
	Project, Namespace *Remains
	// Access: RoleBindings of ours in the namespace.
	Access int
	// ClusterAccess: ClusterRoleBindings of ours.
	ClusterAccess int
}

// Remains is an object that is still there.
type Remains struct {
	// Going says that it is being deleted already.
	Going bool
	// Finalizers that hold it.
	Finalizers []string
	// Conditions of a namespace.
	Conditions []corev1.NamespaceCondition
}

// DrainStep is the next thing to do in the order of invariant O3.
type DrainStep string

// The steps, in their order. A step is left only when what it removes is seen to
// be gone:
//
//	claims → Applications → AppProject → namespace (access last in it) → cluster bindings → Tenant
const (
	AwaitClaims         DrainStep = "AwaitClaims"
	DeleteOrphans       DrainStep = "DeleteOrphans"
	AwaitApplications   DrainStep = "AwaitApplications"
	DeleteProject       DrainStep = "DeleteProject"
	AwaitProject        DrainStep = "AwaitProject"
	DeleteNamespace     DrainStep = "DeleteNamespace"
	AwaitNamespace      DrainStep = "AwaitNamespace"
	ReleaseAccess       DrainStep = "ReleaseAccess"
	DeleteClusterAccess DrainStep = "DeleteClusterAccess"
	ReleaseTenant       DrainStep = "ReleaseTenant"
)

// Next says what to do and, where it is to wait, for what.
func (d TenantDrain) Next() (DrainStep, Trouble) {
	ns := v1alpha1.NamespaceOf(d.Team)
	switch {
	case len(d.Claims) > 0:
		return AwaitClaims, Trouble{"ClaimsRemain", "waiting for the team's claims to be deleted: " + names(d.Claims)}
	case len(d.Orphans) > 0:
		return DeleteOrphans, Trouble{"OrphansDeleting", "removing Applications whose claims are gone: " + names(d.Orphans)}
	case len(d.Applications) > 0:
		return AwaitApplications, Trouble{"ApplicationsRemain", "waiting for Applications in the team's project: " + names(d.Applications)}
	case d.Project != nil && !d.Project.Going:
		return DeleteProject, Trouble{"ProjectDeleting", "AppProject " + ns + " is being deleted"}
	case d.Project != nil:
		return AwaitProject, Trouble{"ProjectDeleting", "AppProject " + ns + " is being deleted; it is held by " + names(d.Project.Finalizers)}
	case d.Namespace != nil && !d.Namespace.Going:
		return DeleteNamespace, Trouble{"NamespaceDeleting", "namespace " + ns + " is being deleted"}
	case d.Namespace != nil && d.Access > 0 && onlyAccessLeft(d.Namespace.Conditions):
		return ReleaseAccess, Trouble{"NamespaceDeleting", "namespace " + ns + " is empty and is being deleted"}
	case d.Namespace != nil:
		return AwaitNamespace, Trouble{"NamespaceDeleting", "namespace " + ns + " is being deleted" + blocks(d.Namespace.Conditions)}
	case d.ClusterAccess > 0:
		return DeleteClusterAccess, Trouble{"CleaningUp", "the team's cluster-wide bindings are being deleted"}
	default:
		return ReleaseTenant, Trouble{}
	}
}

// onlyAccessLeft reads what the namespace controller counted last: nothing but
// RoleBindings, held by nothing but our finalizer, and no failure to count.
func onlyAccessLeft(conditions []corev1.NamespaceCondition) bool {
	resources, finalizers := false, false
	for _, c := range conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch c.Type {
		case corev1.NamespaceContentRemaining:
			resources = only(c.Message, "Some resources are remaining: ", "rolebindings.rbac.authorization.k8s.io has ")
		case corev1.NamespaceFinalizersRemaining:
			finalizers = only(c.Message, "Some content in the namespace has finalizers remaining: ", v1alpha1.FinalizerAccess+" in ")
		default:
			return false
		}
	}
	return resources && finalizers
}

// only reports whether the list after the prefix has one entry, of this beginning.
func only(message, prefix, entry string) bool {
	list, ok := strings.CutPrefix(message, prefix)
	return ok && strings.HasPrefix(list, entry) && !strings.Contains(list, ",")
}

// blocks takes over what the namespace controller says remains.
func blocks(conditions []corev1.NamespaceCondition) string {
	var said []string
	for _, c := range conditions {
		if c.Status == corev1.ConditionTrue {
			said = append(said, c.Message)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return ": " + strings.Join(said, "; ")
}

// names lists names, and how many more there are.
func names(list []string) string {
	const shown = 10
	if len(list) == 0 {
		return "nobody"
	}
	if len(list) <= shown {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:shown], ", "), len(list)-shown)
}

// ClaimDrain is what was read, live, of a claim that is being deleted.
type ClaimDrain struct {
	// ArgoCD says that its kinds are served.
	ArgoCD bool
	// Application of ours that is still there.
	Application *Remains
	// Name of the Application with its namespace, and what Argo CD says of it.
	Name, Says string
	// Known says that there is an inventory and that all of it can be looked at; Left
	// are those of its objects that are still there.
	Known bool
	Left  []string
}

// ClaimStep is the next thing to do.
type ClaimStep string

// The steps of a claim's drain, in their order.
const (
	DeleteApplication ClaimStep = "DeleteApplication"
	AwaitApplication  ClaimStep = "AwaitApplication"
	FreeApplication   ClaimStep = "FreeApplication"
	AwaitObjects      ClaimStep = "AwaitObjects"
	ReleaseClaim      ClaimStep = "ReleaseClaim"
)

// Next says what to do and, where it is to wait, for what. It never asks for the
// Tenant (invariant O4).
func (d ClaimDrain) Next() (ClaimStep, Trouble) {
	switch {
	case d.Application != nil && !d.Application.Going:
		return DeleteApplication, Trouble{"ApplicationDeleting", "Argo CD removes what " + d.Name + " delivered"}
	case d.Application != nil && d.Known && len(d.Left) == 0:
		// Gone by any hand; Argo CD may not be running.
		return FreeApplication, Trouble{"ApplicationDeleting", "what " + d.Name + " delivered is gone"}
	case d.Application != nil && len(d.Left) > 0:
		return AwaitApplication, Trouble{"ApplicationDeleting", "Argo CD removes what " + d.Name + " delivered; still live: " + names(d.Left) + d.Says}
	case d.Application != nil:
		return AwaitApplication, Trouble{"ApplicationDeleting", "Argo CD removes what " + d.Name + " delivered" + d.Says}
	case len(d.Left) > 0 && !d.ArgoCD:
		return AwaitObjects, Trouble{"ArgoCDAbsent", "Argo CD, which would remove what was delivered, is not there; still live: " + names(d.Left)}
	case len(d.Left) > 0:
		return AwaitObjects, Trouble{"ObjectsRemain", "the Application is gone and what it delivered is not: " + names(d.Left)}
	default:
		return ReleaseClaim, Trouble{}
	}
}
