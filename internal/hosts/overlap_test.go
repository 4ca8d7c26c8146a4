package hosts_test

import (
	"testing"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/hosts"
)

// Where the domain of one team lies below that of another, the longer one says whose a host is.
func TestDomainBelowAnother(t *testing.T) {
	f := hosts.Facts{Domains: map[string][]string{"wide": {"example.com"}, "shop": {"shop.example.com"}}}
	for _, c := range []struct {
		team, host string
		refused    bool
	}{{"wide", "www.example.com", false}, {"wide", "www.shop.example.com", true}, {"shop", "www.shop.example.com", false}, {"shop", "www.example.com", true}} {
		claim := &v1alpha1.ServiceClaim{}
		claim.Name, claim.Spec.Team, claim.Spec.Image = "web", c.team, "nginx:1"
		claim.Spec.Expose = &v1alpha1.ClaimExpose{Host: v1alpha1.ClaimHost(c.host)}
		if got := f.Decide(claim); (got != nil) != c.refused {
			t.Errorf("%s for team %s: %+v", c.host, c.team, got)
		}
	}
}
