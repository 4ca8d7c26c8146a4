package operator

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

// tenants is a reader that holds Tenants and nothing else.
type tenants struct {
	client.Reader
	list []v1alpha1.Tenant
}

func (r tenants) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	if list, ok := into.(*v1alpha1.TenantList); ok {
		list.Items = r.list
	}
	return nil
}

func tenantAt(generation, observed int64, conditions ...metav1.Condition) v1alpha1.Tenant {
	return v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Generation: generation},
		Status: v1alpha1.TenantStatus{ObservedGeneration: observed, Conditions: conditions}}
}

func TestFiguresOfWhatIsNotReady(t *testing.T) {
	ready := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "TenantReady"}
	taken := metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, Reason: "NamespaceTaken"}
	registry := prometheus.NewRegistry()
	registry.MustRegister(notReadyCollector{tenants{list: []v1alpha1.Tenant{
		tenantAt(2, 2, ready), tenantAt(3, 2, ready), tenantAt(1, 1, taken), tenantAt(1, 0),
	}}})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			key := f.GetName()
			for _, l := range m.GetLabel() {
				key += " " + l.GetValue()
			}
			got[key] = m.GetGauge().GetValue()
		}
	}
	want := map[string]float64{
		"demarc_generation_behind Tenant": 2, "demarc_generation_behind ServiceClaim": 0, "demarc_generation_behind Platform": 0,
		"demarc_not_ready Tenant NamespaceTaken": 1, "demarc_not_ready Tenant NotSeen": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
