package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Tenant is a team: its name is the team's name. It keeps the team's namespace
// team-<name>, its access, its budget, its isolation and its Argo CD project.
// The platform team writes it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories=demarc,shortName=tn
// +kubebuilder:printcolumn:name="Namespace",type=string,JSONPath=`.status.namespace`
// +kubebuilder:printcolumn:name="CPU",type=string,JSONPath=`.spec.resources.cpu`
// +kubebuilder:printcolumn:name="Memory",type=string,JSONPath=`.spec.resources.memory`
// +kubebuilder:printcolumn:name="Pods",type=integer,JSONPath=`.spec.resources.pods`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Findings",type=integer,JSONPath=`.status.findings.open`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || (self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && size(self.metadata.name) <= 58)",optionalOldSelf=true,message="a Tenant's name is the team's name and becomes the namespace team-<name>: use at most 58 lower-case letters, digits and '-', beginning and ending with a letter or digit"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || !(self.metadata.name in ['platform', 'team', 'shared', 'nobody', 'system', 'default', 'demarc'])",optionalOldSelf=true,message="this name is reserved (platform, team, shared, nobody, system, default, demarc): choose the team's own name"
type Tenant struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the platform team grants the team.
	// +optional
	Spec TenantSpec `json:"spec,omitempty"`
	// Status is what the operator found.
	// +optional
	Status TenantStatus `json:"status,omitempty"`
}

// TenantSpec is what the platform team grants the team.
type TenantSpec struct {
	// Resources is the team's budget: what all its pods may ask for together.
	// Absent: no quota. A budget below what is in use is accepted; nothing is
	// evicted, nothing new is admitted, and QuotaReady says BelowUsage.
	// +optional
	Resources *Budget `json:"resources,omitempty"`

	// Access says who may do what in the team's namespace. Absent: the group
	// team-<name> gets the role edit. An empty list: nobody gets anything.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Access []TenantAccess `json:"access,omitzero"`

	// Contacts are how the team is reached. The team's role edit may change them, and
	// nothing else of its Tenant.
	// +optional
	Contacts Contacts `json:"contacts,omitzero"`

	// Adopt lets the Tenant take over a namespace team-<name> that is there already
	// and is nobody's in Demarc. What was adopted stays when the Tenant goes; only
	// what Demarc put into it is taken out again. Ask first what it would change:
	// demarc adopt NAMESPACE --dry-run.
	// +optional
	Adopt bool `json:"adopt,omitempty"`

	// Sources are the Git repositories that may deliver into the namespace, beside
	// the platform's own chart.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Sources []TenantSource `json:"sources,omitempty"`

	// Domains that the hosts of the team's services lie under: shop.example allows that
	// host and all below it.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.all(d, d.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'))",message="each must be a domain in lower case, such as shop.example, without '*'"
	Domains []string `json:"domains,omitempty"`
}

// TenantAccess gives one subject one role in the team's namespace. Exactly one
// of group, user and serviceAccount is set; names are taken as they are written.
//
// +kubebuilder:validation:XValidation:rule="[has(self.group), has(self.user), has(self.serviceAccount)].filter(x, x).size() == 1",message="set exactly one of group, user and serviceAccount; make one entry for each subject"
type TenantAccess struct {
	// Group as the API server's authenticator names it, slashes and prefixes included.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}]([^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\x{FFFE}\x{FFFF}]*[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}])?$')`,message="must be a name as the API server knows it: one line, without control characters and marks, not beginning or ending with a space"
	Group string `json:"group,omitempty"`
	// User as the API server's authenticator names it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}]([^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\x{FFFE}\x{FFFF}]*[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}])?$')`,message="must be a name as the API server knows it: one line, without control characters and marks, not beginning or ending with a space"
	User string `json:"user,omitempty"`
	// ServiceAccount of any namespace, such as a CI system's.
	// +optional
	ServiceAccount *TenantServiceAccount `json:"serviceAccount,omitempty"`
	// Role: view reads all but Secrets; operate also restarts and scales, deletes pods
	// and opens shells; edit also writes workloads and the team's claims.
	// +kubebuilder:validation:Enum=view;operate;edit
	Role string `json:"role"`
}

// TenantServiceAccount names a ServiceAccount.
type TenantServiceAccount struct {
	// Namespace of the ServiceAccount.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be the name of a namespace: lower-case letters, digits and '-'"
	Namespace string `json:"namespace"`
	// Name of the ServiceAccount.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')`,message="must be the name of a ServiceAccount: lower-case letters, digits, '-' and '.'"
	Name string `json:"name"`
}

// TenantSource is a repository that may deliver into the team's namespace.
type TenantSource struct {
	// RepoURL as Argo CD names it. None of what Argo CD takes for a pattern: that
	// would let in repositories that nobody has looked at.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^!*?[{][^*?[{]*$')",message="must be the whole URL of one repository, without any of '*', '?', '[', '{' or a leading '!'"
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	RepoURL string `json:"repoURL"`
}

// TenantStatus is what the operator found.
type TenantStatus struct {
	// ObservedGeneration is the generation of the spec that the conditions speak of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Namespace of the team, once it is the team's.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Raises are the BudgetRequests that raise the team's budget at present; spec stays
	// as it was written.
	// +optional
	// +listType=map
	// +listMapKey=request
	Raises []TenantRaise `json:"raises,omitempty"`
	// Findings counts the open findings of triage that concern the team; absent, there
	// are none.
	// +optional
	Findings *TenantFindings `json:"findings,omitempty"`
	// Conditions: NamespaceReady, AccessReady, QuotaReady, ProjectReady and the
	// summary Ready; ExceptionsValid, apart from it, where the team has
	// GuardrailExceptions; while deleting ClaimsDrained. Reconciling and Stalled follow
	// kstatus.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// TenantFindings counts root findings.
type TenantFindings struct {
	// Open is how many there are.
	Open int32 `json:"open"`
	// Errors is how many of them are errors; the others are warnings.
	Errors int32 `json:"errors"`
}

// TenantRaise is a BudgetRequest that raises a team's budget.
type TenantRaise struct {
	// Request is the BudgetRequest's name.
	Request string `json:"request"`
	// Budget that it raises the team's to, in words such as "cpu 4, pods 20". Where another
	// raises a key further that holds, and the ceiling bounds it.
	Budget string `json:"budget"`
	// Until is when it ends; absent, it has no end.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
}

// TenantList is a list of Tenants.
// +kubebuilder:object:root=true
type TenantList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Tenant `json:"items"`
}
