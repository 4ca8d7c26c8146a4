package verify_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/verify"
)

// What power the platform's people hold by the contract is told, as a note: it differs from
// nothing.
func TestPowerByTheContract(t *testing.T) {
	set := fresh(t)
	shipped := byContract(t, verify.Check(set, verify.Question{}))
	for _, power := range []string{"Demarc's verb override", "Demarc's verb force", "Demarc's verb approve", "writing Demarc's settings and Tenants"} {
		if !strings.Contains(shipped, power) {
			t.Errorf("it does not tell %q: %s", power, shipped)
		}
	}
	for _, power := range []string{"writing admission", "writing cluster roles", "Demarc's verb deploy"} {
		if strings.Contains(shipped, power) {
			t.Errorf("by the shipped contract it tells %q: %s", power, shipped)
		}
	}
	spec := contract.Default().Spec.DeepCopy()
	for i := range spec.Domains {
		if d := &spec.Domains[i]; d.Name == "security-policies" || d.Name == "rbac-platform-roles" {
			d.ChangePath = v1alpha1.PathBoth
		}
	}
	add(t, set, "OwnershipContract", &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName}, Spec: *spec})
	wider := byContract(t, verify.Check(set, verify.Question{}))
	for _, power := range []string{"writing admission", "writing CRDs", "writing cluster roles"} {
		if !strings.Contains(wider, power) {
			t.Errorf("it does not tell %q: %s", power, wider)
		}
	}
}

// byContract is what the note on the platform's people says that they hold.
func byContract(t *testing.T, r verify.Report) (held string) {
	t.Helper()
	for _, f := range r.Findings {
		if f.ID == verify.Power && strings.Contains(f.Message, "by the contract") {
			if f.Severity != finding.Note || f.Object.Name != "demarc:platform" {
				t.Errorf("it is told as %s of %s", f.Severity, f.Object)
			}
			for _, e := range f.Evidence {
				held += e.Value + "\n"
			}
		}
	}
	if held == "" {
		t.Error("nothing is told of the platform's people")
	}
	return held
}
