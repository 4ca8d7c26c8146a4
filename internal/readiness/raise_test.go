package readiness_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/readiness"
)

func budgetOf(cpu, memory string, pods int64) *v1alpha1.Budget {
	b := &v1alpha1.Budget{}
	if cpu != "" {
		q := intstr.FromString(cpu)
		b.CPU = &q
	}
	if memory != "" {
		q := intstr.FromString(memory)
		b.Memory = &q
	}
	if pods > 0 {
		b.Pods = &pods
	}
	return b
}

func raisedTo(t *testing.T, team *v1alpha1.Tenant, ceiling *v1alpha1.Budget, at int, requests ...v1alpha1.BudgetRequest) (string, int) {
	t.Helper()
	larger, raises := readiness.Raised(team, ceiling, requests, noon.Add(time.Duration(at)*time.Minute))
	if larger == nil {
		return "no budget", len(raises)
	}
	return readiness.BudgetWords(*larger), len(raises)
}

func TestRaised(t *testing.T) {
	request := func(name string, b *v1alpha1.Budget, l v1alpha1.Life) v1alpha1.BudgetRequest {
		return v1alpha1.BudgetRequest{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: v1alpha1.BudgetRequestSpec{Team: "payments", Resources: *b}, Status: v1alpha1.BudgetRequestStatus{Life: l}}
	}
	active := life(0, 120, -1)
	other := request("other", budgetOf("9", "", 0), active)
	other.Spec.Team = "orders"
	stopped := request("stopped", budgetOf("9", "", 0), active)
	stopped.Spec.Revocation = &v1alpha1.Revocation{By: "bo"}
	foreign := request("old", budgetOf("9", "", 0), active)
	foreign.Status.TenantUID = "t0"
	for name, c := range map[string]struct {
		has, ceiling *v1alpha1.Budget
		at           int
		requests     []v1alpha1.BudgetRequest
		want         string
		raises       int
	}{
		"none":                  {budgetOf("2", "4Gi", 10), nil, 5, nil, "cpu 2, memory 4Gi, pods 10", 0},
		"one key":               {budgetOf("2", "4Gi", 10), nil, 5, []v1alpha1.BudgetRequest{request("a", budgetOf("4", "", 0), active)}, "cpu 4, memory 4Gi, pods 10", 1},
		"less than there is":    {budgetOf("2", "4Gi", 10), nil, 5, []v1alpha1.BudgetRequest{request("a", budgetOf("1", "", 20), active)}, "cpu 2, memory 4Gi, pods 20", 1},
		"two, the larger holds": {budgetOf("2", "4Gi", 10), nil, 5, []v1alpha1.BudgetRequest{request("b", budgetOf("6", "5Gi", 0), active), request("a", budgetOf("4", "8Gi", 0), active)}, "cpu 6, memory 8Gi, pods 10", 2},
		"its time is over":      {budgetOf("2", "4Gi", 10), nil, 120, []v1alpha1.BudgetRequest{request("a", budgetOf("4", "", 0), active)}, "cpu 2, memory 4Gi, pods 10", 0},
		"it ended":              {budgetOf("2", "4Gi", 10), nil, 5, []v1alpha1.BudgetRequest{request("a", budgetOf("4", "", 0), life(0, 120, 3))}, "cpu 2, memory 4Gi, pods 10", 0},
		"not approved":          {budgetOf("2", "4Gi", 10), nil, 5, []v1alpha1.BudgetRequest{request("a", budgetOf("4", "", 0), life(-1, -1, -1))}, "cpu 2, memory 4Gi, pods 10", 0},
		"no end":                {budgetOf("2", "", 0), nil, 600_000, []v1alpha1.BudgetRequest{request("a", budgetOf("4", "", 0), life(0, -1, -1))}, "cpu 4", 1},
		"a key without a limit": {budgetOf("2", "", 0), nil, 5, []v1alpha1.BudgetRequest{request("a", budgetOf("4", "9Gi", 30), active)}, "cpu 4", 1},
		"no budget":             {nil, nil, 5, []v1alpha1.BudgetRequest{request("a", budgetOf("4", "", 0), active)}, "no budget", 0},
		"a ceiling came down":   {budgetOf("2", "4Gi", 10), budgetOf("3", "1Gi", 0), 5, []v1alpha1.BudgetRequest{request("a", budgetOf("4", "8Gi", 0), active)}, "cpu 3, memory 4Gi, pods 10", 1},
		"strangers":             {budgetOf("2", "", 0), nil, 5, []v1alpha1.BudgetRequest{other, stopped, foreign}, "cpu 2", 0},
	} {
		t.Run(name, func(t *testing.T) {
			team := &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "payments", UID: types.UID("t1")}, Spec: v1alpha1.TenantSpec{Resources: c.has}}
			before := team.DeepCopy()
			got, raises := raisedTo(t, team, c.ceiling, c.at, c.requests...)
			if got != c.want || raises != c.raises {
				t.Errorf("%s by %d, want %s by %d", got, raises, c.want, c.raises)
			}
			if c.has != nil && readiness.BudgetWords(*team.Spec.Resources) != readiness.BudgetWords(*before.Spec.Resources) {
				t.Error("the Tenant itself was changed")
			}
		})
	}
}

func TestRaiseRefused(t *testing.T) {
	for name, c := range map[string]struct {
		asks, has, ceiling *v1alpha1.Budget
		want               string
	}{
		"more":                     {budgetOf("4", "", 0), budgetOf("2", "4Gi", 10), budgetOf("4", "", 0), ""},
		"above the ceiling":        {budgetOf("4", "", 11), budgetOf("2", "4Gi", 10), budgetOf("3", "", 0), "AboveCeiling"},
		"above it in another unit": {budgetOf("", "4097Mi", 0), budgetOf("", "1Gi", 0), budgetOf("", "4Gi", 0), "AboveCeiling"},
		"as much":                  {budgetOf("2000m", "", 0), budgetOf("2", "4Gi", 10), nil, "NotARaise"},
		"of what has no limit":     {budgetOf("", "", 11), budgetOf("2", "", 0), nil, "NotARaise"},
		"no budget":                {budgetOf("2", "", 0), nil, nil, "NotARaise"},
	} {
		var amounts [3]v1alpha1.Amounts
		for i, b := range []*v1alpha1.Budget{c.asks, c.has, c.ceiling} {
			amounts[i], _ = b.Amounts()
		}
		got := ""
		if trouble := readiness.RaiseRefused(amounts[0], amounts[1], amounts[2]); trouble != nil {
			got = trouble.Reason
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
