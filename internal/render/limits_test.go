package render_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/render"
)

func budgetOf(cpu, memory string, pods int64) *v1alpha1.Budget {
	b := &v1alpha1.Budget{}
	if cpu != "" {
		q := intstr.Parse(cpu)
		b.CPU = &q
	}
	if memory != "" {
		q := intstr.Parse(memory)
		b.Memory = &q
	}
	if pods > 0 {
		b.Pods = &pods
	}
	return b
}

// defaults are what a container gets that says nothing, and the quota's hard limits.
func defaults(t *testing.T, own, holds *v1alpha1.Budget) (container, hard string) {
	t.Helper()
	team := &v1alpha1.Tenant{Spec: v1alpha1.TenantSpec{Resources: own}}
	team.Name = "payments"
	space, err := render.Raised(team, holds, render.SettingsOf(nil))
	must(t, err)
	if space.Limits == nil {
		return "", ""
	}
	var limits corev1.LimitRange
	var quota corev1.ResourceQuota
	must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(space.Limits.Object, &limits))
	must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(space.Quota.Object, &quota))
	l := limits.Spec.Limits[0]
	limit, cpu, memory := l.Default[corev1.ResourceMemory], l.DefaultRequest[corev1.ResourceCPU], l.DefaultRequest[corev1.ResourceMemory]
	q := quota.Spec.Hard
	hardCPU, hardMemory, hardPods := q[corev1.ResourceRequestsCPU], q[corev1.ResourceLimitsMemory], q[corev1.ResourcePods]
	return fmt.Sprintf("cpu %s, memory %s to %s", cpu.String(), memory.String(), limit.String()),
		fmt.Sprintf("cpu %s, memory %s, pods %s", hardCPU.String(), hardMemory.String(), hardPods.String())
}

// What a container gets that says nothing is of the written budget: a raise lowers it as
// little as its end does, and the quota alone follows.
func TestRaiseLowersNoDefault(t *testing.T) {
	own := budgetOf("2", "4Gi", 10)
	before, _ := defaults(t, own, own)
	for name, c := range map[string]struct {
		holds *v1alpha1.Budget
		hard  string
	}{
		"more pods":       {budgetOf("2", "4Gi", 40), "cpu 2, memory 4Gi, pods 40"},
		"a million pods":  {budgetOf("2", "4Gi", 1_000_000), "cpu 2, memory 4Gi, pods 1M"},
		"more memory":     {budgetOf("2", "64Gi", 10), "cpu 2, memory 64Gi, pods 10"},
		"more of all":     {budgetOf("8", "16Gi", 40), "cpu 8, memory 16Gi, pods 40"},
		"no more (ended)": {own, "cpu 2, memory 4Gi, pods 10"},
	} {
		if got, hard := defaults(t, own, c.holds); got != before || hard != c.hard {
			t.Errorf("%s: a container gets %s of %s, want %s of %s", name, got, hard, before, c.hard)
		}
	}
}

// However many pods a budget is for, each gets something to run with.
func TestDefaultsAreSomethingToRunWith(t *testing.T) {
	for name, c := range map[string]struct {
		budget *v1alpha1.Budget
		want   string
	}{
		"the Platform's":            {budgetOf("2", "4Gi", 10), "cpu 100m, memory 128Mi to 256Mi"},
		"lowered":                   {budgetOf("500m", "1Gi", 10), "cpu 50m, memory 107374182 to 107374182"},
		"as far as it goes":         {budgetOf("2", "4Gi", 1_000_000), "cpu 1m, memory 16Mi to 16Mi"},
		"of bytes":                  {budgetOf("1m", "1", 2), "cpu 1m, memory 16Mi to 16Mi"},
		"without a number of pods":  {budgetOf("1m", "1Mi", 0), "cpu 100m, memory 128Mi to 256Mi"},
		"without a limit of memory": {budgetOf("", "", 1_000), "cpu 100m, memory 128Mi to 256Mi"},
	} {
		if got, _ := defaults(t, c.budget, c.budget); got != c.want {
			t.Errorf("%s: a container gets %s, want %s", name, got, c.want)
		}
	}
	if got, _ := defaults(t, nil, nil); got != "" {
		t.Errorf("without a budget a container gets %s", got)
	}
}
