// Package hosts decides whose a host is: it belongs to the first claim that has it, and
// lies below a domain of the claim's team.
package hosts

import (
	"fmt"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/render"
)

// Facts are what whose a host is follows from.
type Facts struct {
	Settings render.Settings
	// Claims that ask for, or hold, a host that is asked for; which others are among them
	// makes no difference.
	Claims []v1alpha1.ServiceClaim
	// Domains of all teams, as their Tenants have them.
	Domains map[string][]string
}

// Decide says why a claim does not get the hosts that it asks for: all of them, or none.
// It is nil where it does.
//
//	below a domain of the team? ─no─▶ HostNotAllowed
//	held by another claim? ─yes─▶ HostTaken
//	held by nobody, and an older claim asks for it? ─yes─▶ HostTaken
func (f Facts) Decide(c *v1alpha1.ServiceClaim) *render.Refusal {
	asked := render.Hosts(c, f.Settings)
	for _, host := range asked {
		if !f.allowed(c, host) {
			return &render.Refusal{Reason: "HostNotAllowed", Message: fmt.Sprintf("%s is below none of the domains of team %s%s", host, c.Spec.Team, f.those(c))}
		}
	}
	for _, host := range asked {
		if first := f.first(host, c); first.UID != c.UID || first.Name != c.Name {
			return Taken(host, first)
		}
	}
	return nil
}

// Taken is the refusal of a host that another claim has.
func Taken(host string, by *v1alpha1.ServiceClaim) *render.Refusal {
	return &render.Refusal{Reason: "HostTaken", Message: fmt.Sprintf("%s belongs to ServiceClaim %s of team %s", host, by.Name, by.Spec.Team)}
}

// first of the claims that a host belongs to. Who holds it comes before who asks for it,
// and the older before the younger. What is being deleted asks for nothing any more, and
// holds what it held until it is gone.
func (f Facts) first(host string, c *v1alpha1.ServiceClaim) *v1alpha1.ServiceClaim {
	first := c
	for i := range f.Claims {
		other := &f.Claims[i]
		asks := other.DeletionTimestamp == nil && slices.Contains(render.Hosts(other, f.Settings), host) && f.allowed(other, host)
		if (asks || holds(other, host)) && before(host, other, first) {
			first = other
		}
	}
	return first
}

func before(host string, a, b *v1alpha1.ServiceClaim) bool {
	switch {
	case holds(a, host) != holds(b, host):
		return holds(a, host)
	case !a.CreationTimestamp.Equal(&b.CreationTimestamp):
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	default:
		return a.Name < b.Name
	}
}

func holds(c *v1alpha1.ServiceClaim, host string) bool { return slices.Contains(c.Status.Hosts, host) }

// allowed says whether a host lies below a domain of the claim's team. Where the domains of
// two lie one below the other, the longer one says whose it is.
func (f Facts) allowed(c *v1alpha1.ServiceClaim, host string) bool {
	own := f.fits(c.Spec.Team, host)
	if own == 0 {
		return false
	}
	for team := range f.Domains {
		if team != c.Spec.Team && f.fits(team, host) > own {
			return false
		}
	}
	return true
}

// fits is the length of the longest domain of a team that a host lies below; 0 is none.
func (f Facts) fits(team, host string) (longest int) {
	for _, domain := range f.domains(team) {
		if Below(host, domain) {
			longest = max(longest, len(domain))
		}
	}
	return longest
}

// domains of a team are those of its Tenant, and its part of the Platform's.
func (f Facts) domains(team string) []string {
	list := slices.Clone(f.Domains[team])
	if d := f.Settings.Expose.Domain; d != "" {
		list = append(list, team+"."+d)
	}
	return list
}

func (f Facts) those(c *v1alpha1.ServiceClaim) string {
	if list := f.domains(c.Spec.Team); len(list) > 0 {
		return " (" + strings.Join(list, ", ") + ")"
	}
	return ", which has none"
}

// Below reports whether a host is a domain, or lies below it.
func Below(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}
