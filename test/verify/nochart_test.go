package verify

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/testenv"
)

// withoutChart has the operator see a Platform that names no chart: what it leaves as it is
// then is not to be mended either.
func withoutChart(t *testing.T) {
	stop, done := operator.Operator(t, clock.RealClock{}), env.StandIn(t)
	defer done()
	defer stop()
	before := repositories(t)
	chart := nameChart(t, nil)
	claim := refused(t)
	if err := clean(t); err != nil {
		t.Errorf("without a chart it finds: %v", err)
	}
	if after := repositories(t); !slices.Equal(before, after) || len(after) == 0 {
		t.Errorf("the project lets in %q, and before %q", after, before)
	}
	nameChart(t, chart)
	testenv.EventuallyWithin(t, patience, func() error {
		must(t, env.Client.Get(t.Context(), client.ObjectKeyFromObject(claim), claim))
		if err := isReady(claim.Name, claim.Status.Conditions); err != nil {
			return err
		}
		return clean(t)
	})
}

// refused scales a claim until that is refused for want of a chart: then the operator has
// seen it go.
func refused(t *testing.T) *v1alpha1.ServiceClaim {
	t.Helper()
	claim, replicas := &v1alpha1.ServiceClaim{}, int32(1)
	testenv.EventuallyWithin(t, patience, func() error {
		if err := env.Client.Get(t.Context(), types.NamespacedName{Name: "checkout"}, claim); err != nil {
			return err
		}
		is := meta.FindStatusCondition(claim.Status.Conditions, "Ready")
		switch {
		case is.ObservedGeneration == claim.Generation && is.Reason == "ChartNotConfigured":
			return nil
		case is.ObservedGeneration == claim.Generation:
			replicas = replicas%4 + 1
			claim.Spec.Replicas = &replicas
			if err := env.Client.Update(t.Context(), claim); err != nil {
				return err
			}
		}
		return fmt.Errorf("generation %d is not judged yet: %+v", claim.Generation, is)
	})
	return claim
}

// nameChart has the Platform name a chart, or none; it returns the one before.
func nameChart(t *testing.T, chart *v1alpha1.PlatformChart) (before *v1alpha1.PlatformChart) {
	t.Helper()
	testenv.EventuallyWithin(t, patience, func() error {
		platform := &v1alpha1.Platform{}
		if err := env.Client.Get(t.Context(), types.NamespacedName{Name: v1alpha1.PlatformName}, platform); err != nil {
			return err
		}
		before, platform.Spec.Chart = platform.Spec.Chart, chart
		return env.Client.Update(t.Context(), platform)
	})
	return before
}

func repositories(t *testing.T) []string {
	t.Helper()
	project := &unstructured.Unstructured{}
	project.SetGroupVersionKind(argocd.ProjectKind)
	must(t, env.Client.Get(t.Context(), types.NamespacedName{Namespace: argoCD, Name: "team-payments"}, project))
	repos, _, err := unstructured.NestedStringSlice(project.Object, "spec", "sourceRepos")
	must(t, err)
	return repos
}
