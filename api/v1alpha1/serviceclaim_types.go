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
// +kubebuilder:printcolumn:name="Finding",type=string,JSONPath=`.status.conditions[?(@.type=="Diagnosed")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Kind",type=string,priority=1,JSONPath=`.spec.kind`
// +kubebuilder:printcolumn:name="Hosts",type=string,priority=1,JSONPath=`.status.hosts`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="!has(self.spec.kind) || !(self.spec.kind in ['cronjob', 'stateful']) || size(self.metadata.name) <= 52",message="the name of a claim of kind cronjob or stateful has at most 52 characters: Kubernetes makes longer names from it"
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
// +kubebuilder:validation:XValidation:rule="!has(self.source) || !(has(self.kind) || has(self.ports) || has(self.envFrom) || has(self.command) || has(self.args) || has(self.probes) || has(self.autoscaling) || has(self.expose) || has(self.disruption) || has(self.spread) || has(self.files) || has(self.secrets) || has(self.serviceAccount) || has(self.labels) || has(self.annotations) || has(self.metrics) || has(self.job) || has(self.volumes) || (has(self.resources) && (has(self.resources.requests) || has(self.resources.limits))))",message="with source, what the paved road carries belongs in the team's own manifests: leave team and source alone here"
// +kubebuilder:validation:XValidation:rule="!(has(self.port) && has(self.ports))",message="set port (one port, reached on port 80) or ports, not both"
// +kubebuilder:validation:XValidation:rule="!(has(self.replicas) && has(self.autoscaling))",message="with autoscaling, min and max say how many replicas run: remove replicas"
// +kubebuilder:validation:XValidation:rule="!has(self.kind) || self.kind in ['service', 'stateful'] || !(has(self.port) || has(self.ports) || has(self.expose) || has(self.metrics))",message="only the kinds service and stateful have ports: remove port, ports, expose and metrics, or make it kind service"
// +kubebuilder:validation:XValidation:rule="!has(self.kind) || !(self.kind in ['job', 'cronjob']) || !(has(self.replicas) || has(self.autoscaling) || has(self.disruption) || has(self.spread) || has(self.probes))",message="a job ends, so it has no replicas, autoscaling, disruption, spread and probes: remove them"
// +kubebuilder:validation:XValidation:rule="has(self.job) ? has(self.kind) && self.kind in ['job', 'cronjob'] : !has(self.kind) || self.kind != 'cronjob'",message="job is for the kinds job and cronjob, and kind cronjob needs job.schedule"
// +kubebuilder:validation:XValidation:rule="!has(self.job) || !has(self.kind) || (self.kind == 'cronjob' ? has(self.job.schedule) : !(has(self.job.schedule) || has(self.job.timeZone) || has(self.job.concurrency) || has(self.job.suspend) || has(self.job.startWithinSeconds)))",message="kind cronjob needs job.schedule; with kind job there is no schedule, timeZone, concurrency, suspend and startWithinSeconds"
// +kubebuilder:validation:XValidation:rule="has(self.volumes) == (has(self.kind) && self.kind == 'stateful')",message="volumes are what kind stateful is for: set both, or neither"
// +kubebuilder:validation:XValidation:rule="!(has(self.expose) || has(self.metrics)) || has(self.port) || (has(self.ports) && self.ports.exists(p, !has(p.protocol) || p.protocol == 'TCP'))",message="expose and metrics need a port of protocol TCP: set port, or ports"
// +kubebuilder:validation:XValidation:rule="[self.?expose.?port, self.?metrics.?port, self.?probes.?readiness.?http.?port, self.?probes.?readiness.?tcp.?port, self.?probes.?readiness.?grpc.?port, self.?probes.?liveness.?http.?port, self.?probes.?liveness.?tcp.?port, self.?probes.?liveness.?grpc.?port, self.?probes.?startup.?http.?port, self.?probes.?startup.?tcp.?port, self.?probes.?startup.?grpc.?port].all(n, !n.hasValue() || (has(self.ports) ? self.ports.exists(p, p.name == n.value() && (!has(p.protocol) || p.protocol == 'TCP')) : n.value() == 'http'))",message="probes, expose and metrics name a port of protocol TCP among ports by its name; the one of port is http"
// +kubebuilder:validation:XValidation:rule="!has(self.probes) || has(self.port) || (has(self.ports) && self.ports.exists(p, !has(p.protocol) || p.protocol == 'TCP')) || ((!has(self.probes.readiness) || has(self.probes.readiness.exec)) && (!has(self.probes.liveness) || has(self.probes.liveness.exec)) && (!has(self.probes.startup) || has(self.probes.startup.exec)))",message="without a port of protocol TCP a probe can only run a command: use exec"
// +kubebuilder:validation:XValidation:rule="!has(self.disruption) || !has(self.disruption.minAvailable) || [has(self.autoscaling) ? self.autoscaling.?min.orValue(1) : self.?replicas.orValue(1)].all(n, n == 0 || (type(self.disruption.minAvailable) == int ? int(self.disruption.minAvailable) : (int(string(self.disruption.minAvailable).split('%')[0]) * n + 99) / 100) < n)",message="disruption.minAvailable leaves no room: with as many replicas as run at least (replicas, or autoscaling.min) no pod could ever be moved, and no node drained. Run one more, or use maxUnavailable"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.volumes) || !has(self.volumes) || self.volumes == oldSelf.volumes",message="volumes cannot be changed once they are there: make a claim of another name with the new ones and move the data"
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

	// Resources that each replica asks for, and may use at most. The team's budget is
	// not meant: cpu, memory and pods belong to the Tenant.
	// +optional
	Resources *ClaimResources `json:"resources,omitempty"`

	ClaimRoad `json:",inline"`
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
	// Hosts that the service has: no other claim gets one of them before this one has
	// let go of it.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Hosts []string `json:"hosts,omitempty"`
	// Inventory lists what the Application tracks. A claim that is deleted waits
	// until none of it is left.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	Inventory []ClaimObject `json:"inventory,omitempty"`
	// Findings are the open root findings of triage that concern the service, the gravest
	// first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Findings []ClaimFinding `json:"findings,omitempty"`
	// Conditions: TenantReady, DeliveryReady, WorkloadReady and the summary Ready;
	// Diagnosed, apart from it, while triage finds something that concerns the service;
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

// ClaimFinding is an open root finding of triage.
type ClaimFinding struct {
	// ID of the signature, such as DM101; docs/findings has a page of each.
	ID string `json:"id"`
	// Severity is error or warning.
	Severity string `json:"severity"`
	// Owner is who must act: platform, team or shared.
	Owner Party `json:"owner"`
	// Object that it is about, in words such as "Deployment/web in team-shop".
	Object string `json:"object"`
}

// ServiceClaimList is a list of ServiceClaims.
// +kubebuilder:object:root=true
type ServiceClaimList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ServiceClaim `json:"items"`
}
