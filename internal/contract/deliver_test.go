package contract_test

import (
	"testing"

	"demarc.dev/demarc/internal/contract"
)

// The platform's Git brings what is the platform's as a whole or by name or label; a field
// comes with the object that it is in.
func TestDeliverableByPlatform(t *testing.T) {
	got := map[string]bool{}
	for _, r := range contract.Default().DeliverableByPlatform() {
		got[r.Kind] = true
	}
	for kind, want := range map[string]bool{
		"Namespace": true, "ClusterRole": true, "NetworkPolicy": true, "AppProject": true, // as a whole
		"RoleBinding": true, "ServiceAccount": true, // those with Demarc's label
		"Service":       false,                                         // spec.externalIPs alone
		"ResourceQuota": false,                                         // changed in the cluster alone
		"Deployment":    false, "Secret": false, "ServiceClaim": false, // the team's
		"EndpointSlice": false, "SubjectAccessReview": false, // nobody's
	} {
		if got[kind] != want {
			t.Errorf("%s: %v, want %v", kind, got[kind], want)
		}
	}
}
