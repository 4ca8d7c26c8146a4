package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupName is the API group of every kind in this package.
const GroupName = "demarc.dev"

// SchemeGroupVersion is the group and version of every kind in this package.
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1alpha1"}

var (
	schemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)
	// AddToScheme registers the kinds of this package.
	AddToScheme = schemeBuilder.AddToScheme
)

func addKnownTypes(s *runtime.Scheme) error {
	s.AddKnownTypes(SchemeGroupVersion,
		&Platform{}, &PlatformList{},
		&Tenant{}, &TenantList{},
		&ServiceClaim{}, &ServiceClaimList{},
		&OwnershipContract{}, &OwnershipContractList{},
		&AccessGrant{}, &AccessGrantList{},
		&BudgetRequest{}, &BudgetRequestList{},
		&GuardrailSet{}, &GuardrailSetList{},
		&GuardrailException{}, &GuardrailExceptionList{},
	)
	metav1.AddToGroupVersion(s, SchemeGroupVersion)
	return nil
}
