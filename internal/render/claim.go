package render

import (
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/owner"
)

// ErrNoChart says that the platform team has not said where the chart is.
var ErrNoChart = errors.New("Platform/default has no spec.chart")

// ClaimRef is the owner that a claim's Application carries.
func ClaimRef(c *v1alpha1.ServiceClaim) owner.Ref {
	return owner.Ref{Kind: "ServiceClaim", Name: c.Name, UID: c.UID}
}

// ApplicationName is the name of a claim's Application.
func ApplicationName(c *v1alpha1.ServiceClaim) string { return c.Spec.Team + "." + c.Name }

// Replicas is the number asked for; with autoscaling it is the least.
func Replicas(c *v1alpha1.ServiceClaim) int32 {
	if a := c.Spec.Autoscaling; a != nil {
		return ptr.Deref(a.Min, 1)
	}
	return ptr.Deref(c.Spec.Replicas, 1)
}

// WorkloadOf is the kind of object that a claim with an image runs as.
func WorkloadOf(c *v1alpha1.ServiceClaim) schema.GroupVersionKind {
	switch c.Spec.Kind {
	case v1alpha1.KindStateful:
		return appsv1.SchemeGroupVersion.WithKind("StatefulSet")
	case v1alpha1.KindJob:
		return batchv1.SchemeGroupVersion.WithKind("Job")
	case v1alpha1.KindCronJob:
		return batchv1.SchemeGroupVersion.WithKind("CronJob")
	case v1alpha1.KindService, v1alpha1.KindWorker:
	}
	return appsv1.SchemeGroupVersion.WithKind("Deployment")
}

// Application renders a claim's Argo CD Application. It is ErrNoChart where the
// claim has an image and the Platform no chart, and a Refusal where the claim asks for
// what this platform has not.
func Application(c *v1alpha1.ServiceClaim, s Settings) (Object, error) {
	source, err := source(c, s)
	if err != nil {
		return nil, err
	}
	options := []any{"ServerSideApply=true", "FailOnSharedResource=true"}
	if c.Spec.Autoscaling != nil {
		options = append(options, "RespectIgnoreDifferences=true")
	}
	automated := map[string]any{"prune": true}
	if s.SelfHeal {
		automated["selfHeal"] = true
	}
	app := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"project":     ProjectName(c.Spec.Team),
		"destination": map[string]any{"server": argocd.InCluster, "namespace": v1alpha1.NamespaceOf(c.Spec.Team)},
		"source":      source,
		"syncPolicy": map[string]any{
			"automated":   automated,
			"syncOptions": options,
			// Without end, each time with what Git says then: what blocks a sync may go
			// at any time. A claim that is deleted ends the sync first.
			"retry": map[string]any{
				"limit":   int64(-1),
				"refresh": true,
				"backoff": map[string]any{"duration": "5s", "factor": int64(2), "maxDuration": "1m"},
			},
		},
	}}}
	if c.Spec.Autoscaling != nil {
		// The number is the autoscaler's. It is rendered all the same, so that a service
		// that begins, or changes over, is never down to the one that Kubernetes assumes.
		app.Object["spec"].(map[string]any)["ignoreDifferences"] = []any{map[string]any{
			"group": "apps", "kind": WorkloadOf(c).Kind, "name": c.Name, "jsonPointers": []any{"/spec/replicas"},
		}}
	}
	app.SetGroupVersionKind(argocd.ApplicationKind)
	app.SetNamespace(s.ArgoCDNamespace)
	app.SetName(ApplicationName(c))
	app.SetFinalizers([]string{argocd.FinalizerForeground})
	app.SetLabels(map[string]string{v1alpha1.LabelClaim: c.Name})
	return own(app, ClaimRef(c), c.Spec.Team), nil
}

func source(c *v1alpha1.ServiceClaim, s Settings) (map[string]any, error) {
	if src := c.Spec.Source; src != nil {
		out := map[string]any{"repoURL": src.RepoURL, "path": src.Path, "targetRevision": src.TargetRevision}
		if src.Path == "" {
			out["path"] = "."
		}
		if src.TargetRevision == "" {
			out["targetRevision"] = "HEAD"
		}
		return out, nil
	}
	if s.Chart == nil {
		return nil, ErrNoChart
	}
	values, err := Values(c, s)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"repoURL":        s.Chart.RepoURL,
		"path":           s.Chart.Path,
		"targetRevision": s.Chart.TargetRevision,
		"helm": map[string]any{
			"releaseName":  c.Name,
			"valuesObject": values,
		},
	}, nil
}
