// Package lab is the platform as it was before its one kind was split, rebuilt small: a claim that holds what belongs to a
// team (namespace, access, budget) together with what belongs to one service (its delivery), and so works once per team.
// It has an API group of its own and shares no code with the current design. Do not build on it.
//
// +groupName=lab.demarc.dev
// +versionName=v1
package lab

//go:generate go tool -modfile=../../../go.tools.mod controller-gen object crd paths=. output:crd:dir=.

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SchemeGroupVersion is the group and version of the old kind.
var SchemeGroupVersion = schema.GroupVersion{Group: "lab.demarc.dev", Version: "v1"}

// ServiceClaim is the old kind: a service, and with it all that its team has.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:printcolumn:name="Team",type=string,JSONPath=`.spec.team`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
type ServiceClaim struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ServiceClaimSpec `json:"spec"`
	// +optional
	Status ServiceClaimStatus `json:"status,omitempty"`
}

// ServiceClaimSpec mixes two sizes of thing: Team and Resources are the team's, Image and Replicas the service's.
//
// +kubebuilder:object:generate=true
type ServiceClaimSpec struct {
	// Team that the service belongs to; its namespace is team-<team>.
	Team string `json:"team"`
	// Image that runs.
	Image string `json:"image"`
	// Replicas that run.
	Replicas int32 `json:"replicas"`
	// Resources is the budget of the whole team, repeated in each of its claims.
	Resources Budget `json:"resources"`
}

// Budget caps what a team's pods may ask for together.
//
// +kubebuilder:object:generate=true
type Budget struct {
	CPU    resource.Quantity `json:"cpu"`
	Memory resource.Quantity `json:"memory"`
	Pods   int64             `json:"pods"`
}

// ServiceClaimStatus says how far the controller came.
//
// +kubebuilder:object:generate=true
type ServiceClaimStatus struct {
	// Conditions hold one entry per step that was reached, and the summary Ready.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ServiceClaimList is a list of claims.
//
// +kubebuilder:object:root=true
type ServiceClaimList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ServiceClaim `json:"items"`
}

// AddToScheme registers the old kind.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(SchemeGroupVersion, &ServiceClaim{}, &ServiceClaimList{})
	metav1.AddToGroupVersion(s, SchemeGroupVersion)
	return nil
}
