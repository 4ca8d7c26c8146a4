package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OwnershipContract says of each kind of thing who creates it, who changes it, who
// approves that, who watches it, who is paged, and who deletes it. From it are made
// the roles, the admission policy, what Git may deliver, CODEOWNERS, the routes of
// alerts, and what "demarc who" answers. There is one, named "default"; without it the
// contract that comes with Demarc holds ("demarc contract render" prints it). Try a
// change before you apply it: "demarc contract lint FILE".
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories=demarc,shortName=contract
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || self.metadata.name == 'default'",optionalOldSelf=true,message="there is one OwnershipContract and its name is default: put these domains into it"
type OwnershipContract struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what was agreed.
	Spec OwnershipContractSpec `json:"spec"`
	// Status is what the operator found.
	// +optional
	Status OwnershipContractStatus `json:"status,omitempty"`
}

// Party is a side of the contract.
//
// +kubebuilder:validation:Enum=platform;team;shared;nobody
type Party string

// The parties. Shared needs a named way to decide.
const (
	PartyPlatform Party = "platform"
	PartyTeam     Party = "team"
	PartyShared   Party = "shared"
	PartyNobody   Party = "nobody"
)

// ChangePath is the way on which people change what is theirs.
//
// +kubebuilder:validation:Enum=git;cluster;both
type ChangePath string

// The paths. With git alone people get no write in the cluster.
const (
	PathGit     ChangePath = "git"
	PathCluster ChangePath = "cluster"
	PathBoth    ChangePath = "both"
)

// TeamRole is a role of a team's people.
//
// +kubebuilder:validation:Enum=view;operate;edit;nobody
type TeamRole string

// The roles, each including those before it; nobody is that no role has it.
const (
	TeamView    TeamRole = "view"
	TeamOperate TeamRole = "operate"
	TeamEdit    TeamRole = "edit"
	TeamNobody  TeamRole = "nobody"
)

// OwnershipContractSpec is what was agreed.
type OwnershipContractSpec struct {
	// Unlisted is whose the kinds are that the cluster serves and no domain covers.
	// They are listed in the condition Complete until somebody decides.
	// +optional
	// +kubebuilder:default=platform
	// +kubebuilder:validation:Enum=platform;team;nobody
	Unlisted Party `json:"unlisted,omitempty"`

	// Decisions are the named ways in which the parties decide what they share.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Decisions []ContractDecision `json:"decisions,omitempty"`

	// Repositories are the places in Git that domains name in their paths.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Repositories []ContractRepository `json:"repositories,omitempty"`

	// Trusted are those who act on both sides of the boundary without being of a
	// party, each with the reason.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Trusted []ContractTrusted `json:"trusted,omitempty"`

	// Domains are what is agreed on, one by one.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=128
	Domains []ContractDomain `json:"domains"`
}

// ContractDecision is a way to decide what is shared.
type ContractDecision struct {
	// Name by which domains refer to it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// How it is decided: who meets where, and who has the last word.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	How string `json:"how"`
}

// ContractRepository is a place in Git.
type ContractRepository struct {
	// Name by which domains refer to it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// URL of the repository.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	URL string `json:"url,omitempty"`
}

// ContractTrusted is somebody who acts on both sides of the boundary. Exactly one of
// user, group and serviceAccount is set.
//
// +kubebuilder:validation:XValidation:rule="[has(self.group), has(self.user), has(self.serviceAccount)].filter(x, x).size() == 1",message="set exactly one of group, user and serviceAccount"
type ContractTrusted struct {
	// User as the API server's authenticator names it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	User string `json:"user,omitempty"`
	// Group as the API server's authenticator names it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Group string `json:"group,omitempty"`
	// ServiceAccount, such as a backup tool's.
	// +optional
	ServiceAccount *TenantServiceAccount `json:"serviceAccount,omitempty"`
	// Reason for which it is trusted.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Reason string `json:"reason"`
}

// ContractDomain is one thing that is owned: six answers, and what they are about.
//
// +kubebuilder:validation:XValidation:rule="has(self.decision) || !('shared' in [self.creates, self.modifies, self.approves, self.monitors, self.paged, self.deletes])",message="an answer of shared needs a decision: name the way in which the parties decide"
type ContractDomain struct {
	// Name of the domain, as alerts carry it in the label demarc_domain.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="use lower-case letters, digits and '-'"
	Name string `json:"name"`
	// Title for people.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Title string `json:"title,omitempty"`

	// Creates says who makes it.
	Creates Party `json:"creates"`
	// Modifies says who changes it.
	Modifies Party `json:"modifies"`
	// Approves says who agrees to a change before it is made.
	Approves Party `json:"approves"`
	// Monitors says who watches it.
	Monitors Party `json:"monitors"`
	// Paged says who is called when it fails.
	Paged Party `json:"paged"`
	// Deletes says who takes it away.
	Deletes Party `json:"deletes"`

	// ChangePath is the way on which people change it.
	// +kubebuilder:default=git
	ChangePath ChangePath `json:"changePath,omitempty"`

	// Decision is the name of the way in which the parties decide what they share.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Decision string `json:"decision,omitempty"`

	// Boundary says what each side does where the two meet.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Boundary string `json:"boundary,omitempty"`

	// Paths are where it is in Git.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Paths []ContractPath `json:"paths,omitempty"`

	// Resources are the kinds that it covers; none where it is about work alone.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Resources []ContractResource `json:"resources,omitempty"`
}

// ContractPath is a place in a repository.
type ContractPath struct {
	// Repository by its name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Repository string `json:"repository"`
	// Path in it, as CODEOWNERS has them; {team} stands for each team's name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Path string `json:"path"`
}

// ContractResource names kinds of one API group.
type ContractResource struct {
	// Group of the kinds; empty is Kubernetes' core.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`
	// Kinds of that group.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=63
	Kinds []string `json:"kinds"`
	// Name narrows it to objects of that name.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
	// Label narrows it to objects that carry this label: KEY, or KEY=VALUE.
	// +optional
	// +kubebuilder:validation:MaxLength=400
	Label string `json:"label,omitempty"`
	// Fields narrows it to these fields of the objects, as paths with dots.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=256
	Fields []string `json:"fields,omitempty"`
	// Read is the role of a team from which on its people read them.
	// +optional
	// +kubebuilder:default=view
	Read TeamRole `json:"read,omitempty"`
	// Operations are what people do with them beside reading and writing, each with the
	// role of a team from which on: logs, status, restart, delete, exec, portForward,
	// evict, readScale, scale, deploy, scaleClaim, contact, request.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Operations map[string]TeamRole `json:"operations,omitempty"`
	// Instead is what a team does instead where this is the platform's; a refusal says it.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Instead string `json:"instead,omitempty"`
}

// OwnershipContractStatus is what the operator found.
type OwnershipContractStatus struct {
	// ObservedGeneration is the generation of the spec that the conditions speak of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions: Valid, Compiled, Complete, Verified and the summary Ready.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// OwnershipContractList is a list of OwnershipContracts.
// +kubebuilder:object:root=true
type OwnershipContractList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OwnershipContract `json:"items"`
}
