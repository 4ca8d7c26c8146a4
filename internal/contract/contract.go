// Package contract is the ownership contract, the one source for who owns what
// (invariant O10): it reads and checks the document, and compiles it to the rows from
// which roles, what Git may deliver and what stays the platform's are made.
package contract

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
)

// Contract is one that can be asked.
type Contract struct {
	Spec v1alpha1.OwnershipContractSpec
	// wide is the domain that covers a kind as a whole; narrow are the entries that cover
	// some of its objects, or some of their fields.
	wide   map[schema.GroupKind]entry
	narrow map[schema.GroupKind][]entry
}

// entry is one kind as a domain names it.
type entry struct {
	domain   *v1alpha1.ContractDomain
	resource *v1alpha1.ContractResource
}

// New makes a contract of a document that was found to be sound.
func New(spec v1alpha1.OwnershipContractSpec) *Contract {
	c := &Contract{Spec: spec, wide: map[schema.GroupKind]entry{}, narrow: map[schema.GroupKind][]entry{}}
	for i := range c.Spec.Domains {
		domain := &c.Spec.Domains[i]
		for j := range domain.Resources {
			resource := &domain.Resources[j]
			for _, kind := range resource.Kinds {
				gk := schema.GroupKind{Group: resource.Group, Kind: kind}
				if narrows(resource) {
					c.narrow[gk] = append(c.narrow[gk], entry{domain, resource})
				} else {
					c.wide[gk] = entry{domain, resource}
				}
			}
		}
	}
	return c
}

func narrows(r *v1alpha1.ContractResource) bool {
	return r.Name != "" || r.Label != "" || len(r.Fields) > 0
}

//go:embed default.yaml
var shipped []byte

// Shipped is the document that comes with Demarc.
func Shipped() []byte { return slices.Clone(shipped) }

// defaultContract is compiled in, and a test holds it to be sound.
var defaultContract = func() *Contract {
	var o v1alpha1.OwnershipContract
	if err := yaml.UnmarshalStrict(shipped, &o); err != nil {
		panic(fmt.Errorf("the shipped contract: %w", err))
	}
	return New(o.Spec)
}()

// Default is the contract that holds where there is no other.
func Default() *Contract { return defaultContract }

// Domain by its name, nil where there is none.
func (c *Contract) Domain(name string) *v1alpha1.ContractDomain {
	for i := range c.Spec.Domains {
		if c.Spec.Domains[i].Name == name {
			return &c.Spec.Domains[i]
		}
	}
	return nil
}

// Object is what is asked about: an object, or a kind where the name is empty.
type Object struct {
	schema.GroupKind
	Name   string
	Labels map[string]string
	// Field asks about one field, as a path with dots.
	Field string
}

// Of is the domain of an object: the narrowest that covers it. nil is that none does.
func (c *Contract) Of(o Object) *v1alpha1.ContractDomain {
	best, points := c.wide[o.GroupKind].domain, 0
	for _, e := range c.narrow[o.GroupKind] {
		if p := e.fits(o); p > points {
			best, points = e.domain, p
		}
	}
	return best
}

// fits says how closely an entry is about an object; 0 is not at all.
func (e entry) fits(o Object) (points int) {
	r := e.resource
	if r.Name != "" {
		if r.Name != o.Name {
			return 0
		}
		points += 2
	}
	if r.Label != "" {
		if !Carries(o.Labels, r.Label) {
			return 0
		}
		points++
	}
	if len(r.Fields) == 0 {
		return points
	}
	longest := 0
	for _, f := range r.Fields {
		if o.Field == f || strings.HasPrefix(o.Field, f+".") || strings.HasPrefix(o.Field, f+"[") {
			longest = max(longest, len(f))
		}
	}
	if longest == 0 {
		return 0
	}
	return points + 4 + longest
}

// Carries says whether labels have one that a contract wants: KEY, or KEY=VALUE.
func Carries(labels map[string]string, want string) bool {
	key, value, exact := strings.Cut(want, "=")
	have, ok := labels[key]
	return ok && (!exact || have == value)
}

const unlistedName = "unlisted"

// Unlisted is the domain of kinds that no domain covers.
func (c *Contract) Unlisted() *v1alpha1.ContractDomain {
	by := c.Spec.Unlisted
	if by == "" {
		by = v1alpha1.PartyPlatform
	}
	return &v1alpha1.ContractDomain{
		Name: unlistedName, Title: "Kinds that no domain covers", Creates: by, Modifies: by, Approves: by, Monitors: by, Paged: by, Deletes: by,
		ChangePath: v1alpha1.PathGit, Boundary: "Nobody has decided yet whose these are: put the kind into a domain of the contract.",
	}
}

// PartyOf says who can act on an object: who changes it, or who is paged for what nobody
// changes.
func (c *Contract) PartyOf(o Object) v1alpha1.Party {
	d := c.Of(o)
	if d == nil {
		d = c.Unlisted()
	}
	if d.Modifies == v1alpha1.PartyNobody {
		return d.Paged
	}
	return d.Modifies
}
