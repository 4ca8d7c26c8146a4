package hosts

import (
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
)

// Keys are those under which a claim is found by a host that it asks for, or holds. They
// follow from the claim alone: whichever domain the Platform has, what a claim gets from
// it has the same key.
func Keys(c *v1alpha1.ServiceClaim) []string {
	var keys []string
	if e := c.Spec.Expose; e != nil {
		if e.Host == "" {
			keys = append(keys, own(c.Name+"."+c.Spec.Team))
		} else {
			keys = append(keys, string(e.Host))
		}
		for _, a := range e.Aliases {
			keys = append(keys, string(a))
		}
	}
	return append(keys, c.Status.Hosts...)
}

// KeysOf are those under which the claims of a host are found, where the Platform has this
// domain; it may be empty.
func KeysOf(host, domain string) []string {
	keys := []string{host}
	if short, below := strings.CutSuffix(host, "."+domain); domain != "" && below && strings.Count(short, ".") == 1 {
		keys = append(keys, own(short))
	}
	return keys
}

// own is no host: it holds a slash.
func own(short string) string { return "own/" + short }
