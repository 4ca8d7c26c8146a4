package check

import (
	"cmp"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/guardrail/offline"
	"demarc.dev/demarc/internal/render"
)

// world is what the requests meet.
func (c *check) world() (*offline.World, error) {
	w := &offline.World{At: c.At}
	w.Around.Pods = filled(w, c.Settings.Platform)
	spaces, err := c.Settings.spaces()
	w.Add(namespace(cmp.Or(c.Team, anybody)))
	for _, m := range c.Manifests {
		if team, ok := admitted.TeamOf(c.namespace(m.Object)); ok {
			w.Add(namespace(team))
		}
	}
	w.Add(spaces...)
	sets, wrong := c.Settings.sets()
	w.Add(sets...)
	for _, o := range c.Settings.Around {
		n, ok := o.(*corev1.Namespace)
		if _, named := admitted.TeamOf(nameOfNamespace(n)); ok && named && n.Labels[v1alpha1.LabelTenant] == "" {
			continue // its label is Demarc's to give, and will be there
		}
		w.Add(o)
	}
	w.Add(c.Rules.beside...)
	return w, errors.Join(err, wrong)
}

// filled is what Demarc's own policies fill into the pods of teams.
func filled(w *offline.World, p *v1alpha1.Platform) func(*corev1.Pod) {
	s := render.SettingsOf(p)
	requests := corev1.ResourceList{corev1.ResourceCPU: s.CPURequest, corev1.ResourceMemory: s.MemoryRequest}
	return func(pod *corev1.Pod) {
		if team := w.Team(pod.Namespace); team != "" {
			guardrail.Fill(pod, team, requests)
		}
	}
}

func nameOfNamespace(n *corev1.Namespace) string {
	if n == nil {
		return ""
	}
	return n.Name
}

// spaces are the namespaces and the limits of the Tenants that are known.
func (s *Settings) spaces() (list []runtime.Object, err error) {
	var errs []error
	for i := range s.Tenants {
		space, err := render.Tenant(&s.Tenants[i], render.SettingsOf(s.Platform))
		errs = append(errs, err)
		for _, o := range []render.Object{space.Namespace, space.Limits} {
			if o == nil {
				continue
			}
			typed, err := admitted.Typed(o)
			errs = append(errs, err)
			if err == nil {
				list = append(list, typed)
			}
		}
	}
	return list, errors.Join(errs...)
}

// namespace of a team of which no more is known.
func namespace(team string) *corev1.Namespace {
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.NamespaceOf(team),
		Labels: map[string]string{v1alpha1.LabelTenant: team, v1alpha1.LabelTeam: team}}}
	n.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	return n
}
