package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ServiceClaim is a team's request to run one service. It keeps the Argo CD
// Application <team>.<name>, and nothing else. Ready=True means that the image
// asked for runs in the number asked for, seen in live objects, now.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories=demarc,shortName=claim;claims
// +kubebuilder:selectablefield:JSONPath=`.spec.team`
// +kubebuilder:printcolumn:name="Team",type=string,JSONPath=`.spec.team`
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || (self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && size(self.metadata.name) <= 53)",optionalOldSelf=true,message="a claim's name is the service's name: use at most 53 lower-case letters, digits and '-', beginning with a letter and ending with a letter or digit"
type ServiceClaim struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the team asks for.
	Spec ServiceClaimSpec `json:"spec"`
	// Status is what the operator found.
	// +optional
	Status ServiceClaimStatus `json:"status,omitempty"`
}

// ServiceClaimSpec is what the team asks for.
//
// +kubebuilder:validation:XValidation:rule="has(self.image) != has(self.source)",message="set exactly one of image (delivered through the platform's chart) and source (the team's own manifests)"
// +kubebuilder:validation:XValidation:rule="!has(self.source) || (!has(self.replicas) && !has(self.port) && !has(self.env))",message="with source, replicas, port and env belong in the team's own manifests: remove them here"
type ServiceClaimSpec struct {
	// Team that the service belongs to: the name of its Tenant. It never changes
	// after creation; to move a service, delete the claim and make another.
	// +kubebuilder:validation:MaxLength=58
	// +kubebuilder:validation:XValidation:rule="size(self) == 0 || self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="team must be the name of a Tenant: lower-case letters, digits and '-'"
	// +kubebuilder:validation:XValidation:rule="size(self) > 0",message="team must not be empty: name the Tenant that the service belongs to"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="team cannot be changed. If the claim is yours, delete it and create one for the other team; if it is not, its name is taken: claims share one space of names, so choose another"
	Team string `json:"team"`

	// Image that runs, such as nginx:1.27-alpine or registry.example/shop/api@sha256:….
	// Exactly one of image and source is set.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])([.]([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(:[0-9]+)?/)?[a-z0-9]+(([.]|_|__|[-]+)[a-z0-9]+)*(/[a-z0-9]+(([.]|_|__|[-]+)[a-z0-9]+)*)*(:[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127})?(@sha256:[a-f0-9]{64})?$')",message="image must be an image reference such as nginx:1.27-alpine or registry.example:5000/shop/api@sha256:<64 hex digits>; the path is lower-case"
	Image string `json:"image,omitempty"`

	// Source is a place in a repository with the team's own manifests, kustomize
	// or Helm, for what the paved road does not carry. The repository must be one
	// of the Tenant's sources.
	// +optional
	Source *ClaimSource `json:"source,omitempty"`

	// Replicas that run. Absent: 1. 0 stops the service and keeps the claim.
	// +optional
	// +kubebuilder:validation:Maximum=1000
	// +kubebuilder:validation:XValidation:rule="self >= 0",message="replicas must be 0 or more; 0 stops the service and keeps the claim"
	Replicas *int32 `json:"replicas,omitempty"`

	// Port that the container listens on. With it the service gets a Kubernetes
	// Service of its own name on port 80.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535",message="port must be between 1 and 65535: the one that the container listens on"
	Port *int32 `json:"port,omitempty"`

	// Env is the container's environment. Claims can be read by every team's people,
	// so a value that looks like a secret is refused: name a Secret of the team's
	// namespace in valueFrom instead.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	Env []ClaimEnv `json:"env,omitempty"`

	// Resources is not the budget: cpu, memory and pods belong to the Tenant.
	// +optional
	Resources *ClaimResources `json:"resources,omitempty"`
}

// ClaimEnv is one variable of the environment.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.value) && has(self.valueFrom))",message="set value or valueFrom, not both"
type ClaimEnv struct {
	// Name of the variable.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z_][A-Za-z0-9_]*$')",message="must be the name of an environment variable: letters, digits and '_', not beginning with a digit"
	Name string `json:"name"`
	// Value of the variable. As in any container $(NAME) stands for an earlier one.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Value string `json:"value,omitempty"`
	// ValueFrom takes the value from an object in the team's namespace.
	// +optional
	ValueFrom *ClaimEnvSource `json:"valueFrom,omitempty"`
}

