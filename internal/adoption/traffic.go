package adoption

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/render"
)

// traffic says what the NetworkPolicy cuts and what it lets in. Policies add up: a pod
// that one selects already gets what any of them lets in.
func (p *preview) traffic(all []*made) {
	policies := p.policies()
	var open []*made
	for _, m := range all {
		if !m.template.Spec.HostNetwork && !selected(policies, m.template.Labels) {
			open = append(open, m)
		}
	}
	if cut := p.cut(); len(open) > 0 && len(cut) > 0 {
		p.cuts("pods in %s no longer reach %s, which all can reach now", strings.Join(limited(cut), ", "), makers(open))
	}
	for _, s := range in[corev1.Service](p, kindService) {
		if outside(s) && slices.ContainsFunc(open, func(m *made) bool {
			return s.Spec.Selector != nil && labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(m.template.Labels))
		}) {
			p.cuts("what comes straight from outside the cluster no longer reaches Service %s (%s): only namespaces are let in", s.Name, s.Spec.Type)
		}
	}
	for _, policy := range policies {
		p.cuts("NetworkPolicy %s stays; the pods that it selects can then be reached from %s too", policy.Name, p.letIn())
	}
}

func (p *preview) cuts(format string, args ...any) {
	p.report.Traffic = append(p.report.Traffic, fmt.Sprintf(format, args...))
}

// policies are those on incoming traffic that are there and not ours.
func (p *preview) policies() []networkingv1.NetworkPolicy {
	return slices.DeleteFunc(in[networkingv1.NetworkPolicy](p, kindNetworking), func(n networkingv1.NetworkPolicy) bool {
		return n.Name == render.IsolationName || len(n.Spec.PolicyTypes) > 0 && !slices.Contains(n.Spec.PolicyTypes, networkingv1.PolicyTypeIngress)
	})
}

func selected(policies []networkingv1.NetworkPolicy, of map[string]string) bool {
	for _, n := range policies {
		selector, err := metav1.LabelSelectorAsSelector(&n.Spec.PodSelector)
		if err == nil && selector.Matches(labels.Set(of)) {
			return true
		}
	}
	return false
}

// cut lists the namespaces that are not let in: other teams', or all that the Platform
// does not name where it names some.
func (p *preview) cut() (names []string) {
	for _, ns := range p.set.Of(kindNamespace) {
		_, team := ns.GetLabels()[v1alpha1.LabelTenant]
		reaches := !team
		if len(p.settings.Reach) > 0 {
			reaches = !team && slices.Contains(p.settings.Reach, ns.GetName())
		}
		if !reaches && ns.GetName() != p.report.Namespace {
			names = append(names, ns.GetName())
		}
	}
	return names
}

func (p *preview) letIn() string {
	if len(p.settings.Reach) > 0 {
		return "this namespace and " + strings.Join(p.settings.Reach, ", ")
	}
	return "this namespace and all that are no team's"
}

// outside is a Service that is reached past every namespace.
func outside(s corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort || s.Spec.Type == corev1.ServiceTypeLoadBalancer || len(s.Spec.ExternalIPs) > 0
}

func makers(all []*made) string {
	var names []string
	for _, m := range all {
		names = append(names, m.name)
	}
	return strings.Join(limited(names), ", ")
}

// limited keeps a sentence readable.
func limited(names []string) []string {
	const shown = 10
	if len(names) <= shown {
		return names
	}
	return append(slices.Clone(names[:shown]), fmt.Sprintf("%d more", len(names)-shown))
}
