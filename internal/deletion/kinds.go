package deletion

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
)

var (
	kindPlatform    = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Platform"}
	kindContract    = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "OwnershipContract"}
	kindTenant      = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Tenant"}
	kindClaim       = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "ServiceClaim"}
	kindApplication = argocd.ApplicationKind.GroupKind()
	kindProject     = argocd.ProjectKind.GroupKind()
	kindNamespace   = schema.GroupKind{Kind: "Namespace"}
	kindVolume      = schema.GroupKind{Kind: "PersistentVolumeClaim"}
	kindPod         = schema.GroupKind{Kind: "Pod"}
	kindCRD         = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	kindBinding     = schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}
	kindClusterBind = schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}
	kindDeployment  = schema.GroupKind{Group: "apps", Kind: "Deployment"}
	kindStatefulSet = schema.GroupKind{Group: "apps", Kind: "StatefulSet"}
	kindLease       = schema.GroupKind{Group: "coordination.k8s.io", Kind: "Lease"}
	kindJob         = schema.GroupKind{Group: "batch", Kind: "Job"}
)
