package v1alpha1

// ClaimExpose makes a service reachable from outside of the cluster, by what Platform
// says: an Ingress, or an HTTPRoute.
type ClaimExpose struct {
	// Host under which it is reached, below one of the team's domains. Absent:
	// <claim>.<team>.<domain>, where Platform has a domain. A host belongs to the first
	// claim that has it.
	// +optional
	Host ClaimHost `json:"host,omitempty"`
	// Aliases are further hosts that lead to the same.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	Aliases []ClaimHost `json:"aliases,omitempty"`
	// Path below which requests are the service's. Absent: /, all of them.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^/[A-Za-z0-9/._~-]*$') && !self.contains('//') && !self.contains('/./') && !self.contains('/../')",message="path must begin with '/' and hold letters, digits and any of / . _ ~ -, without '//', '/./' and '/../'"
	Path string `json:"path,omitempty"`
	// Port by its name. Absent: the first.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be the name of a port: lower-case letters, digits and '-'"
	Port string `json:"port,omitempty"`
	// Class of the Ingress. Absent: Platform's, or the cluster's default.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="class must be the name of an IngressClass: lower-case letters, digits, '-' and '.'"
	Class string `json:"class,omitempty"`
	// TLS says that the hosts are served by https. Where Platform exposes by HTTPRoute the
	// gateway has the certificates.
	// +optional
	TLS *ClaimTLS `json:"tls,omitempty"`
}

// ClaimHost is the name of a host.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?([.][a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)+$')",message="must be the whole name of a host in lower case, such as shop.example, without '*', port and path"
type ClaimHost string

// ClaimTLS says where a certificate is.
type ClaimTLS struct {
	// SecretName is a Secret with a certificate in the team's namespace. Absent: <claim>-tls,
	// which cert-manager keeps where Platform names an issuer.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be a name: lower-case letters, digits, '-' and '.'"
	SecretName string `json:"secretName,omitempty"`
}

// ClaimMetrics has Prometheus scrape a service.
type ClaimMetrics struct {
	// Port by its name. Absent: the first.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be the name of a port: lower-case letters, digits and '-'"
	Port string `json:"port,omitempty"`
	// Path that is scraped. Absent: /metrics.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^/[!-~]*$')",message="path must begin with '/' and be without blanks"
	Path string `json:"path,omitempty"`
	// IntervalSeconds between two times. Absent: 30.
	// +optional
	// +kubebuilder:validation:Minimum=5
	// +kubebuilder:validation:Maximum=3600
	IntervalSeconds *int32 `json:"intervalSeconds,omitempty"`
	// Alerts of the road: replicas are missing, containers restart, nothing answers.
	// Absent: true.
	// +optional
	Alerts *bool `json:"alerts,omitempty"`
}

// ClaimFile is a file that the container finds.
type ClaimFile struct {
	// Path of the file in the container.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^(/[A-Za-z0-9._-]+)+$') && !self.contains('/..')",message="must be an absolute path such as /etc/shop/config.yaml, without '..'"
	Path string `json:"path"`
	// Content of the file, at most 16384 characters. What looks like a secret is refused.
	// +kubebuilder:validation:MaxLength=16384
	Content string `json:"content"`
}

// ClaimSecret is a Secret in the team's namespace.
//
// +kubebuilder:validation:XValidation:rule="has(self.from) || has(self.path)",message="say what for: from (kept from the platform's store), path (mounted as a folder), or both; for variables alone name it in env or envFrom and leave it out here"
type ClaimSecret struct {
	// Name of the Secret.
	// +kubebuilder:validation:MaxLength=56
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be at most 56 lower-case letters, digits and '-', beginning and ending with a letter or digit"
	Name string `json:"name"`
	// From is the entry of the platform's store, below the team's own, that the Secret is
	// kept from. Absent: the team makes the Secret itself.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$')",message="must be a path below the team's own entries, such as shop/db, without '..' and a leading '/'"
	From string `json:"from,omitempty"`
	// Path of the folder in which the container finds a file for each key.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^(/[A-Za-z0-9._-]+)+$') && !self.contains('/..')",message="must be an absolute path such as /run/secrets/db, without '..'"
	Path string `json:"path,omitempty"`
}

// ClaimServiceAccount is an account of the service's own.
type ClaimServiceAccount struct {
	// Token mounts a token of the account, for services that speak with the API server.
	// +optional
	Token bool `json:"token,omitempty"`
	// Annotations of the account, by which clouds give it an identity of theirs.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')) && !self.exists(k, k.startsWith('demarc.dev/') || k.startsWith('argocd.argoproj.io/') || k.startsWith('kubernetes.io/'))",message="each key must be one that Kubernetes takes for an annotation, and none of demarc.dev, argocd.argoproj.io and kubernetes.io"
	Annotations map[string]ClaimAnnotationValue `json:"annotations,omitempty"`
}
