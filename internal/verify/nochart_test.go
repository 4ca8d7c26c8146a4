package verify_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/verify"
)

func ours(kind string) schema.GroupKind {
	return schema.GroupKind{Group: v1alpha1.GroupName, Kind: kind}
}

// While no Platform names the chart the operator leaves what was delivered, and the
// repositories of its project, as they are: nothing of it is to be mended.
func TestNoChart(t *testing.T) {
	application := schema.GroupKind{Group: "argoproj.io", Kind: "Application"}
	for name, c := range map[string]struct {
		then func(*testing.T, *snapshot.Set)
		want string
	}{
		"nothing else": {then: func(*testing.T, *snapshot.Set) {}},
		"the claim asks for another image": {then: func(t *testing.T, set *snapshot.Set) {
			put(t, set.Get(ours("ServiceClaim"), "", "checkout"), "nginx:1.28-alpine", "spec", "image")
		}},
		"the Application delivers elsewhere": {want: "OC021 error Application/payments.checkout in argocd", then: func(t *testing.T, set *snapshot.Set) {
			put(t, set.Get(application, "argocd", "payments.checkout"), "team-shop", "spec", "destination", "namespace")
		}},
		"the Application's mark is another": {want: "OC010 error Application/payments.checkout in argocd", then: func(t *testing.T, set *snapshot.Set) {
			put(t, set.Get(ours("ServiceClaim"), "", "checkout"), "nginx:1.28-alpine", "spec", "image")
			put(t, set.Get(application, "argocd", "payments.checkout"), "serviceclaim.other", "metadata", "labels", v1alpha1.LabelOwner)
		}},
		"the project lets other kinds through": {want: "OC015 error AppProject/team-payments in argocd", then: func(t *testing.T, set *snapshot.Set) {
			project := set.Get(schema.GroupKind{Group: "argoproj.io", Kind: "AppProject"}, "argocd", "team-payments")
			unstructured.RemoveNestedField(project.Object, "spec", "namespaceResourceWhitelist")
		}},
		"Argo CD acts as itself": {want: "OC016 error ConfigMap/argocd-cm in argocd", then: func(t *testing.T, set *snapshot.Set) {
			put(t, set.Get(schema.GroupKind{Kind: "ConfigMap"}, "argocd", "argocd-cm"), "false", "data", "application.sync.impersonation.enabled")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			set := fresh(t)
			unstructured.RemoveNestedField(set.Get(ours("Platform"), "", "default").Object, "spec", "chart")
			c.then(t, set)
			said := told(verify.Check(set, verify.Question{}), finding.Finding.Counts)
			if c.want == "" && said != "" || !strings.HasPrefix(said, c.want) || strings.Count(said, "\nOC") > 0 {
				t.Errorf("it finds, and should find %q:\n%s", c.want, said)
			}
		})
	}
}

// Of a Tenant whose budget does not parse the operator leaves all as it is.
func TestBrokenBudget(t *testing.T) {
	set := fresh(t)
	put(t, set.Get(ours("Tenant"), "", "payments"), "much", "spec", "resources", "cpu")
	if said := told(verify.Check(set, verify.Question{}), finding.Finding.Counts); said != "" {
		t.Errorf("it finds\n%s", said)
	}
	put(t, set.Get(schema.GroupKind{Kind: "ResourceQuota"}, "team-payments", "demarc"), "tenant.shop", "metadata", "labels", v1alpha1.LabelOwner)
	if said := told(verify.Check(set, verify.Question{}), finding.Finding.Counts); !strings.Contains(said, "OC010 error ResourceQuota/demarc in team-payments") {
		t.Errorf("of a mark that was changed it finds\n%s", said)
	}
}

func put(t *testing.T, o snapshot.Object, value any, fields ...string) {
	t.Helper()
	must(t, unstructured.SetNestedField(o.Object, value, fields...))
}
