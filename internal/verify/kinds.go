package verify

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
)

const (
	rbacGroup      = rbacv1.GroupName
	admissionGroup = "admissionregistration.k8s.io"
)

var (
	contracts           = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "OwnershipContract"}
	platforms           = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Platform"}
	tenants             = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Tenant"}
	grants              = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "AccessGrant"}
	raises              = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "BudgetRequest"}
	guardrailSets       = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "GuardrailSet"}
	exceptions          = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "GuardrailException"}
	claims              = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "ServiceClaim"}
	namespaces          = schema.GroupKind{Kind: "Namespace"}
	configMaps          = schema.GroupKind{Kind: "ConfigMap"}
	serviceAccounts     = schema.GroupKind{Kind: "ServiceAccount"}
	quotas              = schema.GroupKind{Kind: "ResourceQuota"}
	limitRanges         = schema.GroupKind{Kind: "LimitRange"}
	networkPolicies     = schema.GroupKind{Group: "networking.k8s.io", Kind: "NetworkPolicy"}
	clusterRoles        = schema.GroupKind{Group: rbacGroup, Kind: "ClusterRole"}
	clusterRoleBindings = schema.GroupKind{Group: rbacGroup, Kind: "ClusterRoleBinding"}
	roles               = schema.GroupKind{Group: rbacGroup, Kind: "Role"}
	roleBindings        = schema.GroupKind{Group: rbacGroup, Kind: "RoleBinding"}
	policies            = schema.GroupKind{Group: admissionGroup, Kind: "ValidatingAdmissionPolicy"}
	policyBindings      = schema.GroupKind{Group: admissionGroup, Kind: "ValidatingAdmissionPolicyBinding"}
	mutations           = schema.GroupKind{Group: admissionGroup, Kind: "MutatingAdmissionPolicy"}
	mutationBindings    = schema.GroupKind{Group: admissionGroup, Kind: "MutatingAdmissionPolicyBinding"}
	applications        = argocd.ApplicationKind.GroupKind()
	projects            = argocd.ProjectKind.GroupKind()
)

// Kinds are read whole, from all namespaces.
var Kinds = []schema.GroupKind{contracts, platforms, tenants, claims, grants, raises, exceptions, guardrailSets, namespaces, serviceAccounts, quotas, limitRanges, networkPolicies,
	clusterRoles, clusterRoleBindings, roles, roleBindings, policies, policyBindings, mutations, mutationBindings, applications, projects}

// always are in every cluster that Demarc is installed in.
var always = []schema.GroupKind{guardrailSets, namespaces, clusterRoles, clusterRoleBindings, roles, roleBindings, policies, policyBindings, mutations, mutationBindings}
