// Package render turns a Tenant, a ServiceClaim and the Platform's settings into
// the objects they become. It does no I/O and knows no clock: the operator and
// the command line get the same objects from it.
package render

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// Settings are the Platform's settings with every default filled in.
type Settings struct {
	ArgoCDNamespace string
	SelfHeal        bool
	// Chart is nil until the platform team says where it is.
	Chart       *v1alpha1.PlatformChart
	PodSecurity string
	// Strict says that what the road renders has to pass the strict profile of the
	// guardrails, or the Pod Security level restricted.
	Strict bool
	// Expose says how services are made reachable from outside of the cluster.
	Expose v1alpha1.PlatformExpose
	// SecretStore is where claims keep Secrets from; nil is nowhere.
	SecretStore *v1alpha1.PlatformSecretStore
	// MetricsLabels are those by which a Prometheus selects what it scrapes.
	MetricsLabels map[string]v1alpha1.ClaimLabelValue
	// What a container gets that says nothing itself.
	CPURequest, MemoryRequest, MemoryLimit resource.Quantity
	// Reach are the namespaces from which the teams' pods can be reached; nil is every
	// namespace that is no team's.
	Reach []string
	// Ceiling is the largest budget that a team may have; nil is none.
	Ceiling *v1alpha1.Budget
	// MaxAccess is the longest time that an AccessGrant may be given for.
	MaxAccess time.Duration
	// Impersonation says that Argo CD syncs a team's project as the team's
	// ServiceAccount; read from Argo CD's own settings, not from the Platform.
	Impersonation bool
	// Contract says who owns what; nil is that it contradicts itself, and what was made of
	// the one before stays.
	Contract *contract.Contract
}

// SettingsOf fills the documented defaults in; p may be nil.
func SettingsOf(p *v1alpha1.Platform) Settings {
	s := Settings{
		Contract:        contract.Default(),
		ArgoCDNamespace: "argocd",
		SelfHeal:        true,
		PodSecurity:     "baseline",
		CPURequest:      resource.MustParse("100m"),
		MemoryRequest:   resource.MustParse("128Mi"),
		MemoryLimit:     resource.MustParse("256Mi"),
		MaxAccess:       8 * time.Hour,
	}
	if p == nil {
		return s
	}
	spec := p.Spec
	if spec.ArgoCD.Namespace != "" {
		s.ArgoCDNamespace = spec.ArgoCD.Namespace
	}
	if spec.ArgoCD.SelfHeal != nil {
		s.SelfHeal = *spec.ArgoCD.SelfHeal
	}
	if spec.PodSecurity != "" {
		s.PodSecurity = spec.PodSecurity
	}
	if spec.Chart != nil {
		chart := *spec.Chart
		if chart.Path == "" {
			chart.Path = "charts/service"
		}
		s.Chart = &chart
	}
	s.Reach, s.Ceiling = reach(spec.Network), spec.Ceiling
	s.Strict = s.PodSecurity == "restricted" || spec.Guardrails.Profile == v1alpha1.ProfileStrict
	s.Expose, s.SecretStore, s.MetricsLabels = spec.Expose, spec.SecretStore, spec.Metrics.Labels
	if spec.Access.MaxHours > 0 {
		s.MaxAccess = time.Duration(spec.Access.MaxHours) * time.Hour
	}
	override(&s.CPURequest, spec.ContainerDefaults.CPURequest)
	override(&s.MemoryRequest, spec.ContainerDefaults.MemoryRequest)
	override(&s.MemoryLimit, spec.ContainerDefaults.MemoryLimit)
	return s
}

// reach is sorted, so that the order in which they are named is no change.
func reach(n v1alpha1.PlatformNetwork) []string {
	all := append(slices.Clone(n.IngressNamespaces), n.MonitoringNamespaces...)
	slices.Sort(all)
	return slices.Compact(all)
}

// override takes over what was set and parses; admission refuses the rest.
func override(into *resource.Quantity, q *v1alpha1.Quantity) {
	if q == nil {
		return
	}
	if parsed, err := resource.ParseQuantity(q.String()); err == nil {
		*into = parsed
	}
}
