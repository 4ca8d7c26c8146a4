package contract_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

func TestPack(t *testing.T) {
	other := contract.Default().Spec.DeepCopy()
	other.Domains[0].Paged = v1alpha1.PartyNobody
	two := []*contract.Contract{contract.Default(), contract.New(*other)}
	got, err := contract.Unpack(contract.Pack(two...))
	if err != nil || len(got) != 2 {
		t.Fatalf("it unpacks %d: %v", len(got), err)
	}
	for i := range two {
		if diff := cmp.Diff(two[i].Spec, got[i].Spec); diff != "" {
			t.Errorf("contract %d (-packed +unpacked)\n%s", i, diff)
		}
	}
	if contract.Pack(got...) != contract.Pack(two...) {
		t.Error("packed again it is another word")
	}
	if size := len(contract.Pack(two[0])); size > 16<<10 {
		t.Errorf("the shipped contract takes %d bytes of an annotation", size)
	}
	for _, bad := range []string{"x", "####", contract.Pack(two[0])[:40], contract.Pack(two[0]) + "."} {
		if c, err := contract.Unpack(bad); err == nil {
			t.Errorf("%.20q unpacks to %d", bad, len(c))
		}
	}
	if c, err := contract.Unpack(""); err != nil || len(c) > 0 {
		t.Errorf("nothing unpacks to %d: %v", len(c), err)
	}
}
