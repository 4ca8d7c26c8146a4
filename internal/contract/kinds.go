package contract

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Served is a kind that a cluster with Demarc and Argo CD serves, and how it is
// addressed.
type Served struct {
	Group, Kind, Resource string
	// Cluster kinds have no namespace.
	Cluster bool
	// Asked kinds are questions and answers: nothing of them is kept.
	Asked bool
}

// GroupKind of a kind.
func (s Served) GroupKind() schema.GroupKind { return schema.GroupKind{Group: s.Group, Kind: s.Kind} }

const (
	apps, batch, rbac, networking = "apps", "batch", "rbac.authorization.k8s.io", "networking.k8s.io"
	admission, storage, dra       = "admissionregistration.k8s.io", "storage.k8s.io", "resource.k8s.io"
	argo, demarc                  = "argoproj.io", "demarc.dev"
)

// Kinds that Kubernetes 1.37, Argo CD and Demarc serve; a test asks a real API server.
// Their order is that of the rules in roles.
var Kinds = []Served{
	{"", "Pod", "pods", false, false},
	{"", "ConfigMap", "configmaps", false, false},
	{"", "Secret", "secrets", false, false},
	{"", "Service", "services", false, false},
	{"", "ServiceAccount", "serviceaccounts", false, false},
	{"", "PersistentVolumeClaim", "persistentvolumeclaims", false, false},
	{"", "Endpoints", "endpoints", false, false},
	{"", "Event", "events", false, false},
	{"", "ResourceQuota", "resourcequotas", false, false},
	{"", "LimitRange", "limitranges", false, false},
	{apps, "Deployment", "deployments", false, false},
	{apps, "StatefulSet", "statefulsets", false, false},
	{apps, "DaemonSet", "daemonsets", false, false},
	{apps, "ReplicaSet", "replicasets", false, false},
	{apps, "ControllerRevision", "controllerrevisions", false, false},
	{batch, "Job", "jobs", false, false},
	{batch, "CronJob", "cronjobs", false, false},
	{"autoscaling", "HorizontalPodAutoscaler", "horizontalpodautoscalers", false, false},
	{"policy", "PodDisruptionBudget", "poddisruptionbudgets", false, false},
	{networking, "Ingress", "ingresses", false, false},
	{networking, "NetworkPolicy", "networkpolicies", false, false},
	{"discovery.k8s.io", "EndpointSlice", "endpointslices", false, false},
	{"events.k8s.io", "Event", "events", false, false},
	{demarc, "ServiceClaim", "serviceclaims", true, false},
	{rbac, "Role", "roles", false, false},
	{rbac, "RoleBinding", "rolebindings", false, false},

	{"", "Binding", "bindings", false, true},
	{"", "ComponentStatus", "componentstatuses", true, false},
	{"", "Namespace", "namespaces", true, false},
	{"", "Node", "nodes", true, false},
	{"", "PersistentVolume", "persistentvolumes", true, false},
	{"", "PodTemplate", "podtemplates", false, false},
	{"", "ReplicationController", "replicationcontrollers", false, false},
	{admission, "MutatingAdmissionPolicy", "mutatingadmissionpolicies", true, false},
	{admission, "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", true, false},
	{admission, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", true, false},
	{admission, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", true, false},
	{admission, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", true, false},
	{admission, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", true, false},
	{"apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", true, false},
	{"apiregistration.k8s.io", "APIService", "apiservices", true, false},
	{argo, "Application", "applications", false, false},
	{argo, "ApplicationSet", "applicationsets", false, false},
	{argo, "AppProject", "appprojects", false, false},
	{"authentication.k8s.io", "SelfSubjectReview", "selfsubjectreviews", true, true},
	{"authentication.k8s.io", "TokenReview", "tokenreviews", true, true},
	{"authorization.k8s.io", "LocalSubjectAccessReview", "localsubjectaccessreviews", false, true},
	{"authorization.k8s.io", "SelfSubjectAccessReview", "selfsubjectaccessreviews", true, true},
	{"authorization.k8s.io", "SelfSubjectRulesReview", "selfsubjectrulesreviews", true, true},
	{"authorization.k8s.io", "SubjectAccessReview", "subjectaccessreviews", true, true},
	{"certificates.k8s.io", "CertificateSigningRequest", "certificatesigningrequests", true, false},
	{"certificates.k8s.io", "ClusterTrustBundle", "clustertrustbundles", true, false},
	{"certificates.k8s.io", "PodCertificateRequest", "podcertificaterequests", false, false},
	{"coordination.k8s.io", "Lease", "leases", false, false},
	{demarc, "AccessGrant", "accessgrants", true, false},
	{demarc, "BudgetRequest", "budgetrequests", true, false},
	{demarc, "GuardrailException", "guardrailexceptions", true, false},
	{demarc, "GuardrailSet", "guardrailsets", true, false},
	{demarc, "OwnershipContract", "ownershipcontracts", true, false},
	{demarc, "Platform", "platforms", true, false},
	{demarc, "Tenant", "tenants", true, false},
	{"flowcontrol.apiserver.k8s.io", "FlowSchema", "flowschemas", true, false},
	{"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", "prioritylevelconfigurations", true, false},
	{networking, "IngressClass", "ingressclasses", true, false},
	{networking, "IPAddress", "ipaddresses", true, false},
	{networking, "ServiceCIDR", "servicecidrs", true, false},
	{"node.k8s.io", "RuntimeClass", "runtimeclasses", true, false},
	{rbac, "ClusterRole", "clusterroles", true, false},
	{rbac, "ClusterRoleBinding", "clusterrolebindings", true, false},
	{dra, "DeviceClass", "deviceclasses", true, false},
	{dra, "DeviceTaintRule", "devicetaintrules", true, false},
	{dra, "ResourceClaim", "resourceclaims", false, false},
	{dra, "ResourceClaimTemplate", "resourceclaimtemplates", false, false},
	{dra, "ResourceSlice", "resourceslices", true, false},
	{"scheduling.k8s.io", "PriorityClass", "priorityclasses", true, false},
	{storage, "CSIDriver", "csidrivers", true, false},
	{storage, "CSINode", "csinodes", true, false},
	{storage, "CSIStorageCapacity", "csistoragecapacities", false, false},
	{storage, "StorageClass", "storageclasses", true, false},
	{storage, "VolumeAttachment", "volumeattachments", true, false},
	{storage, "VolumeAttributesClass", "volumeattributesclasses", true, false},
	{"storagemigration.k8s.io", "StorageVersionMigration", "storageversionmigrations", true, false},
}

// Addons are kinds of others that the paved road makes where they are installed. A contract
// that does not name one gives nobody anything of it.
var Addons = []Served{
	{"gateway.networking.k8s.io", "HTTPRoute", "httproutes", false, false},
	{"monitoring.coreos.com", "ServiceMonitor", "servicemonitors", false, false},
	{"monitoring.coreos.com", "PrometheusRule", "prometheusrules", false, false},
	{"external-secrets.io", "ExternalSecret", "externalsecrets", false, false},
}

// Known are all of which it is known how they are addressed.
func Known() []Served { return slices.Concat(Kinds, Addons) }

// ServedKind finds a kind among those that are known.
func ServedKind(gk schema.GroupKind) (Served, bool) {
	for _, k := range Known() {
		if k.GroupKind() == gk {
			return k, true
		}
	}
	return Served{}, false
}
