package contract

import (
	"cmp"
	"maps"
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/manifest"
)

// Parties are who stands behind the answers, as far as it is known.
type Parties struct {
	// Platform is nil where nothing is known of it.
	Platform *v1alpha1.Platform
	// Tenants are sorted by name.
	Tenants []v1alpha1.Tenant
}

// Team finds a team's Tenant, nil where there is none.
func (p Parties) Team(name string) *v1alpha1.Tenant {
	for i := range p.Tenants {
		if p.Tenants[i].Name == name {
			return &p.Tenants[i]
		}
	}
	return nil
}

// Files is what files hold of the contract and of the parties.
type Files struct {
	// Contract is nil where the files hold none.
	Contract *v1alpha1.OwnershipContract
	Parties
	// places says where each object stands, by kind and name.
	places map[string]manifest.Doc
	// broken is that there is a contract which cannot be read.
	broken bool
}

// Add takes over what another file holds.
func (f *Files) Add(other Files) (found []Problem) {
	if f.places == nil {
		f.places = map[string]manifest.Doc{}
	}
	for _, of := range slices.Sorted(maps.Keys(other.places)) {
		problems, _ := f.take(other.places[of])
		found = append(found, problems...)
	}
	f.broken = f.broken || other.broken
	slices.SortFunc(f.Tenants, byName)
	return found
}

// Empty says that nothing in the files is about the contract or the parties.
func (f Files) Empty() bool { return len(f.places) == 0 && !f.broken }

// Nothing says that the files hold neither the contract nor a party, and none that cannot
// be read either; found is what was found in them.
func (f Files) Nothing(found []Problem) bool {
	return f.Empty() && !slices.ContainsFunc(found, func(p Problem) bool { return p.Severity == Refused && !p.stranger })
}

// Source is the contract's document as it was written; empty where it cannot be told
// from others.
func (f Files) Source() string { return f.places[contractObject].Text }

// Spec is what the files agree on, or the contract that comes with Demarc.
func (f Files) Spec() v1alpha1.OwnershipContractSpec {
	if f.Contract == nil {
		return Default().Spec
	}
	return f.Contract.Spec
}

// Lint says what is wrong with the contract and the parties, each with its line. Of a
// contract that cannot be read it says nothing: Parse did.
func (f Files) Lint() []Problem {
	if f.broken {
		return nil
	}
	found := Lint(f.Spec(), f.Parties)
	for i, p := range found {
		if d, ok := f.places[p.Object]; ok {
			found[i].File, found[i].Line = d.File, d.LineOf(p.Path)
		}
	}
	slices.SortStableFunc(found, byPlace)
	return found
}

func byPlace(a, b Problem) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}
