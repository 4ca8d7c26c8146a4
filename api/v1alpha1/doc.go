// Package v1alpha1 holds Demarc's kinds: Platform, Tenant and ServiceClaim.
//
// The platform team writes one Platform and one Tenant per team; a team writes
// ServiceClaims. Every rule that needs nothing but the object itself is a CEL
// rule here and so part of the CRD; rules that need the Platform's settings are
// ValidatingAdmissionPolicies in charts/demarc.
//
// +kubebuilder:object:generate=true
// +kubebuilder:ac:generate=true
// +groupName=demarc.dev
package v1alpha1
