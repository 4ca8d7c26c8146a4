package verify_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/verify"
)

var began = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// life is that of something approved for two hours.
var life = v1alpha1.Life{ApprovedAt: ptr.To(metav1.NewTime(began)), Expires: ptr.To(metav1.NewTime(began.Add(2 * time.Hour))), TenantUID: "uid-of-tenant-payments"}

// What an AccessGrant gives is as it should be while it is in force, and overdue afterwards,
// whatever its status says by then.
func TestGrants(t *testing.T) {
	g := &v1alpha1.AccessGrant{ObjectMeta: metav1.ObjectMeta{Name: "night", UID: "uid-of-grant"},
		Spec: v1alpha1.AccessGrantSpec{Team: "payments", User: "kim", Role: "edit", Reason: "r", Duration: "2h", RequestedBy: "kim", Approval: &v1alpha1.Approval{By: "lee"}}}
	g.Status.Life = life
	bindings := render.Grant(g, life.Expires.Time)
	for name, c := range map[string]struct {
		at   time.Time
		then func(*v1alpha1.AccessGrant)
		want string
	}{
		"in force":          {at: began.Add(time.Hour)},
		"over":              {at: began.Add(3 * time.Hour), want: verify.Overdue},
		"revoked":           {at: began.Add(time.Hour), then: func(g *v1alpha1.AccessGrant) { g.Spec.Revocation = &v1alpha1.Revocation{By: "lee"} }, want: verify.Overdue},
		"never approved":    {at: began.Add(time.Hour), then: func(g *v1alpha1.AccessGrant) { g.Spec.Approval = nil }, want: verify.Overdue},
		"of another Tenant": {at: began.Add(time.Hour), then: func(g *v1alpha1.AccessGrant) { g.Status.TenantUID = "before" }, want: verify.Overdue},
	} {
		t.Run(name, func(t *testing.T) {
			set, now := fresh(t), g.DeepCopy()
			set.At = c.at
			if c.then != nil {
				c.then(now)
			}
			add(t, set, "AccessGrant", now)
			set.Add(bindings...)
			found := map[string]int{}
			for _, f := range verify.Check(set, verify.Question{}).Findings {
				if f.Counts() {
					found[f.ID]++
				}
			}
			if c.want == "" && len(found) > 0 || c.want != "" && found[c.want] != len(bindings) {
				t.Errorf("it finds %v, want %d of %q", found, len(bindings), c.want)
			}
		})
	}
}

// A budget that was raised by request is the one that is compared with.
func TestRaisedBudget(t *testing.T) {
	set := fresh(t)
	set.At = began.Add(time.Hour)
	r := &v1alpha1.BudgetRequest{ObjectMeta: metav1.ObjectMeta{Name: "more"}, Spec: v1alpha1.BudgetRequestSpec{
		Team: "payments", Resources: v1alpha1.Budget{CPU: ptr.To(intstr.FromString("9"))}, Approval: &v1alpha1.Approval{By: "lee"}}}
	r.Status.Life = life
	add(t, set, "BudgetRequest", r)
	if said := told(verify.Check(set, verify.Question{}), finding.Finding.Counts); said == "" {
		t.Error("a quota that was not raised yet is not told")
	}
	quota := set.Get(schema.GroupKind{Kind: "ResourceQuota"}, "team-payments", "demarc")
	if err := unstructured.SetNestedField(quota.Object, "9", "spec", "hard", "requests.cpu"); err != nil {
		t.Fatal(err)
	}
	for _, f := range verify.Check(set, verify.Question{}).Findings {
		if f.Counts() && f.Object.Kind == "ResourceQuota" {
			t.Errorf("%s %s: %s", f.ID, f.Object, f.Message)
		}
	}
}

func add(t testing.TB, set *snapshot.Set, kind string, o any) {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	must(t, err)
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind(kind))
	set.Add(u)
}
