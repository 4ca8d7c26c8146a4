package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BudgetRequest asks for a larger budget for a team, with or without an end, and needs
// no ticket: the team asks, whom the contract names approves, and the operator lays it
// over the budget of the Tenant, whose spec stays as it is. It never takes anything
// away: key by key the larger of the two holds. "demarc budget request" makes one.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories=demarc,shortName=budget
// +kubebuilder:selectablefield:JSONPath=`.spec.team`
// +kubebuilder:printcolumn:name="Team",type=string,JSONPath=`.spec.team`
// +kubebuilder:printcolumn:name="CPU",type=string,JSONPath=`.spec.resources.cpu`
// +kubebuilder:printcolumn:name="Memory",type=string,JSONPath=`.spec.resources.memory`
// +kubebuilder:printcolumn:name="Pods",type=integer,JSONPath=`.spec.resources.pods`
// +kubebuilder:printcolumn:name="Requested-By",type=string,JSONPath=`.spec.requestedBy`
// +kubebuilder:printcolumn:name="Approved-By",type=string,JSONPath=`.spec.approval.by`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.status.expires`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Why",type=string,priority=1,JSONPath=`.spec.reason`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || (self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && size(self.metadata.name) <= 63)",optionalOldSelf=true,message="use at most 63 lower-case letters, digits and '-' in the name, beginning and ending with a letter or digit"
type BudgetRequest struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what is asked for, and what became of that.
	Spec BudgetRequestSpec `json:"spec"`
	// Status is what the operator found.
	// +optional
	Status BudgetRequestStatus `json:"status,omitempty"`
}

// BudgetRequestSpec is what is asked for. Once made only approval and revocation change,
// each once.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.duration) && has(self.until))",message="set one of duration and until, or none of them for a budget without an end"
// +kubebuilder:validation:XValidation:rule="self.team == oldSelf.team && self.reason == oldSelf.reason && self.requestedBy == oldSelf.requestedBy && has(self.duration) == has(oldSelf.duration) && (!has(self.duration) || self.duration == oldSelf.duration) && has(self.until) == has(oldSelf.until) && (!has(self.until) || self.until == oldSelf.until)",message="what was asked for is not changed afterwards: ask anew with another BudgetRequest"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.approval) || (has(self.approval) && self.approval == oldSelf.approval)",message="an approval stays as it was given: to end the raise set revocation"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.revocation) || (has(self.revocation) && self.revocation == oldSelf.revocation)",message="a revocation stays: ask anew with another BudgetRequest"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.revocation) || has(oldSelf.approval) || !has(self.approval)",message="it was revoked and is not approved any more: ask anew with another BudgetRequest"
type BudgetRequestSpec struct {
	// Team whose budget is to be raised.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=58
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be the name of a Tenant: lower-case letters, digits and '-'"
	Team string `json:"team"`
	// Resources is the whole budget that is asked for, not what is to be added: with
	// cpu: 4 a team of 2 has 4. A key that is absent stays as it is. At most
	// spec.ceiling of the Platform; what asks for more is refused. Policy keeps it from
	// being changed afterwards.
	// +kubebuilder:validation:XValidation:rule="has(self.cpu) || has(self.memory) || has(self.pods)",message="name at least one of cpu, memory and pods"
	Resources Budget `json:"resources"`
	// Reason why it is needed.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('\\\\S')",message="say why: it is written into Events and the audit log, and who approves reads it"
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	Reason string `json:"reason"`
	// Duration for which it is raised, counted from the approval, in hours and minutes
	// such as 72h.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,4}h)?([0-9]{1,4}m)?(0s)?$') && self != '' && duration(self) >= duration('1m') && duration(self) <= duration('8784h')",message="must be between 1m and 8784h (a year), in hours and minutes, such as 72h; leave it out for no end"
	Duration string `json:"duration,omitempty"`
	// Until is when it ends, such as 2026-12-31T18:00:00Z.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
	// RequestedBy is who asks. It MUST be the user that makes the object, as the API
	// server knows it; "demarc budget request" fills it in.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}]([^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\x{FFFE}\x{FFFF}]*[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}])?$')`,message="must be a name as the API server knows it: one line, without control characters and marks, not beginning or ending with a space"
	RequestedBy string `json:"requestedBy"`
	// Approval is set by who approves, once; not by who asked.
	// +optional
	Approval *Approval `json:"approval,omitempty"`
	// Revocation ends it at once. What is in use stays, and nothing new is admitted.
	// +optional
	Revocation *Revocation `json:"revocation,omitempty"`
}

// BudgetRequestStatus is what the operator found.
type BudgetRequestStatus struct {
	// ObservedGeneration is the generation of the spec that the conditions speak of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Life is when it began and ends.
	Life `json:",inline"`
	// Conditions: Approved, and Ready while the Tenant's budget is raised by it.
	// Reconciling and Stalled follow kstatus.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// BudgetRequestList is a list of BudgetRequests.
// +kubebuilder:object:root=true
type BudgetRequestList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BudgetRequest `json:"items"`
}
