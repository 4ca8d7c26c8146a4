package ownershipcontract

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"demarc.dev/demarc/api/v1alpha1"
)

// A party can be reached by somebody on call, or by a channel that alerts can be sent to; one
// that is there and cannot be sent to reaches nobody.
func TestNobody(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme)
	for name, contacts := range map[string]v1alpha1.Contacts{
		"chat": {Channel: "#chat"}, "called": {OnCall: "+49 30 1234"}, "called-too": {OnCall: "kim", Channel: "https://hooks.slack.com" + "/services/T0000/B0000/XXXX"},
		"none": {}, "hook": {Channel: "https://hooks.slack.com" + "/services/T0000/B0000/XXXX"}, "password": {Channel: "https://user:pass@x.example/y"},
		"template": {Channel: "#{{.X}}"}, "no-url": {Channel: "https:// x"},
	} {
		tenant := &v1alpha1.Tenant{}
		tenant.Name, tenant.Spec.Contacts = name, contacts
		c.WithObjects(tenant)
	}
	platform := &v1alpha1.Platform{Spec: v1alpha1.PlatformSpec{Team: v1alpha1.PlatformTeam{Groups: []string{"platform-engineers"}, Contacts: v1alpha1.Contacts{Channel: "#{{.X}}"}}}}
	r := &Reconciler{Client: c.Build()}
	want := []string{"platform", "team hook", "team no-url", "team none", "team password", "team template"}
	if got := r.nobody(t.Context(), platform); !slices.Equal(got, want) {
		t.Errorf("nobody is behind %q, want %q", got, want)
	}
	platform.Spec.Team.Contacts.OnCall = "platform-oncall"
	if got := r.nobody(t.Context(), platform); !slices.Equal(got, want[1:]) {
		t.Errorf("nobody is behind %q, want %q", got, want[1:])
	}
}
