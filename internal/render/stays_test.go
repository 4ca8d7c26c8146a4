package render_test

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/render"
)

func chartOf(repoURL string) *v1alpha1.PlatformChart {
	return &v1alpha1.PlatformChart{RepoURL: repoURL, Path: "charts/service", TargetRevision: "v1"}
}

// While no Platform names the chart, what is delivered is rendered as it is, and what would
// have to change is not.
func TestKeepChart(t *testing.T) {
	claim := &v1alpha1.ServiceClaim{Spec: v1alpha1.ServiceClaimSpec{Team: "t", Image: "nginx"}}
	named := render.SettingsOf(nil)
	named.Chart = chartOf("file:///one.git")
	live, err := render.Application(claim, named)
	must(t, err)
	changed := claim.DeepCopy()
	changed.Spec.Image = "nginx:2"
	other := named
	other.Chart = chartOf("file:///other.git")
	fromSource := &v1alpha1.ServiceClaim{Spec: v1alpha1.ServiceClaimSpec{Team: "t", Source: &v1alpha1.ClaimSource{RepoURL: "file:///theirs.git"}}}
	for name, c := range map[string]struct {
		claim    *v1alpha1.ServiceClaim
		settings render.Settings
		live     render.Object
		want     string
	}{
		"as it is delivered":       {claim, render.SettingsOf(nil), live, "file:///one.git"},
		"asks for something else":  {changed, render.SettingsOf(nil), live, ""},
		"was not delivered":        {claim, render.SettingsOf(nil), nil, ""},
		"the Platform names one":   {claim, other, live, "file:///other.git"},
		"it brings its own source": {fromSource, render.SettingsOf(nil), live, ""},
	} {
		got := ""
		if chart := render.KeepChart(c.claim, c.settings, c.live).Chart; chart != nil {
			got = chart.RepoURL
		}
		if got != c.want {
			t.Errorf("%s: chart %q, want %q", name, got, c.want)
		}
	}
}

// While no Platform names the chart, a project keeps the repositories that it has, and gets
// those that its Tenant names.
func TestKeepRepositories(t *testing.T) {
	team := &v1alpha1.Tenant{Spec: v1alpha1.TenantSpec{Sources: []v1alpha1.TenantSource{{RepoURL: "file:///theirs.git"}}}}
	live := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"sourceRepos": []any{"file:///chart.git"}}}}
	named := render.SettingsOf(nil)
	named.Chart = chartOf("file:///other.git")
	for name, c := range map[string]struct {
		settings render.Settings
		live     render.Object
		want     []string
	}{
		"as it is":               {render.SettingsOf(nil), live, []string{"file:///chart.git", "file:///theirs.git"}},
		"there is none":          {render.SettingsOf(nil), nil, []string{"file:///theirs.git"}},
		"the Platform names one": {named, live, []string{"file:///other.git", "file:///theirs.git"}},
	} {
		space, err := render.Tenant(team, c.settings)
		must(t, err)
		must(t, render.KeepRepositories(space.Project, team, c.settings, c.live))
		if got, _, _ := unstructured.NestedStringSlice(space.Project.Object, "spec", "sourceRepos"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
