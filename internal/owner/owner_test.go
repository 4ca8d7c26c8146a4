package owner_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"demarc.dev/demarc/internal/owner"
)

func TestLabelFitsAndTellsApart(t *testing.T) {
	long := strings.Repeat("a", 52)
	one := owner.Ref{Kind: "ServiceClaim", Name: long + "b"}.Label()
	other := owner.Ref{Kind: "ServiceClaim", Name: long + "c"}.Label()
	for _, label := range []string{one, other, owner.Ref{Kind: "Tenant", Name: strings.Repeat("t-", 28) + "t"}.Label()} {
		if problems := validation.IsValidLabelValue(label); len(problems) > 0 {
			t.Errorf("%q: %v", label, problems)
		}
	}
	if one == other {
		t.Errorf("two claims share the label %q", one)
	}
	if got := (owner.Ref{Kind: "Tenant", Name: "payments"}).Label(); got != "tenant.payments" {
		t.Errorf("got %q", got)
	}
}

func TestCompare(t *testing.T) {
	ref := owner.Ref{Kind: "Tenant", Name: "payments", UID: "1"}
	stamped := func(r owner.Ref) *metav1.ObjectMeta {
		m := &metav1.ObjectMeta{}
		r.Stamp(m)
		return m
	}
	for _, c := range []struct {
		name string
		live *metav1.ObjectMeta
		want owner.Verdict
	}{
		{"ours", stamped(ref), owner.Ours},
		{"same name, other UID", stamped(owner.Ref{Kind: "Tenant", Name: "payments", UID: "2"}), owner.Reborn},
		{"another kind of the same name", stamped(owner.Ref{Kind: "ServiceClaim", Name: "payments", UID: "1"}), owner.Foreign},
		{"nobody's", &metav1.ObjectMeta{Name: "team-payments"}, owner.Foreign},
		{"only the UID", &metav1.ObjectMeta{Annotations: map[string]string{"demarc.dev/owner-uid": "1"}}, owner.Foreign},
	} {
		if got := owner.Compare(c.live, ref); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	yes := true
	for want, live := range map[string]*metav1.ObjectMeta{
		"Demarc's tenant.other":         {Labels: map[string]string{"demarc.dev/owner": "tenant.other"}},
		"Lab/payments":                  {OwnerReferences: []metav1.OwnerReference{{Kind: "Lab", Name: "payments", Controller: &yes}}},
		"the Argo CD Application infra": {Annotations: map[string]string{"argocd.argoproj.io/tracking-id": "infra:/Namespace:/team-x"}},
		"the Helm release base":         {Annotations: map[string]string{"meta.helm.sh/release-name": "base"}},
		"terraform":                     {Labels: map[string]string{"app.kubernetes.io/managed-by": "terraform"}},
		"somebody else":                 {},
	} {
		if got := owner.Describe(live); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
