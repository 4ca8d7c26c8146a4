package contract

import (
	"fmt"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/ownership"
	rights "demarc.dev/demarc/internal/rbac"
)

// powers warns of those that the platform's people would hold by the contract, and do not
// by the one that comes with Demarc. Whoever changes the contract by hand gives them to
// themselves, since the operator may write Demarc's roles whatever is in them.
func (l *lint) powers() {
	c, shipped := New(l.spec), byHand(Default())
	gives := byHand(c)
	for i := range l.spec.Domains {
		var names []string
		for _, p := range Powers() {
			if slices.ContainsFunc(p.Requests, func(r rights.Request) bool {
				return gives[r] == &l.spec.Domains[i] && shipped[r] == nil
			}) {
				names = append(names, p.Name)
			}
		}
		if len(names) > 0 {
			l.warn(fmt.Sprintf("spec.domains[%d].changePath", i), "it gives the platform's people by hand, everywhere: %s. From these other rights follow, and nobody else is asked; with changePath git who approves is", strings.Join(names, ", "))
		}
	}
}

// byHand is what the platform's people may do in the cluster, and by which domain.
func byHand(c *Contract) map[rights.Request]*v1alpha1.ContractDomain {
	of := map[string]*v1alpha1.ContractDomain{}
	for _, r := range c.Rows() {
		of[r.Group+"/"+r.Resource] = r.Domain
	}
	gives := map[rights.Request]*v1alpha1.ContractDomain{}
	for _, role := range c.Roles() {
		if role.Name != ownership.RolePlatform {
			continue
		}
		for _, rule := range role.Rules {
			for _, r := range rights.Each(rule) {
				resource, _, _ := strings.Cut(r.Resource, "/")
				gives[r] = of[r.Group+"/"+resource]
			}
		}
	}
	return gives
}
