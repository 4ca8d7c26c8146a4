package v1alpha1

// ExposeKind is the kind by which services are exposed.
//
// +kubebuilder:validation:Enum=Ingress;HTTPRoute
type ExposeKind string

// Kinds by which services are exposed.
const (
	ExposeIngress   ExposeKind = "Ingress"
	ExposeHTTPRoute ExposeKind = "HTTPRoute"
)

// PlatformExpose says how services are made reachable from outside of the cluster.
//
// +kubebuilder:validation:XValidation:rule="(has(self.kind) && self.kind == 'HTTPRoute') == has(self.gateway)",message="kind HTTPRoute needs gateway, and kind Ingress has none"
// +kubebuilder:validation:XValidation:rule="!has(self.gateway) || !(has(self.className) || has(self.issuer))",message="className and issuer are for kind Ingress: a gateway has its own certificates"
type PlatformExpose struct {
	// Kind of object that a claim's expose becomes.
	// +optional
	// +kubebuilder:default=Ingress
	Kind ExposeKind `json:"kind,omitempty"`
	// ClassName of Ingresses whose claim names none. Absent: the cluster's default.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be the name of an IngressClass: lower-case letters, digits, '-' and '.'"
	ClassName string `json:"className,omitempty"`
	// Issuer is the ClusterIssuer of cert-manager that keeps the certificates of Ingresses
	// with tls. Absent: teams bring their own.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be a name: lower-case letters, digits, '-' and '.'"
	Issuer string `json:"issuer,omitempty"`
	// Gateway that HTTPRoutes attach to.
	// +optional
	Gateway *PlatformGateway `json:"gateway,omitempty"`
	// Domain below which every team has its own: a claim that names no host gets
	// <claim>.<team>.<domain>. Absent: a host is named, below a domain of the Tenant.
	// +optional
	// +kubebuilder:validation:MaxLength=139
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be a domain in lower case, such as apps.example, without '*'"
	Domain string `json:"domain,omitempty"`
}

// PlatformGateway names a Gateway.
type PlatformGateway struct {
	// Namespace of the Gateway.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be a name: lower-case letters, digits, '-' and '.'"
	Namespace string `json:"namespace"`
	// Name of the Gateway.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be a name: lower-case letters, digits, '-' and '.'"
	Name string `json:"name"`
	// SectionName is the listener. Absent: all that fit.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be a name: lower-case letters, digits, '-' and '.'"
	SectionName string `json:"sectionName,omitempty"`
}

// PlatformSecretStore is where External Secrets takes secrets from.
type PlatformSecretStore struct {
	// Name of the store.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be a name: lower-case letters, digits, '-' and '.'"
	Name string `json:"name"`
	// Prefix of all entries; below it each team has those that begin with its own name and
	// a '/', and reaches no others.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9._-]+/)+$')",message="must end with '/', such as teams/"
	Prefix string `json:"prefix,omitempty"`
}

// PlatformMetrics says how Prometheus finds what it scrapes.
type PlatformMetrics struct {
	// Labels of ServiceMonitors and PrometheusRules by which a Prometheus selects them.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	Labels map[string]ClaimLabelValue `json:"labels,omitempty"`
}

// PlatformPrometheus is where a Prometheus, or what speaks its HTTP API, answers.
type PlatformPrometheus struct {
	// URL of its HTTP API without api/v1: https, or http to a Service of this cluster, such
	// as http://prometheus.monitoring.svc:9090. A Service is reached through the API
	// server, as who asks; they need the right to get services/proxy in its namespace.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^(https://[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?|http://[a-z]([-a-z0-9]*[a-z0-9])?[.][a-z0-9]([-a-z0-9]*[a-z0-9])?[.]svc([.][-a-z0-9.]*[a-z0-9])?)(:[0-9]+)?(/[A-Za-z0-9._~/-]*)?$')",message="must be an https URL, or http to a Service of this cluster such as http://prometheus.monitoring.svc:9090, without user, query and fragment"
	URL string `json:"url"`
}

// TeamDomain is the domain below which a team's services get their hosts where their
// claims name none; empty where there is none. p may be nil.
func (p *Platform) TeamDomain(team string) string {
	if p == nil || p.Spec.Expose.Domain == "" {
		return ""
	}
	return team + "." + p.Spec.Expose.Domain
}
