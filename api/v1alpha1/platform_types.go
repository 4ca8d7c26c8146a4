package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Platform holds the platform team's settings: where Argo CD and the paved-road
// chart are, how large a team's budget may be, and what a container gets that
// says nothing. There is one, named "default". Without it the documented
// defaults hold, and what has no default (where the chart is) is said in the
// conditions of the claims that need it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories=demarc,shortName=plat
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Chart",type=string,JSONPath=`.spec.chart.targetRevision`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || self.metadata.name == 'default'",optionalOldSelf=true,message="there is one Platform and its name is default: put these settings into it"
type Platform struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the platform team asks for.
	// +optional
	Spec PlatformSpec `json:"spec,omitempty"`
	// Status is what the operator found.
	// +optional
	Status PlatformStatus `json:"status,omitempty"`
}

// PlatformSpec is what the platform team asks for.
//
// +kubebuilder:validation:XValidation:rule="(has(self.argocd) && has(self.argocd.__namespace__) ? self.argocd.__namespace__ : 'argocd') == (has(oldSelf.argocd) && has(oldSelf.argocd.__namespace__) ? oldSelf.argocd.__namespace__ : 'argocd')",message="argocd.namespace cannot be changed while Applications are in it: they would be left behind. Delete the claims, then delete this Platform and create it anew"
type PlatformSpec struct {
	// ArgoCD says where Argo CD is and how it delivers.
	// +optional
	ArgoCD PlatformArgoCD `json:"argocd,omitempty"`

	// Team says who the platform's people are and how they are reached.
	// +optional
	Team PlatformTeam `json:"team,omitzero"`

	// Chart is the Helm chart that every claim with an image is rendered
	// through. It has no default: until it is set, such claims wait with the
	// reason ChartNotConfigured.
	// +optional
	Chart *PlatformChart `json:"chart,omitempty"`

	// Ceiling is the largest budget a Tenant may have, key by key. A Tenant above
	// it is refused; one that is above it already may be changed as long as it
	// does not get worse.
	// +optional
	Ceiling *Budget `json:"ceiling,omitempty"`

	// ContainerDefaults is what a container in a team's namespace gets where it
	// says nothing itself, as a LimitRange beside the quota. It is lowered where
	// the budget in the team's Tenant divided by its pods is less, but not below 1m
	// and 16Mi, and by no BudgetRequest.
	// +optional
	ContainerDefaults PlatformContainerDefaults `json:"containerDefaults,omitempty"`

	// PodSecurity is the Pod Security level that team namespaces enforce.
	// +optional
	// +kubebuilder:default=baseline
	// +kubebuilder:validation:Enum=privileged;baseline;restricted
	PodSecurity string `json:"podSecurity,omitempty"`

	// Network says which namespaces that are no team's reach the teams' pods.
	// +optional
	Network PlatformNetwork `json:"network,omitempty"`

	// Expose says how services are made reachable from outside of the cluster.
	// +optional
	Expose PlatformExpose `json:"expose,omitzero"`

	// SecretStore is the ClusterSecretStore of External Secrets from which claims keep
	// Secrets. Absent: there is none.
	// +optional
	SecretStore *PlatformSecretStore `json:"secretStore,omitempty"`

	// Metrics says how Prometheus finds what it scrapes.
	// +optional
	Metrics PlatformMetrics `json:"metrics,omitzero"`

	// Prometheus is asked for what the API server does not know, such as whether a
	// service is throttled. Absent: that is not known.
	// +optional
	Prometheus *PlatformPrometheus `json:"prometheus,omitempty"`

	// Guardrails are the limits within which teams drive.
	// +optional
	Guardrails PlatformGuardrails `json:"guardrails,omitzero"`

	// Access are rules for AccessGrants.
	// +optional
	Access PlatformAccess `json:"access,omitzero"`

	// Claims are rules for ServiceClaims.
	// +optional
	Claims PlatformClaims `json:"claims,omitempty"`
}

// PlatformNetwork says who reaches the teams' pods beside the team itself. Pods of
// other teams never do. As long as neither list is set, every namespace that is no
// team's does; once one is set, the namespaces of both lists do and no other.
type PlatformNetwork struct {
	// IngressNamespaces are those of ingress controllers and gateways.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.all(n, n.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'))",message="each must be the name of a namespace: lower-case letters, digits and '-'"
	IngressNamespaces []string `json:"ingressNamespaces,omitempty"`
	// MonitoringNamespaces are those of what scrapes the teams' pods.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.all(n, n.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'))",message="each must be the name of a namespace: lower-case letters, digits and '-'"
	MonitoringNamespaces []string `json:"monitoringNamespaces,omitempty"`
}