// ClaimEnvSource names where a value is.
//
// +kubebuilder:validation:XValidation:rule="has(self.secretKeyRef) != has(self.configMapKeyRef)",message="set exactly one of secretKeyRef and configMapKeyRef"
type ClaimEnvSource struct {
	// SecretKeyRef is a key of a Secret in the team's namespace.
	// +optional
	SecretKeyRef *ClaimKeyRef `json:"secretKeyRef,omitempty"`
	// ConfigMapKeyRef is a key of a ConfigMap in the team's namespace.
	// +optional
	ConfigMapKeyRef *ClaimKeyRef `json:"configMapKeyRef,omitempty"`
}

// ClaimKeyRef names a key of a Secret or a ConfigMap.
type ClaimKeyRef struct {
	// Name of the Secret or the ConfigMap.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Key in it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// ClaimSource is a place in a Git repository.
type ClaimSource struct {
	// RepoURL of the repository, one of the Tenant's sources.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="size(self) > 0",message="must be the URL of a Git repository that is one of the Tenant's sources"
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	RepoURL string `json:"repoURL"`
	// Path of the folder in the repository.
	// +optional
	// +kubebuilder:default="."
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	Path string `json:"path,omitempty"`
	// TargetRevision is a branch, a tag or a commit.
	// +optional
	// +kubebuilder:default=HEAD
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	TargetRevision string `json:"targetRevision,omitempty"`
}

// ClaimResources exists so that a budget in a claim is refused with a word of
// where it belongs, and not silently dropped.
//
// +kubebuilder:validation:XValidation:rule="!has(self.cpu) && !has(self.memory) && !has(self.pods)",message="the budget belongs to the team, not to a service: move cpu, memory and pods to spec.resources of the Tenant"
type ClaimResources struct {
	// CPU is refused: the budget belongs to the Tenant.
	// +optional
	CPU *Quantity `json:"cpu,omitempty"`
	// Memory is refused: the budget belongs to the Tenant.
	// +optional
	Memory *Quantity `json:"memory,omitempty"`
	// Pods is refused: the budget belongs to the Tenant.
	// +optional
	Pods *Quantity `json:"pods,omitempty"`
}

// ServiceClaimStatus is what the operator found.
type ServiceClaimStatus struct {
	// ObservedGeneration is the generation of the spec that the conditions speak of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Application is the name of the claim's Argo CD Application, once it is there.
	// +optional
	Application string `json:"application,omitempty"`
	// Running is what was proven when Ready last became True.
	// +optional
	Running *ClaimRunning `json:"running,omitempty"`
	// Inventory lists what the Application tracks. A claim that is deleted waits
	// until none of it is left.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	Inventory []ClaimObject `json:"inventory,omitempty"`
	// Conditions: TenantReady, DeliveryReady, WorkloadReady and the summary Ready;
	// while deleting Drained. Reconciling and Stalled follow kstatus.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ClaimRunning is what was proven to run.
type ClaimRunning struct {
	// Image of the running pods; empty for a claim with a source.
	// +optional
	Image string `json:"image,omitempty"`
	// Replicas that were available.
	Replicas int32 `json:"replicas"`
	// Revision of the repository that was delivered.
	// +optional
	Revision string `json:"revision,omitempty"`
}

// ClaimObject names one object that the Application tracks.
type ClaimObject struct {
	// Group of its API; empty for the core group.
	// +optional
	Group string `json:"group,omitempty"`
	// Version of its API.
	Version string `json:"version"`
	// Kind of the object.
	Kind string `json:"kind"`
	// Namespace of the object; empty for a cluster-scoped one.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Name of the object.
	Name string `json:"name"`
}

// ServiceClaimList is a list of ServiceClaims.
// +kubebuilder:object:root=true
type ServiceClaimList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ServiceClaim `json:"items"`
}
