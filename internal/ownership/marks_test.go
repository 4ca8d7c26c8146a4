package ownership_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"demarc.dev/demarc/internal/ownership"
)

// The kinds whose marks are believed are those that the policy guards.
func TestMarkedIsThePolicys(t *testing.T) {
	text, err := os.ReadFile("../../charts/demarc/templates/policies/marks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	policy, _, _ := strings.Cut(string(text), "matchConditions:") // the first policy's
	var guarded, marked []string
	for _, m := range regexp.MustCompile(`(?s)apiGroups: \["?([^"\]]*)"?\].*?resources: \[([^\]]*)\]`).FindAllStringSubmatch(policy, -1) {
		for _, resource := range strings.Split(m[2], ", ") {
			if !strings.Contains(resource, "/") {
				guarded = append(guarded, m[1]+" "+resource)
			}
		}
	}
	for _, k := range ownership.Marked {
		resource := strings.ToLower(k.Kind) + "s"
		if stem, ok := strings.CutSuffix(resource, "ys"); ok {
			resource = stem + "ies"
		}
		marked = append(marked, k.Group+" "+resource)
	}
	slices.Sort(guarded)
	slices.Sort(marked)
	if !slices.Equal(guarded, marked) {
		t.Errorf("the policy guards %q, and believed are %q", guarded, marked)
	}
}