// PlatformArgoCD says where Argo CD is and how it delivers.
type PlatformArgoCD struct {
	// Namespace that Argo CD runs in and reads Applications from.
	// +optional
	// +kubebuilder:default=argocd
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be the name of a namespace: lower-case letters, digits and '-'"
	Namespace string `json:"namespace,omitempty"`

	// SelfHeal makes Argo CD undo changes of what it delivered that were made
	// past Git.
	// +optional
	// +kubebuilder:default=true
	SelfHeal *bool `json:"selfHeal,omitempty"`
}

// PlatformChart is a chart in a Git repository that Argo CD can read.
type PlatformChart struct {
	// RepoURL of the Git repository, as Argo CD's repo-server reaches it.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="size(self) > 0",message="must be the URL of the Git repository that holds the chart"
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	RepoURL string `json:"repoURL"`

	// Path of the chart's folder in the repository.
	// +optional
	// +kubebuilder:default="charts/service"
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	Path string `json:"path,omitempty"`

	// TargetRevision is a tag or a commit, never a branch: a moving revision
	// rolls every service of the platform at once.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="size(self) > 0 && !(self in ['HEAD', 'main', 'master', 'trunk', 'develop']) && !self.matches('[*^~<>= ]') && !self.startsWith('refs/heads/')",message="must be one tag or one commit: a branch or a range moves and would roll every service at once"
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	TargetRevision string `json:"targetRevision"`
}

// PlatformContainerDefaults is what a container gets that says nothing itself.
//
// +kubebuilder:validation:XValidation:rule="!has(self.memoryRequest) || !has(self.memoryLimit) || !isQuantity(string(self.memoryRequest)) || !isQuantity(string(self.memoryLimit)) || !quantity(string(self.memoryRequest)).isGreaterThan(quantity(string(self.memoryLimit)))",message="memoryRequest must not be above memoryLimit (defaults: 128Mi and 256Mi): a container that says nothing would be refused"
type PlatformContainerDefaults struct {
	// CPURequest of a container without one.
	// +optional
	// +kubebuilder:default="100m"
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && !quantity(string(self)).isLessThan(quantity('0'))",message="cpuRequest must be a quantity of 0 or more, such as \"100m\""
	CPURequest *Quantity `json:"cpuRequest,omitempty"`
	// MemoryRequest of a container without one.
	// +optional
	// +kubebuilder:default="128Mi"
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && !quantity(string(self)).isLessThan(quantity('0'))",message="memoryRequest must be a quantity of 0 or more, such as 128Mi"
	MemoryRequest *Quantity `json:"memoryRequest,omitempty"`
	// MemoryLimit of a container without one. There is no default CPU limit: it
	// would throttle where nobody asked for it.
	// +optional
	// +kubebuilder:default="256Mi"
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && !quantity(string(self)).isLessThan(quantity('0'))",message="memoryLimit must be a quantity of 0 or more, such as 256Mi"
	MemoryLimit *Quantity `json:"memoryLimit,omitempty"`
}

// PlatformAccess are rules for AccessGrants.
type PlatformAccess struct {
	// MaxHours is the longest time that an AccessGrant may be given for. One that asks
	// for more is refused; one that is active already runs on.
	// +optional
	// +kubebuilder:default=8
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 168",message="must be between 1 and 168 hours"
	MaxHours int32 `json:"maxHours,omitempty"`
}

// PlatformClaims are rules for ServiceClaims.
type PlatformClaims struct {
	// RequireTeamPrefix demands that a new claim's name starts with its team's
	// name and a '-'. Claims share one cluster-wide space of names; without the
	// prefix the first to ask for a name has it.
	// +optional
	RequireTeamPrefix bool `json:"requireTeamPrefix,omitempty"`
}

// PlatformStatus is what the operator found.
type PlatformStatus struct {
	// ObservedGeneration is the generation of the spec that the conditions speak of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions: RolesReady, ArgoCDReady, ChartReady, GuardrailsReady and the summary
	// Ready.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// PlatformList is a list of Platforms.
// +kubebuilder:object:root=true
type PlatformList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Platform `json:"items"`
}
