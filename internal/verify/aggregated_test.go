package verify_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/verify"
)

// Where Kubernetes' controllers run, the rules of the parts stand in the roles too that
// they are aggregated into; that makes nothing of Kubernetes' own a finding.
func TestFreshIsCleanWithAggregatedRolesFilled(t *testing.T) {
	set := &snapshot.Set{At: fresh(t).At}
	all := fresh(t).All()
	for range 2 { // the second round fills what is made of what the first one filled
		for _, o := range all {
			if o.GetKind() == "ClusterRole" {
				fill(o, all)
			}
		}
	}
	set.Add(all...)
	report := verify.Check(set, verify.Question{})
	if said := told(report, finding.Finding.Counts); said != "" {
		t.Error(said)
	}
}

func fill(role *unstructured.Unstructured, all []*unstructured.Unstructured) {
	selectors, _, _ := unstructured.NestedSlice(role.Object, "aggregationRule", "clusterRoleSelectors")
	var rules []any
	for _, s := range selectors {
		match, _, _ := unstructured.NestedStringMap(s.(map[string]any), "matchLabels")
		for _, o := range all {
			if o.GetKind() == "ClusterRole" && o != role && labels.SelectorFromSet(match).Matches(labels.Set(o.GetLabels())) {
				part, _, _ := unstructured.NestedSlice(o.Object, "rules")
				rules = append(rules, part...)
			}
		}
	}
	if len(selectors) > 0 {
		_ = unstructured.SetNestedSlice(role.Object, rules, "rules")
	}
}
