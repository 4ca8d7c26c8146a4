package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AccessGrant gives somebody a role in a team's namespace for some hours: asked for
// with a reason, approved by somebody else, and ended by itself. It is what an
// emergency is met with instead of cluster-admin. It is not prolonged: what is to go on
// is a new AccessGrant. "demarc access request" makes one.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories=demarc,shortName=grant
// +kubebuilder:selectablefield:JSONPath=`.spec.team`
// +kubebuilder:printcolumn:name="Team",type=string,JSONPath=`.spec.team`
// +kubebuilder:printcolumn:name="Role",type=string,JSONPath=`.spec.role`
// +kubebuilder:printcolumn:name="Requested-By",type=string,JSONPath=`.spec.requestedBy`
// +kubebuilder:printcolumn:name="Approved-By",type=string,JSONPath=`.spec.approval.by`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.status.expires`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Why",type=string,priority=1,JSONPath=`.spec.reason`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || (self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && size(self.metadata.name) <= 63)",optionalOldSelf=true,message="the name becomes that of the RoleBinding demarc-grant-<name>: use at most 63 lower-case letters, digits and '-', beginning and ending with a letter or digit"
type AccessGrant struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what is asked for, and what became of that.
	Spec AccessGrantSpec `json:"spec"`
	// Status is what the operator found.
	// +optional
	Status AccessGrantStatus `json:"status,omitempty"`
}

// AccessGrantSpec is what is asked for. Exactly one of user, group and serviceAccount is
// set. Once made only approval and revocation change, each once.
//
// +kubebuilder:validation:XValidation:rule="[has(self.group), has(self.user), has(self.serviceAccount)].filter(x, x).size() == 1",message="set exactly one of user, group and serviceAccount; ask for one subject at a time"
// +kubebuilder:validation:XValidation:rule="self.team == oldSelf.team && self.role == oldSelf.role && self.reason == oldSelf.reason && self.duration == oldSelf.duration && self.requestedBy == oldSelf.requestedBy && has(self.user) == has(oldSelf.user) && (!has(self.user) || self.user == oldSelf.user) && has(self.group) == has(oldSelf.group) && (!has(self.group) || self.group == oldSelf.group) && has(self.serviceAccount) == has(oldSelf.serviceAccount) && (!has(self.serviceAccount) || self.serviceAccount == oldSelf.serviceAccount)",message="what was asked for is not changed afterwards, and not prolonged: ask anew with another AccessGrant"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.approval) || (has(self.approval) && self.approval == oldSelf.approval)",message="an approval stays as it was given: to end the access set revocation"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.revocation) || (has(self.revocation) && self.revocation == oldSelf.revocation)",message="a revocation stays: ask anew with another AccessGrant"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.revocation) || has(oldSelf.approval) || !has(self.approval)",message="it was revoked and is not approved any more: ask anew with another AccessGrant"
type AccessGrantSpec struct {
	// Team in whose namespace the role is given.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=58
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be the name of a Tenant: lower-case letters, digits and '-'"
	Team string `json:"team"`
	// User as the API server's authenticator names it. A ServiceAccount is named in
	// serviceAccount.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('system:')",message="system: is Kubernetes' own: name a person, or a ServiceAccount in serviceAccount"
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}]([^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\x{FFFE}\x{FFFF}]*[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}])?$')`,message="must be a name as the API server knows it: one line, without control characters and marks, not beginning or ending with a space"
	User string `json:"user,omitempty"`
	// Group as the API server's authenticator names it, slashes and prefixes included.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('system:')",message="system: groups are everybody, or Kubernetes' own: name a group of people"
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}]([^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\x{FFFE}\x{FFFF}]*[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}])?$')`,message="must be a name as the API server knows it: one line, without control characters and marks, not beginning or ending with a space"
	Group string `json:"group,omitempty"`
	// ServiceAccount of any namespace.
	// +optional
	ServiceAccount *TenantServiceAccount `json:"serviceAccount,omitempty"`
	// Role: one of those of Tenant.spec.access. view reads all but Secrets; operate also
	// restarts and scales, deletes pods and opens shells; edit also writes workloads and
	// the team's claims.
	// +kubebuilder:validation:Enum=view;operate;edit
	Role string `json:"role"`
	// Reason why it is needed, such as the incident's number and what is to be done.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('\\\\S')",message="say why: it is written into Events and the audit log, and who approves reads it"
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	Reason string `json:"reason"`
	// Duration for which it is given, in hours and minutes such as 2h or 1h30m, counted
	// from the approval. At most spec.access.maxHours of the Platform (8 where it says
	// nothing); what asks for more is refused.
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,3}h)?([0-9]{1,4}m)?(0s)?$') && self != '' && duration(self) >= duration('1m') && duration(self) <= duration('168h')",message="must be between 1m and 168h, in hours and minutes, such as 2h or 1h30m"
	Duration string `json:"duration"`
	// RequestedBy is who asks. It MUST be the user that makes the object, as the API
	// server knows it: "kubectl auth whoami" tells, and "demarc access request" fills
	// it in.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}]([^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\x{FFFE}\x{FFFF}]*[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}])?$')`,message="must be a name as the API server knows it: one line, without control characters and marks, not beginning or ending with a space"
	RequestedBy string `json:"requestedBy"`
	// Approval is set by who approves, once; not by who asked, nor by whom it is for.
	// +optional
	Approval *Approval `json:"approval,omitempty"`
	// Revocation ends it at once, before or after it was approved.
	// +optional
	Revocation *Revocation `json:"revocation,omitempty"`
}

// Approval is somebody's word that it may be.
type Approval struct {
	// By is who approves. It MUST be the user that sets it, as the API server knows it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}]([^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\x{FFFE}\x{FFFF}]*[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}])?$')`,message="must be a name as the API server knows it: one line, without control characters and marks, not beginning or ending with a space"
	By string `json:"by"`
	// Note to the approval.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	Note string `json:"note,omitempty"`
}

// Revocation is somebody's word that it ends.
type Revocation struct {
	// By is who revokes. It MUST be the user that sets it, as the API server knows it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}]([^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\x{FFFE}\x{FFFF}]*[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}])?$')`,message="must be a name as the API server knows it: one line, without control characters and marks, not beginning or ending with a space"
	By string `json:"by"`
	// Reason why it ends.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	Reason string `json:"reason,omitempty"`
}

// Life is when something that was asked for began and ends. The operator writes it.
type Life struct {
	// ApprovedAt is when the operator saw the approval; from then on its time runs.
	// +optional
	ApprovedAt *metav1.Time `json:"approvedAt,omitempty"`
	// Expires is when it ends by itself; absent, it has no end.
	// +optional
	Expires *metav1.Time `json:"expires,omitempty"`
	// EndedAt is when it ended, or was refused. What has ended does not begin again.
	// +optional
	EndedAt *metav1.Time `json:"endedAt,omitempty"`
	// TenantUID is the UID of the Tenant that it was approved for; one of the same name
	// that is made later is another team.
	// +optional
	TenantUID string `json:"tenantUID,omitempty"`
}

// AccessGrantStatus is what the operator found.
type AccessGrantStatus struct {
	// ObservedGeneration is the generation of the spec that the conditions speak of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Life is when it began and ends.
	Life `json:",inline"`
	// Conditions: Approved, and Ready while the access is there. Reconciling and
	// Stalled follow kstatus.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// AccessGrantList is a list of AccessGrants.
// +kubebuilder:object:root=true
type AccessGrantList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AccessGrant `json:"items"`
}
