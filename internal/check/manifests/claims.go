package manifests

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/charts"
	"demarc.dev/demarc/internal/chart"
	"demarc.dev/demarc/internal/check"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/render"
)

// Claims renders the claims among what was gathered, with the Platform's settings and the
// chart that comes with Demarc: what they become stands beside them. p may be nil.
func (g *Gathered) Claims(p *v1alpha1.Platform) error {
	settings := render.SettingsOf(p)
	var errs []error
	for _, m := range g.Manifests {
		u, ok := m.Object.(*unstructured.Unstructured)
		if !ok || u.GetKind() != "ServiceClaim" || u.GroupVersionKind().Group != v1alpha1.GroupName {
			continue
		}
		made, err := claim(u, settings)
		if err != nil {
			file, line := m.Find("")
			errs = append(errs, fmt.Errorf("%s:%d: ServiceClaim %s: %w", file, line, u.GetName(), err))
			continue
		}
		if made == nil {
			g.Notes = append(g.Notes, "ServiceClaim "+u.GetName()+" has manifests of its own: they are checked where they are")
		}
		for _, o := range made {
			g.Manifests = append(g.Manifests, check.Manifest{Object: o, From: "ServiceClaim " + u.GetName(), Find: func(path string) (string, int) { return m.Find(inClaim(path)) }})
		}
	}
	return errors.Join(errs...)
}

// claim is what a claim becomes; nothing where it has manifests of its own.
func claim(u *unstructured.Unstructured, settings render.Settings) (made []admitted.Object, err error) {
	c := &v1alpha1.ServiceClaim{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, c); err != nil {
		return nil, err
	}
	if c.Spec.Source != nil {
		return nil, nil
	}
	values, err := render.Values(c, settings)
	if err != nil {
		return nil, err
	}
	namespace := v1alpha1.NamespaceOf(c.Spec.Team)
	objects, err := chart.RenderFS(charts.Service(), chart.Release{Name: c.Name, Namespace: namespace, Values: values})
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		typed, err := admitted.Typed(o.Unstructured)
		if err != nil {
			return nil, err
		}
		made = append(made, admitted.Placed(typed, namespace, admitted.KindOf(o.GroupVersionKind()).Cluster))
	}
	return made, nil
}

// fields of a claim from which fields of what it becomes are made, by what their paths hold.
var fields = []struct{ holds, of string }{
	{"Probe", "spec.probes"}, {".env", "spec.env"}, {".image", "spec.image"}, {".resources", "spec.resources"}, {".command", "spec.command"},
	{"replicas", "spec.replicas"}, {"Replicas", "spec.autoscaling"}, {".ports", "spec.port"}, {"spec.rules", "spec.expose"}, {"spec.host", "spec.expose"},
	{"ingress", "spec.expose"}, {"spec.tls", "spec.expose"}, {"Available", "spec.disruption"}, {"topologySpread", "spec.spread"}, {"labels", "spec.labels"},
	{"storageClass", "spec.volumes"}, {"serviceAccount", "spec.serviceAccount"}, {"volumes", "spec.volumes"}, {"ttlSeconds", "spec.job"},
}

// inClaim is the field of a claim from which a field was made.
func inClaim(path string) string {
	for _, f := range fields {
		if strings.Contains(path, f.holds) {
			return f.of
		}
	}
	return ""
}
