package render

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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

// Replicas is the number asked for.
func Replicas(c *v1alpha1.ServiceClaim) int32 {
	if c.Spec.Replicas == nil {
		return 1
	}
	return *c.Spec.Replicas
}

// Application renders a claim's Argo CD Application. It is ErrNoChart where the
// claim has an image and the Platform no chart.
func Application(c *v1alpha1.ServiceClaim, s Settings) (Object, error) {
	source, err := source(c, s)
	if err != nil {
		return nil, err
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
			"syncOptions": []any{"ServerSideApply=true", "FailOnSharedResource=true"},
			// Without end, each time with what Git says then: what blocks a sync may go
			// at any time. A claim that is deleted ends the sync first.
			"retry": map[string]any{
				"limit":   int64(-1),
				"refresh": true,
				"backoff": map[string]any{"duration": "5s", "factor": int64(2), "maxDuration": "1m"},
			},
		},
	}}}
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
	return map[string]any{
		"repoURL":        s.Chart.RepoURL,
		"path":           s.Chart.Path,
		"targetRevision": s.Chart.TargetRevision,
		"helm": map[string]any{
			"releaseName":  c.Name,
			"valuesObject": values(c, s),
		},
	}, nil
}

// values are what the chart gets: the claim, and whose it is.
func values(c *v1alpha1.ServiceClaim, s Settings) map[string]any {
	v := map[string]any{
		"team":     c.Spec.Team,
		"claim":    c.Name,
		"image":    c.Spec.Image,
		"replicas": int64(Replicas(c)),
	}
	if c.Spec.Port != nil {
		v["port"] = int64(*c.Spec.Port)
	}
	if len(c.Spec.Env) > 0 {
		v["env"] = env(c.Spec.Env)
	}
	if s.PodSecurity == "restricted" {
		v["podSecurity"] = s.PodSecurity
	}
	return v
}

// env is what a container's env is: the shape is the same.
func env(vars []v1alpha1.ClaimEnv) []any {
	out := make([]any, 0, len(vars))
	for _, e := range vars {
		one := map[string]any{"name": e.Name}
		switch {
		case e.ValueFrom == nil:
			one["value"] = e.Value
		case e.ValueFrom.SecretKeyRef != nil:
			one["valueFrom"] = map[string]any{"secretKeyRef": keyRef(e.ValueFrom.SecretKeyRef)}
		case e.ValueFrom.ConfigMapKeyRef != nil:
			one["valueFrom"] = map[string]any{"configMapKeyRef": keyRef(e.ValueFrom.ConfigMapKeyRef)}
		}
		out = append(out, one)
	}
	return out
}

func keyRef(r *v1alpha1.ClaimKeyRef) map[string]any {
	return map[string]any{"name": r.Name, "key": r.Key}
}
