package verify

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/rbac"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// Settings names the ConfigMap by which Argo CD is set.
func Settings(set *snapshot.Set) (namespace, name string) {
	return render.SettingsOf(one[v1alpha1.Platform](set, platforms, v1alpha1.PlatformName)).ArgoCDNamespace, argocd.ConfigMap
}

// HasTeam says whether there is a Tenant of a name.
func HasTeam(set *snapshot.Set, team string) bool { return set.Get(tenants, "", team) != nil }

// TenantsUnread says whether Tenants could not be read, and why.
func TenantsUnread(set *snapshot.Set) (snapshot.Unread, bool) { return set.Missed(tenants, "", "") }

// facts is the cluster as far as it is needed, decoded.
type facts struct {
	Question
	set      *snapshot.Set
	contract *contract.Contract
	source   string
	faults   []string
	// madeOf are the contracts that the live policy says it was made from.
	madeOf   []*contract.Contract
	platform *v1alpha1.Platform
	settings render.Settings
	tenants  []*v1alpha1.Tenant
	byName   map[string]*v1alpha1.Tenant
	claims   []*v1alpha1.ServiceClaim
	grants   []*v1alpha1.AccessGrant
	raises   []v1alpha1.BudgetRequest
	// excepted are the GuardrailExceptions.
	excepted []v1alpha1.GuardrailException
	// operator is the namespace of the operator's account.
	operator string
	live     *rbac.World
	// missing kinds are those of which files hold nothing.
	missing map[schema.GroupKind]bool
}

func read(set *snapshot.Set, q Question) *facts {
	f := &facts{Question: q, set: set, live: world(set), missing: map[schema.GroupKind]bool{}}
	f.contract, f.source = contract.Default(), "the one that comes with Demarc"
	if o := one[v1alpha1.OwnershipContract](set, contracts, v1alpha1.ContractName); o != nil {
		f.contract, f.source = contract.New(o.Spec), "OwnershipContract/"+o.Name
		for _, p := range contract.Lint(o.Spec, contract.Parties{}) {
			if p.Severity == contract.Refused {
				f.faults = append(f.faults, p.Path+": "+p.Message)
			}
		}
	} else if _, missed := set.Missed(contracts, "", v1alpha1.ContractName); missed {
		f.source += ", as the cluster's could not be read"
	} else if set.Get(contracts, "", v1alpha1.ContractName) != nil {
		f.faults = []string{"it is not what its kind says"}
	}
	if policy := set.Get(policies, "", render.BoundaryName); policy != nil {
		// What is no packed contract is as good as none.
		f.madeOf, _ = contract.Unpack(policy.GetAnnotations()[v1alpha1.AnnotationContracts])
	}
	if len(f.faults) > 0 {
		f.contract, f.source = contract.Default(), "the one that comes with Demarc"
		if n := len(f.madeOf); n > 0 {
			f.contract, f.source = f.madeOf[n-1], "the one before that holds"
		}
	}
	f.platform = one[v1alpha1.Platform](set, platforms, v1alpha1.PlatformName)
	f.settings = render.SettingsOf(f.platform)
	f.settings.Contract, f.settings.Impersonation = f.contract, true
	f.tenants, f.claims = all[v1alpha1.Tenant](set, tenants), all[v1alpha1.ServiceClaim](set, claims)
	f.byName, f.grants = byName(f.tenants), all[v1alpha1.AccessGrant](set, grants)
	for _, r := range all[v1alpha1.BudgetRequest](set, raises) {
		f.raises = append(f.raises, *r)
	}
	for _, e := range all[v1alpha1.GuardrailException](set, exceptions) {
		f.excepted = append(f.excepted, *e)
	}
	f.operator = operatorOf(f.live)
	if q.Files {
		for _, kind := range always {
			f.missing[kind] = len(set.Of(kind)) == 0
		}
	}
	return f
}

// compiledFrom are the contracts that the policy is made from: the one that holds, or while
// it follows others, these too.
func (f *facts) compiledFrom() []*contract.Contract {
	if n := len(f.madeOf); n > 0 && contract.Pack(f.madeOf[n-1]) == contract.Pack(f.contract) {
		return f.madeOf
	}
	return []*contract.Contract{f.contract}
}

// one decodes an object; nil where it is not there, or not of its type.
func one[T any](set *snapshot.Set, kind schema.GroupKind, name string) *T {
	o := set.Get(kind, "", name)
	if o == nil {
		return nil
	}
	into, err := snapshot.Into[T](o)
	if err != nil {
		return nil
	}
	return into
}

