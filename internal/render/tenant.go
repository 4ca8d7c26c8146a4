package render

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	networkingv1ac "k8s.io/client-go/applyconfigurations/networking/v1"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/ownership"
)

// Names of what a Tenant keeps; the names of kinds that come once.
const (
	QuotaName     = "demarc"
	LimitsName    = "demarc"
	IsolationName = "demarc-isolation"
)

// Space is all that a Tenant becomes, in the order in which it is made.
type Space struct {
	Namespace Object
	// Isolation keeps other teams' pods out.
	Isolation Object
	// Account is whom Argo CD syncs as.
	Account Object
	// Access holds the RoleBindings in the namespace and the ClusterRoleBindings
	// for the kinds that live outside it.
	Access []Object
	// Limits and Quota are nil without a budget.
	Limits, Quota Object
	// Project is nil where the contract cannot be taken.
	Project Object
}

// TenantRef is the owner that a Tenant's objects carry.
func TenantRef(t *v1alpha1.Tenant) owner.Ref {
	return owner.Ref{Kind: "Tenant", Name: t.Name, UID: t.UID}
}

// Tenant renders a team's space. The error names the field that does not parse.
func Tenant(t *v1alpha1.Tenant, s Settings) (Space, error) { return Raised(t, t.Spec.Resources, s) }

// Raised renders a team's space while a larger budget holds than the Tenant's own. The
// quota alone follows it: what a container gets that says nothing is of the budget as it
// is written, so that nobody's pods become smaller by more room, nor when that ends.
func Raised(t *v1alpha1.Tenant, holds *v1alpha1.Budget, s Settings) (Space, error) {
	written, err := t.Spec.Resources.Amounts()
	if err != nil {
		return Space{}, err
	}
	hard, err := holds.Amounts()
	if err != nil {
		return Space{}, err
	}
	by, ns := TenantRef(t), v1alpha1.NamespaceOf(t.Name)
	space := Space{
		Namespace: namespace(t, s),
		Isolation: isolation(ns, s.Reach),
		Account: object(corev1ac.ServiceAccount(ownership.DeliverAccount, ns).
			WithAutomountServiceAccountToken(false)),
		Access: access(t, ns),
	}
	if s.Contract != nil {
		space.Project = project(t, ns, s)
	}
	if !hard.Empty() {
		space.Limits = limits(ns, written, s)
		space.Quota = quota(ns, hard)
	}
	for _, o := range space.All() {
		OnCall(own(o, by, t.Name), t.Spec.Contacts)
	}
	return space, nil
}

// Access renders of a team's space its bindings alone.
func Access(t *v1alpha1.Tenant) []Object {
	bindings := access(t, v1alpha1.NamespaceOf(t.Name))
	for _, o := range bindings {
		OnCall(own(o, TenantRef(t), t.Name), t.Spec.Contacts)
	}
	return bindings
}

// All lists what is there, in order.
func (s Space) All() []Object {
	all := []Object{s.Namespace, s.Isolation, s.Account}
	all = append(all, s.Access...)
	if s.Quota != nil {
		all = append(all, s.Limits, s.Quota)
	}
	if s.Project != nil {
		all = append(all, s.Project)
	}
	return all
}

func namespace(t *v1alpha1.Tenant, s Settings) Object {
	return object(corev1ac.Namespace(v1alpha1.NamespaceOf(t.Name)).WithLabels(map[string]string{
		v1alpha1.LabelTenant:                         t.Name,
		"pod-security.kubernetes.io/enforce":         s.PodSecurity,
		"pod-security.kubernetes.io/enforce-version": "latest",
	}))
}

// isolation lets in what comes from the namespace itself and from the namespaces
// that the Platform names, or from all that are no team's where it names none; pods
// of other teams are refused.
func isolation(ns string, reach []string) Object {
	from := metav1ac.LabelSelector().WithMatchExpressions(
		metav1ac.LabelSelectorRequirement().WithKey(v1alpha1.LabelTenant).WithOperator(metav1.LabelSelectorOpDoesNotExist))
	if len(reach) > 0 { // a team's namespace is none of them, whoever names it
		from.WithMatchExpressions(
			metav1ac.LabelSelectorRequirement().WithKey(corev1.LabelMetadataName).WithOperator(metav1.LabelSelectorOpIn).WithValues(reach...))
	}
	return object(networkingv1ac.NetworkPolicy(IsolationName, ns).WithSpec(
		networkingv1ac.NetworkPolicySpec().
			WithPodSelector(metav1ac.LabelSelector()).
			WithPolicyTypes(networkingv1.PolicyTypeIngress).
			WithIngress(networkingv1ac.NetworkPolicyIngressRule().WithFrom(
				networkingv1ac.NetworkPolicyPeer().WithPodSelector(metav1ac.LabelSelector()),
				networkingv1ac.NetworkPolicyPeer().WithNamespaceSelector(from),
			))))
}

