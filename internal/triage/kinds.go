package triage

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
)

func kindOf(group, kind string) schema.GroupKind { return schema.GroupKind{Group: group, Kind: kind} }

// The kinds that are looked at.
var (
	podKind           = kindOf("", "Pod")
	nodeKind          = kindOf("", "Node")
	namespaceKind     = kindOf("", "Namespace")
	serviceKind       = kindOf("", "Service")
	configMapKind     = kindOf("", "ConfigMap")
	secretKind        = kindOf("", "Secret")
	volumeClaimKind   = kindOf("", "PersistentVolumeClaim")
	quotaKind         = kindOf("", "ResourceQuota")
	limitRangeKind    = kindOf("", "LimitRange")
	coreEvents        = kindOf("", "Event")
	newEvents         = kindOf("events.k8s.io", "Event")
	deploymentKind    = kindOf("apps", "Deployment")
	replicaSetKind    = kindOf("apps", "ReplicaSet")
	statefulSetKind   = kindOf("apps", "StatefulSet")
	daemonSetKind     = kindOf("apps", "DaemonSet")
	jobKind           = kindOf("batch", "Job")
	cronJobKind       = kindOf("batch", "CronJob")
	sliceKind         = kindOf("discovery.k8s.io", "EndpointSlice")
	ingressKind       = kindOf("networking.k8s.io", "Ingress")
	ingressClassKind  = kindOf("networking.k8s.io", "IngressClass")
	storageClassKind  = kindOf("storage.k8s.io", "StorageClass")
	budgetKind        = kindOf("policy", "PodDisruptionBudget")
	autoscalerKind    = kindOf("autoscaling", "HorizontalPodAutoscaler")
	apiServiceKind    = kindOf("apiregistration.k8s.io", "APIService")
	definitionKind    = kindOf("apiextensions.k8s.io", "CustomResourceDefinition")
	validatingKind    = kindOf("admissionregistration.k8s.io", "ValidatingWebhookConfiguration")
	mutatingKind      = kindOf("admissionregistration.k8s.io", "MutatingWebhookConfiguration")
	policyKind        = kindOf("admissionregistration.k8s.io", "ValidatingAdmissionPolicy")
	gatewayKind       = kindOf("gateway.networking.k8s.io", "Gateway")
	routeKind         = kindOf("gateway.networking.k8s.io", "HTTPRoute")
	certificateKind   = kindOf("cert-manager.io", "Certificate")
	issuerKind        = kindOf("cert-manager.io", "Issuer")
	clusterIssuerKind = kindOf("cert-manager.io", "ClusterIssuer")
	externalKind      = kindOf("external-secrets.io", "ExternalSecret")
	storeKind         = kindOf("external-secrets.io", "SecretStore")
	clusterStoreKind  = kindOf("external-secrets.io", "ClusterSecretStore")
	applicationKind   = kindOf("argoproj.io", "Application")
	claimKind         = kindOf(v1alpha1.GroupName, "ServiceClaim")
	tenantKind        = kindOf(v1alpha1.GroupName, "Tenant")
	contractKind      = kindOf(v1alpha1.GroupName, "OwnershipContract")
	platformKind      = kindOf(v1alpha1.GroupName, "Platform")
)