func all[T any](set *snapshot.Set, kind schema.GroupKind) (list []*T) {
	for _, o := range set.Of(kind) {
		if into, err := snapshot.Into[T](o); err == nil {
			list = append(list, into)
		}
	}
	return list
}

// world is RBAC as it is live.
func world(set *snapshot.Set) *rbac.World {
	w := &rbac.World{}
	for _, r := range all[rbacv1.ClusterRole](set, clusterRoles) {
		w.ClusterRoles = append(w.ClusterRoles, *r)
	}
	for _, r := range all[rbacv1.Role](set, roles) {
		w.Roles = append(w.Roles, *r)
	}
	for _, b := range all[rbacv1.ClusterRoleBinding](set, clusterRoleBindings) {
		w.AddClusterRoleBinding(b)
	}
	for _, b := range all[rbacv1.RoleBinding](set, roleBindings) {
		w.AddRoleBinding(b)
	}
	w.Index()
	return w
}

const (
	operatorName    = "demarc-operator"
	installedByHelm = "demarc-system"
)

// operatorOf is the namespace that the install's own binding names; that it names one
// alone is compared as everything of the install is.
func operatorOf(w *rbac.World) string {
	for _, b := range w.Bindings {
		if b.Namespace != "" || b.Name != operatorName {
			continue
		}
		for _, s := range b.Subjects {
			if s.Kind == rbacv1.ServiceAccountKind && s.Name == operatorName && s.Namespace != "" {
				return s.Namespace
			}
		}
	}
	return installedByHelm
}

// operatorUser is whom the operator acts as.
func (f *facts) operatorUser() string { return rbac.Account(f.operator, operatorName).User }

// wanted says whether a team is looked at.
func (f *facts) wanted(team string) bool { return f.Team == "" || f.Team == team }

func byName(tenants []*v1alpha1.Tenant) map[string]*v1alpha1.Tenant {
	by := make(map[string]*v1alpha1.Tenant, len(tenants))
	for _, t := range tenants {
		by[t.Name] = t
	}
	return by
}

// tenant by its name; nil where there is none.
func (f *facts) tenant(name string) *v1alpha1.Tenant { return f.byName[name] }

// teamOf a namespace: that of the Tenant that keeps it, whatever label it carries now.
func (f *facts) teamOf(namespace string) *v1alpha1.Tenant {
	name, ok := strings.CutPrefix(namespace, v1alpha1.NamespacePrefix)
	if !ok {
		return nil
	}
	return f.tenant(name)
}

// unread is what could not be read, and of files what is not in them.
func (f *facts) unread() []snapshot.Unread {
	list := slices.DeleteFunc(f.set.Unread(), func(u snapshot.Unread) bool { return u.Resource == "" })
	for _, kind := range Kinds {
		if f.missing[kind] {
			list = append(list, snapshot.Unread{Verb: "list", Group: kind.Group, Resource: resourceOf(kind), Kind: kind.Kind, Why: "none is in the files"})
		}
	}
	return list
}

// isUnread says whether nothing can be said of an object because its kind was not read.
func (f *facts) isUnread(o finding.Object) bool {
	kind := kindOf(o)
	if f.set.Get(kind, o.Namespace, o.Name) != nil {
		return false
	}
	_, missed := f.set.Missed(kind, o.Namespace, o.Name)
	return missed || f.missing[kind]
}

func resourceOf(kind schema.GroupKind) string {
	if k, ok := contract.ServedKind(kind); ok {
		return k.Resource
	}
	return strings.ToLower(kind.Kind) + "s"
}

func kindOf(o finding.Object) schema.GroupKind { return schema.GroupKind{Group: o.Group, Kind: o.Kind} }

func object(kind schema.GroupKind, namespace, name string) finding.Object {
	return finding.Object{Group: kind.Group, Kind: kind.Kind, Namespace: namespace, Name: name}
}

func about(o *unstructured.Unstructured) finding.Object {
	return object(o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName())
}

func ofBinding(b *rbac.Binding) finding.Object {
	return object(schema.GroupKind{Group: rbacGroup, Kind: b.Kind()}, b.Namespace, b.Name)
}

func ofRole(r rbac.Ref) finding.Object {
	if r.Namespace == "" {
		return object(clusterRoles, "", r.Name)
	}
	return object(roles, r.Namespace, r.Name)
}
