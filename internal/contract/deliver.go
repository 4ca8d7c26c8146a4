package contract

import (
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
)

// DeliverableByPlatform lists the kinds that the platform's own repositories deliver: as a
// whole, or some of their objects. What shares a field alone is delivered by its owner.
func (c *Contract) DeliverableByPlatform() []Row {
	return slices.DeleteFunc(c.Rows(), func(r Row) bool {
		whose := []*v1alpha1.ContractDomain{r.Domain}
		for _, e := range c.narrow[r.GroupKind()] {
			if len(e.resource.Fields) == 0 {
				whose = append(whose, e.domain)
			}
		}
		return r.Asked || !slices.ContainsFunc(whose, func(d *v1alpha1.ContractDomain) bool {
			return writes(d, has(v1alpha1.PartyPlatform), v1alpha1.PathGit).Any()
		})
	})
}

// Uncovered lists kinds that are served and that no domain covers as a whole.
func (c *Contract) Uncovered() []Served {
	return slices.DeleteFunc(slices.Clone(Kinds), func(k Served) bool {
		_, covered := c.wide[k.GroupKind()]
		return covered
	})
}
