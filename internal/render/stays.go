package render

import (
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/subset"
)

// While no Platform names the chart, what was delivered from one stays as it is. Only the
// cluster says then which chart that was, so both of these take what is live.

// KeepRepositories leaves a team's project the repositories that the live one has, while no
// Platform names the chart; live is nil where there is none.
func KeepRepositories(project Object, t *v1alpha1.Tenant, s Settings, live Object) error {
	if project == nil || live == nil || s.Chart != nil {
		return nil
	}
	repos, _, _ := unstructured.NestedStringSlice(live.Object, "spec", "sourceRepos")
	for _, src := range t.Spec.Sources {
		if !slices.Contains(repos, src.RepoURL) {
			repos = append(repos, src.RepoURL)
		}
	}
	if len(repos) == 0 {
		return nil
	}
	return unstructured.SetNestedStringSlice(project.Object, repos, "spec", "sourceRepos")
}

// KeepChart gives the settings with the chart that the live Application has, while no
// Platform names one and the claim asks for nothing else than what is delivered: what would
// have to change waits for the Platform. live is nil where there is none.
func KeepChart(c *v1alpha1.ServiceClaim, s Settings, live Object) Settings {
	if _, err := Application(c, s); live == nil || !errors.Is(err, ErrNoChart) {
		return s
	}
	source, _, _ := unstructured.NestedMap(live.Object, "spec", "source")
	chart := &v1alpha1.PlatformChart{}
	chart.RepoURL, _ = source["repoURL"].(string)
	chart.Path, _ = source["path"].(string)
	chart.TargetRevision, _ = source["targetRevision"].(string)
	kept := s
	kept.Chart = chart
	desired, err := Application(c, kept)
	if err != nil {
		return s
	}
	want, _, _ := unstructured.NestedMap(desired.Object, "spec", "source")
	if !subset.Within(want, source) || !subset.Within(source, want) {
		return s
	}
	return kept
}
