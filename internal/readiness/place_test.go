package readiness

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
)

// Same name is never ownership: an Application is a claim's by Demarc's label alone.
func TestAddApplication(t *testing.T) {
	app := func(name, project, claim, owner string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"project": project}}}
		o.SetName(name)
		o.SetLabels(map[string]string{v1alpha1.LabelClaim: claim, v1alpha1.LabelOwner: owner})
		return o
	}
	drain := TenantDrain{Team: "shop"}
	for _, c := range []struct {
		app  *unstructured.Unstructured
		want Place
	}{
		{app("shop.web", "team-shop", "web", "serviceclaim.web"), OfClaim},
		{app("shop.lost", "team-shop", "lost", "serviceclaim.lost"), Orphan},
		{app("shop.fake", "team-shop", "web", "serviceclaim.other"), Stranger},
		{app("hand", "team-shop", "", ""), Stranger},
		{app("other", "default", "web", "serviceclaim.web"), Elsewhere},
		{app("none", "", "web", "serviceclaim.web"), Elsewhere},
	} {
		if got := drain.AddApplication(c.app, []string{"web"}); got != c.want {
			t.Errorf("%s: %v, want %v", c.app.GetName(), got, c.want)
		}
	}
	want := TenantDrain{Team: "shop", Applications: []string{"shop.web", "shop.fake", "hand"}, Orphans: []string{"shop.lost"}}
	if diff := cmp.Diff(want, drain); diff != "" {
		t.Error(diff)
	}
}
