package status

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/triage"
)

// findings are those of triage that are about the service, roots first.
func (s *service) findings() (out []finding.Finding) {
	mine := s.mine()
	for _, f := range triage.Check(s.set, triage.Question{Now: s.now}).Findings {
		about := func(o finding.Object) bool { return mine[o] }
		if about(f.Object) || slices.ContainsFunc(f.Affects, about) ||
			slices.ContainsFunc(f.Folded, func(g finding.Finding) bool { return about(g.Object) || slices.ContainsFunc(g.Affects, about) }) {
			out = append(out, f)
		}
	}
	return out
}

// mine are all objects of the service.
func (s *service) mine() map[finding.Object]bool {
	mine := map[finding.Object]bool{}
	add := func(kind schema.GroupKind, namespace, name string) {
		mine[finding.Object{Group: kind.Group, Kind: kind.Kind, Namespace: namespace, Name: name}] = true
	}
	for _, w := range s.workloads {
		mine[w.ref] = true
	}
	for _, p := range s.pods {
		add(podKind, p.Namespace, p.Name)
	}
	if s.claim != nil {
		add(ClaimKind, "", s.claim.Name)
		add(applicationKind, render.SettingsOf(s.platform).ArgoCDNamespace, render.ApplicationName(s.claim))
		for _, o := range s.claim.Status.Inventory {
			add(schema.GroupKind{Group: o.Group, Kind: o.Kind}, o.Namespace, o.Name)
		}
	}
	for _, o := range s.set.In(s.namespace) {
		kind := o.GroupVersionKind().GroupKind()
		switch {
		case s.claim != nil && o.GetLabels()[v1alpha1.LabelClaim] == s.claim.Name, s.makes(o, 0):
			add(kind, s.namespace, o.GetName())
		case kind == serviceKind && s.selects(one[corev1.Service](o)):
			add(kind, s.namespace, o.GetName())
		}
	}
	return mine
}

// selects says that a Service sends to the pods of the service.
func (s *service) selects(svc *corev1.Service) bool {
	if svc == nil || len(svc.Spec.Selector) == 0 {
		return false
	}
	return slices.ContainsFunc(s.workloads, func(w *workload) bool {
		for k, v := range svc.Spec.Selector {
			if w.pods.Labels[k] != v {
				return false
			}
		}
		return true
	})
}
