package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// GuardrailMode is what happens where a rule is broken.
//
// +kubebuilder:validation:Enum=deny;warn;audit;off
type GuardrailMode string

// Modes of a rule.
const (
	GuardrailDeny  GuardrailMode = "deny"
	GuardrailWarn  GuardrailMode = "warn"
	GuardrailAudit GuardrailMode = "audit"
	GuardrailOff   GuardrailMode = "off"
)

// GuardrailProfile is a set of modes for all rules.
//
// +kubebuilder:validation:Enum=baseline;strict
type GuardrailProfile string

// Profiles that come with Demarc.
const (
	ProfileBaseline GuardrailProfile = "baseline"
	ProfileStrict   GuardrailProfile = "strict"
)

// PlatformGuardrails are the limits within which teams drive.
type PlatformGuardrails struct {
	// Profile gives every rule its mode: baseline refuses what no ordinary workload
	// does, and warns of or notes the rest; strict refuses that too.
	// +optional
	// +kubebuilder:default=baseline
	Profile GuardrailProfile `json:"profile,omitempty"`
	// Rules have another mode than the profile gives them.
	// +optional
	// +listType=map
	// +listMapKey=id
	// +kubebuilder:validation:MaxItems=64
	Rules []GuardrailRule `json:"rules,omitempty"`
	// Teams have other modes than the rest.
	// +optional
	// +listType=map
	// +listMapKey=team
	// +kubebuilder:validation:MaxItems=1024
	Teams []TeamGuardrails `json:"teams,omitempty"`
	// Limits are what the rules measure with.
	// +optional
	Limits GuardrailLimits `json:"limits,omitzero"`
	// Exceptions are rules for GuardrailExceptions.
	// +optional
	Exceptions PlatformExceptions `json:"exceptions,omitzero"`
}

// GuardrailRule gives one rule a mode.
type GuardrailRule struct {
	// ID of the rule, such as image-registry; docs/guardrails lists them.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	ID string `json:"id"`
	// Mode that it has.
	Mode GuardrailMode `json:"mode"`
}

// TeamGuardrails are one team's modes.
type TeamGuardrails struct {
	// Team is the name of a Tenant.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=58
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be the name of a Tenant: lower-case letters, digits and '-'"
	Team string `json:"team"`
	// Rules have another mode for this team.
	// +listType=map
	// +listMapKey=id
	// +kubebuilder:validation:MaxItems=64
	Rules []GuardrailRule `json:"rules"`
}

// PlatformExceptions are rules for GuardrailExceptions.
type PlatformExceptions struct {
	// MaxDays that an exception may last. Absent: 90.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3650
	MaxDays *int32 `json:"maxDays,omitempty"`
	// WarnDays before its end that an exception is told of. Absent: 7.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=365
	WarnDays *int32 `json:"warnDays,omitempty"`
}

// GuardrailLimits are what the rules measure with. What is absent has a default that
// docs/guardrails names; an empty list allows everything.
type GuardrailLimits struct {
	// CPURequest is the most that one container may request. Absent: no limit.
	// +optional
	CPURequest *Quantity `json:"cpuRequest,omitempty"`
	// MemoryRequest is the most that one container may request. Absent: no limit.
	// +optional
	MemoryRequest *Quantity `json:"memoryRequest,omitempty"`
	// LimitRatio is how many times its request a container's limit may be. Absent: 10.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	LimitRatio *int32 `json:"limitRatio,omitempty"`
	// Replicas is the most that a workload may be scaled to. Absent: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Replicas *int32 `json:"replicas,omitempty"`
	// GracePeriodSeconds is the most that a pod may ask for before it is killed.
	// Absent: 300.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`
	// Registries that images may come from, each a host, or a host and a path:
	// registry.example, docker.io/library. Empty: any.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:items:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9._:/]*[A-Za-z0-9/])?$`
	Registries []string `json:"registries,omitempty"`
	// Labels that every workload has. Empty: none.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=317
	// +kubebuilder:validation:items:Pattern=`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
	Labels []string `json:"labels,omitempty"`
	// IngressClasses that an Ingress may name. Empty: any.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	IngressClasses []string `json:"ingressClasses,omitempty"`
	// StorageClasses that a PersistentVolumeClaim may name. Empty: any.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	StorageClasses []string `json:"storageClasses,omitempty"`
	// PriorityClasses that a pod may name. Empty: any but Kubernetes' own.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	PriorityClasses []string `json:"priorityClasses,omitempty"`
}

// GuardrailSet is what the policies of the guardrails read: which rules hold for whom, in
// one of the modes deny, warn and audit, which is its name. Those that judge hosts read
// another one, deny-hosts and so on, which has the domains of all teams. The operator writes
// all of them from Platform, Tenants and GuardrailExceptions; nobody else does.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories=demarc
// +kubebuilder:printcolumn:name="Rules",type=string,JSONPath=`.spec.summary`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name in ['deny', 'warn', 'audit', 'deny-hosts', 'warn-hosts', 'audit-hosts']",message="there are these sets alone: deny, warn and audit, and each of them with -hosts after it"
type GuardrailSet struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// Spec is what holds in this mode.
	Spec GuardrailSetSpec `json:"spec"`
}

// GuardrailSetSpec is what holds in one mode. The API server writes all of it as JSON and
// reads that again for each binding of each policy, at each request: it is kept small
// (docs/adr/0027).
type GuardrailSetSpec struct {
	// Summary says how many rules hold, for people.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Summary string `json:"summary,omitempty"`
	// Rules that have this mode for all teams, those in except apart. A rule that is
	// neither here nor in teams is off in this mode.
	// +optional
	// +listType=atomic
	Rules []string `json:"rules,omitempty"`
	// Except are teams for which one of rules has another mode, in lines of RULE/TEAM.
	// +optional
	Except string `json:"except,omitempty"`
	// Teams for which a rule has the mode that has it not for all, in lines of RULE/TEAM.
	// +optional
	Teams string `json:"teams,omitempty"`
	// Limits that the rules measure with, defaults filled in.
	// +optional
	// +structType=atomic
	Limits GuardrailLimits `json:"limits,omitzero"`
	// Domains that a team's hosts lie under, in lines of DOMAIN TEAM; in the sets for rules
	// that judge hosts alone.
	// +optional
	Domains string `json:"domains,omitempty"`
	// Exceptions that were approved and not revoked, in lines of
	// TEAM NAME EXPIRES RULE,RULE KEY=VALUE,KEY=VALUE; without labels that an object has to
	// have the last is left out. Whether one has ended the policy decides by the request's
	// own clock.
	// +optional
	Exceptions string `json:"exceptions,omitempty"`
}

// GuardrailSetList is a list of GuardrailSets.
//
// +kubebuilder:object:root=true
type GuardrailSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []GuardrailSet `json:"items"`
}
