package render

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/charts"
	"demarc.dev/demarc/internal/chart"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/hosts"
	"demarc.dev/demarc/internal/render"
)

// Delivered is what a claim with an image becomes in its namespace: by the chart in a folder,
// or the one that comes with this program where the folder has no name.
func Delivered(c *v1alpha1.ServiceClaim, settings render.Settings, dir string) (objects []render.Object, err error) {
	values, err := render.Values(c, settings)
	if err != nil {
		return nil, err
	}
	release := chart.Release{Name: c.Name, Namespace: v1alpha1.NamespaceOf(c.Spec.Team), Values: values}
	var made []chart.Object
	if dir != "" {
		made, err = chart.Render(dir, release)
	} else {
		made, err = chart.RenderFS(charts.Service(), release)
	}
	if err != nil {
		return nil, err
	}
	for _, o := range made {
		kind := schema.GroupKind{Group: o.GroupVersionKind().Group, Kind: o.GetKind()}
		if k, known := contract.ServedKind(kind); known && !k.Cluster && o.GetNamespace() == "" {
			o.SetNamespace(release.Namespace) // as Argo CD does
		}
		objects = append(objects, o.Unstructured)
	}
	return objects, nil
}

// refused is why a claim would not get its hosts, as far as the files say: those of a team
// whose Tenant is not among them are not judged.
func (s *set) refused(c *v1alpha1.ServiceClaim, settings render.Settings) *render.Refusal {
	facts := hosts.Facts{Settings: settings, Domains: map[string][]string{}}
	for _, t := range s.tenants {
		facts.Domains[t.object.Name] = t.object.Spec.Domains
	}
	if _, known := facts.Domains[c.Spec.Team]; !known {
		return nil
	}
	for _, other := range s.claims {
		facts.Claims = append(facts.Claims, *other.object)
	}
	return facts.Decide(c)
}
