package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// GuardrailException lets a team break rules until a given time: asked for with a reason,
// and approved by somebody else. It ends by itself, by the clock of the API server, also
// while the operator is down. It is not prolonged: what is to go on is a new one.
// "demarc exception request" makes one.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories=demarc,shortName=exception
// +kubebuilder:selectablefield:JSONPath=`.spec.team`
// +kubebuilder:printcolumn:name="Team",type=string,JSONPath=`.spec.team`
// +kubebuilder:printcolumn:name="Rules",type=string,JSONPath=`.spec.rules`
// +kubebuilder:printcolumn:name="Requested-By",type=string,JSONPath=`.spec.requestedBy`
// +kubebuilder:printcolumn:name="Approved-By",type=string,JSONPath=`.spec.approval.by`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.spec.expires`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Why",type=string,priority=1,JSONPath=`.spec.reason`
type GuardrailException struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what is asked for, and what became of that.
	Spec GuardrailExceptionSpec `json:"spec"`
	// Status is what the operator found.
	// +optional
	Status GuardrailExceptionStatus `json:"status,omitempty"`
}

// GuardrailExceptionSpec is what is asked for. Once made only approval and revocation
// change, each once.
//
// +kubebuilder:validation:XValidation:rule="self.team == oldSelf.team && self.rules == oldSelf.rules && self.reason == oldSelf.reason && self.expires == oldSelf.expires && self.requestedBy == oldSelf.requestedBy && has(self.selector) == has(oldSelf.selector) && (!has(self.selector) || self.selector == oldSelf.selector)",message="what was asked for is not changed afterwards, and not prolonged: ask anew with another GuardrailException"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.approval) || (has(self.approval) && self.approval == oldSelf.approval)",message="an approval stays as it was given: to end the exception set revocation"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.revocation) || (has(self.revocation) && self.revocation == oldSelf.revocation)",message="a revocation stays: ask anew with another GuardrailException"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.revocation) || has(oldSelf.approval) || !has(self.approval)",message="it was revoked and is not approved any more: ask anew with another GuardrailException"
type GuardrailExceptionSpec struct {
	// Team that may break the rules.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=58
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be the name of a Tenant: lower-case letters, digits and '-'"
	Team string `json:"team"`
	// Rules by their ids, such as image-registry.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Rules []string `json:"rules"`
	// Selector narrows it to objects with all of these labels.
	// +optional
	Selector *GuardrailSelector `json:"selector,omitempty"`
	// Reason why the team cannot keep the rules.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason"`
	// Expires is when it ends, at most as far ahead as Platform.spec.guardrails.exceptions
	// allows.
	Expires metav1.Time `json:"expires"`
	// RequestedBy is who asks: the API server sees to it that it is who made this.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	RequestedBy string `json:"requestedBy"`
	// Approval is set once, by somebody else whom the ownership contract names.
	// +optional
	Approval *Approval `json:"approval,omitempty"`
	// Revocation ends it early, or says no.
	// +optional
	Revocation *Revocation `json:"revocation,omitempty"`
}

// GuardrailSelector picks objects by their labels.
type GuardrailSelector struct {
	// MatchLabels that an object has to have, all of them.
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$') && k.size() <= 317)",message="each key must be one that Kubernetes takes for a label"
	MatchLabels map[string]ClaimLabelValue `json:"matchLabels"`
}

// Labels that an object has to have; none where there is no selector.
func (s *GuardrailSelector) Labels() map[string]string {
	if s == nil {
		return nil
	}
	out := make(map[string]string, len(s.MatchLabels))
	for k, v := range s.MatchLabels {
		out[k] = string(v)
	}
	return out
}

// GuardrailExceptionStatus is what the operator found.
type GuardrailExceptionStatus struct {
	// ObservedGeneration is the generation of the spec that the conditions speak of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Life is when it began and ended.
	Life `json:",inline"`
	// Conditions: Approved, and Ready as long as it holds; Cleared once it has ended, True
	// when nothing runs on it any more. Reconciling and Stalled follow kstatus.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Living names objects that run on it although it ended, at most twenty.
	// +optional
	// +listType=atomic
	Living []string `json:"living,omitempty"`
}

// GuardrailExceptionList is a list of GuardrailExceptions.
//
// +kubebuilder:object:root=true
type GuardrailExceptionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []GuardrailException `json:"items"`
}
