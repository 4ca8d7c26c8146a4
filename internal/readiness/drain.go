package readiness

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finalizer"
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
	// Adopted says that the namespace was there before the Tenant, and stays; Kept are
	// the objects in it that are ours, RoleBindings apart.
	Adopted bool
	Kept    []string
	// Access: RoleBindings of ours in the namespace.
	Access int
	// ClusterAccess: ClusterRoleBindings of ours.
	ClusterAccess int
	// Force is the reason for which Demarc is to let go of what blocks.
	Force string
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

// RemainsOf is what there is to say of a live object.
func RemainsOf(o metav1.Object) *Remains {
	return &Remains{Going: o.GetDeletionTimestamp() != nil, Finalizers: o.GetFinalizers()}
}

// longestReason is in bytes: a condition carries 32 KB at most, and a reason is read.
const longestReason = 1024

// ReasonOn is the reason that an annotation gives, cut where it is too long to be said
// in a condition; blanks alone are none.
func ReasonOn(o metav1.Object, annotation string) string {
	reason := strings.TrimSpace(o.GetAnnotations()[annotation])
	if len(reason) <= longestReason {
		return reason
	}
	return strings.ToValidUTF8(reason[:longestReason], "") + "…"
}

// DrainStep is the next thing to do in the order of invariant O3.
type DrainStep string

// The steps, in their order. A step is left only when what it removes is seen to
// be gone:
//
//	claims → Applications → AppProject → namespace (access last in it) → cluster bindings → Tenant
//
// A namespace that was adopted stays: what is ours in it goes, access last, and then
// our marks on it. Force skips what blocks and goes to the end.
const (
	AwaitClaims         DrainStep = "AwaitClaims"
	DeleteOrphans       DrainStep = "DeleteOrphans"
	AwaitApplications   DrainStep = "AwaitApplications"
	DeleteProject       DrainStep = "DeleteProject"
	AwaitProject        DrainStep = "AwaitProject"
	DeleteNamespace     DrainStep = "DeleteNamespace"
	AwaitNamespace      DrainStep = "AwaitNamespace"
	ReleaseAccess       DrainStep = "ReleaseAccess"
	DeleteKept          DrainStep = "DeleteKept"
	DeleteAccess        DrainStep = "DeleteAccess"
	ReleaseNamespace    DrainStep = "ReleaseNamespace"
	DeleteClusterAccess DrainStep = "DeleteClusterAccess"
	ReleaseTenant       DrainStep = "ReleaseTenant"
)

// Next says what to do and, where it is to wait, for what.
func (d TenantDrain) Next() (DrainStep, Trouble) {
	ns := v1alpha1.NamespaceOf(d.Team)
	switch {
	case d.Force != "":
		return d.forced()
	case len(d.Claims) > 0:
		return AwaitClaims, Trouble{"ClaimsRemain", "waiting for the team's claims to be deleted: " + names(d.Claims)}
	case len(d.Orphans) > 0:
		return DeleteOrphans, Trouble{"OrphansDeleting", "removing Applications whose claims are gone: " + names(d.Orphans)}
	case len(d.Applications) > 0:
		return AwaitApplications, Trouble{"ApplicationsRemain", "waiting for Applications in the team's project: " + names(d.Applications)}
	case d.Project != nil && !d.Project.Going:
		return DeleteProject, Trouble{"ProjectDeleting", "AppProject " + ns + " is being deleted"}
	case d.Project != nil:
		return AwaitProject, Trouble{"ProjectDeleting", "AppProject " + ns + " is being deleted" + finalizer.Held(d.Project.Finalizers)}
	case d.Namespace != nil && d.Namespace.Going:
		return d.goingNamespace(ns)
	case d.Namespace != nil && d.Adopted:
		return d.adoptedNamespace(ns)
	case d.Namespace != nil:
		return DeleteNamespace, Trouble{"NamespaceDeleting", "namespace " + ns + " is being deleted"}
	case d.ClusterAccess > 0:
		return DeleteClusterAccess, Trouble{"CleaningUp", "the team's cluster-wide bindings are being deleted"}
	default:
		return ReleaseTenant, Trouble{}
	}
}

// goingNamespace lets the access go when nothing else is left.
func (d TenantDrain) goingNamespace(ns string) (DrainStep, Trouble) {
	if d.Access > 0 && OnlyAccessLeft(d.Namespace.Conditions) {
		return ReleaseAccess, Trouble{"NamespaceDeleting", "namespace " + ns + " is empty and is being deleted"}
	}
	return AwaitNamespace, Trouble{"NamespaceDeleting", "namespace " + ns + " is being deleted" + blocks(d.Namespace.Conditions)}
}

// adoptedNamespace takes out what is ours and leaves the rest.
func (d TenantDrain) adoptedNamespace(ns string) (DrainStep, Trouble) {
	const stays = "NamespaceReleasing"
	switch {
	case len(d.Kept) > 0:
		return DeleteKept, Trouble{stays, "namespace " + ns + " was adopted and stays; what Demarc put into it goes: " + names(d.Kept)}
	case d.Access > 0:
		return DeleteAccess, Trouble{stays, "namespace " + ns + " was adopted and stays; the team's access goes"}
	default:
		return ReleaseNamespace, Trouble{stays, "namespace " + ns + " was adopted and stays; Demarc's marks on it go"}
	}
}

// forced ends without what blocks. What hangs on the operator alone is let go, or
// nobody else could remove it.
func (d TenantDrain) forced() (DrainStep, Trouble) {
	forced := Trouble{"Forced", "letting go, as demarc.dev/force asks (" + d.Force + ")"}
	switch {
	case d.Namespace != nil && d.Namespace.Going && d.Access > 0:
		return ReleaseAccess, forced
	case d.ClusterAccess > 0:
		return DeleteClusterAccess, forced
	default:
		return ReleaseTenant, forced
	}
}

// LeftBehind names what is nobody's once the Tenant is let go.
func (d TenantDrain) LeftBehind() []string {
	var left []string
	for _, c := range d.Claims {
		left = append(left, "serviceclaim/"+c)
	}
	for _, a := range append(slices.Clone(d.Orphans), d.Applications...) {
		left = append(left, "application/"+a)
	}
	ns := v1alpha1.NamespaceOf(d.Team)
	if d.Project != nil {
		left = append(left, "appproject/"+ns)
	}
	if d.Namespace != nil {
		left = append(left, "namespace/"+ns)
	}
	return left
}

// OnlyAccessLeft reads what the namespace controller counted last: nothing but
// RoleBindings, held by nothing but our finalizer, and no failure to count.
func OnlyAccessLeft(conditions []corev1.NamespaceCondition) bool {
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
	return ": " + strings.Join(said, "; ") + holders(said)
}

// counted is how the namespace controller names a finalizer that it counted.
var counted = regexp.MustCompile(`([^ ,]+) in \d+ resource instances`)

// holders says who acts on the finalizers that the namespace controller counted.
func holders(said []string) string {
	var b strings.Builder
	for _, text := range said {
		for _, m := range counted.FindAllStringSubmatch(text, -1) {
			if m[1] == v1alpha1.FinalizerAccess {
				continue // ours, and it goes last of all
			}
			h := finalizer.Of(m[1])
			b.WriteString("; " + m[1] + " is for " + h.Controller + " to take off")
		}
	}
	return b.String()
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