// access makes one binding a role: a roleRef never changes, so a subject changes
// its role by moving from one binding to another.
func access(t *v1alpha1.Tenant, ns string) []Object {
	entries := t.Spec.Access
	if entries == nil {
		entries = []v1alpha1.TenantAccess{{Group: ns, Role: "edit"}}
	}
	deliver := subject(v1alpha1.TenantAccess{ServiceAccount: &v1alpha1.TenantServiceAccount{Namespace: ns, Name: ownership.DeliverAccount}})
	bindings := []Object{roleBinding("demarc-deliver", ns, ownership.RoleDeliver, deliver)}
	var everybody []*rbacv1ac.SubjectApplyConfiguration
	var operators []*rbacv1ac.SubjectApplyConfiguration
	editors := []*rbacv1ac.SubjectApplyConfiguration{deliver}
	var contacts []*rbacv1ac.SubjectApplyConfiguration
	for _, role := range []string{"view", "operate", "edit"} {
		var subjects []*rbacv1ac.SubjectApplyConfiguration
		for _, e := range entries {
			if e.Role == role {
				subjects = append(subjects, subject(e))
			}
		}
		if len(subjects) == 0 {
			continue
		}
		bindings = append(bindings, roleBinding("demarc-"+role, ns, "demarc:"+role, subjects...))
		everybody = append(everybody, subjects...)
		switch role {
		case "operate":
			operators = subjects
		case "edit":
			editors, contacts = append(editors, subjects...), subjects
		}
	}
	if len(everybody) > 0 {
		bindings = append(bindings, clusterRoleBinding(t.Name, ownership.RoleRead, everybody...),
			clusterRoleBinding(t.Name, ownership.RoleRequests, everybody...))
	}
	if len(operators) > 0 {
		bindings = append(bindings, clusterRoleBinding(t.Name, ownership.RoleScale, operators...))
	}
	if len(contacts) > 0 {
		bindings = append(bindings, clusterRoleBinding(t.Name, ownership.RoleContacts, contacts...))
	}
	return append(bindings, clusterRoleBinding(t.Name, ownership.RoleClaims, editors...))
}

func subject(e v1alpha1.TenantAccess) *rbacv1ac.SubjectApplyConfiguration {
	s := rbacv1ac.Subject()
	switch {
	case e.Group != "":
		return s.WithKind(rbacv1.GroupKind).WithAPIGroup(rbacv1.GroupName).WithName(e.Group)
	case e.User != "":
		return s.WithKind(rbacv1.UserKind).WithAPIGroup(rbacv1.GroupName).WithName(e.User)
	default:
		return s.WithKind(rbacv1.ServiceAccountKind).WithNamespace(e.ServiceAccount.Namespace).WithName(e.ServiceAccount.Name)
	}
}

func roleBinding(name, ns, role string, subjects ...*rbacv1ac.SubjectApplyConfiguration) Object {
	return object(rbacv1ac.RoleBinding(name, ns).
		WithFinalizers(v1alpha1.FinalizerAccess).
		WithRoleRef(rbacv1ac.RoleRef().WithAPIGroup(rbacv1.GroupName).WithKind("ClusterRole").WithName(role)).
		WithSubjects(subjects...))
}

// clusterRoleBinding is named after role and team: demarc:claims:payments.
func clusterRoleBinding(team, role string, subjects ...*rbacv1ac.SubjectApplyConfiguration) Object {
	return object(rbacv1ac.ClusterRoleBinding(role + ":" + team).
		WithRoleRef(rbacv1ac.RoleRef().WithAPIGroup(rbacv1.GroupName).WithKind("ClusterRole").WithName(role)).
		WithSubjects(subjects...))
}

func quota(ns string, a v1alpha1.Amounts) Object {
	return object(corev1ac.ResourceQuota(QuotaName, ns).
		WithSpec(corev1ac.ResourceQuotaSpec().WithHard(hard(a))))
}

func hard(a v1alpha1.Amounts) corev1.ResourceList {
	list := corev1.ResourceList{}
	if a.CPU != nil {
		list[corev1.ResourceRequestsCPU] = rounded(*a.CPU, resource.Milli)
	}
	if a.Memory != nil {
		list[corev1.ResourceRequestsMemory] = rounded(*a.Memory, 0)
		list[corev1.ResourceLimitsMemory] = rounded(*a.Memory, 0)
	}
	if a.Pods != nil {
		list[corev1.ResourcePods] = count(*a.Pods)
	}
	return list
}

// project confines what Git may bring to the team's namespace and kinds.
func project(t *v1alpha1.Tenant, ns string, s Settings) Object {
	var kinds, clusterKinds []any
	for _, k := range s.Contract.Deliverable(s.Impersonation) {
		kind := map[string]any{"group": k.Group, "kind": k.Kind}
		if k.Cluster {
			clusterKinds = append(clusterKinds, kind)
		} else {
			kinds = append(kinds, kind)
		}
	}
	var repos []any
	if s.Chart != nil {
		repos = append(repos, s.Chart.RepoURL)
	}
	for _, src := range t.Spec.Sources {
		repos = append(repos, src.RepoURL)
	}
	spec := map[string]any{
		"description":                "Team " + t.Name + ", kept by Demarc.",
		"destinations":               []any{map[string]any{"server": argocd.InCluster, "namespace": ns}},
		"namespaceResourceWhitelist": kinds,
		"destinationServiceAccounts": []any{map[string]any{
			"server": argocd.InCluster, "namespace": ns, "defaultServiceAccount": ns + ":" + ownership.DeliverAccount,
		}},
	}
	if len(clusterKinds) > 0 {
		spec["clusterResourceWhitelist"] = clusterKinds
	}
	if len(repos) > 0 { // an empty list would be dropped by Argo CD and written again for ever
		spec["sourceRepos"] = repos
	}
	p := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	p.SetGroupVersionKind(argocd.ProjectKind)
	p.SetName(ProjectName(t.Name))
	p.SetNamespace(s.ArgoCDNamespace)
	return p
}

// ProjectName is the name of a team's AppProject.
func ProjectName(team string) string { return v1alpha1.NamespaceOf(team) }
