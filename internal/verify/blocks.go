package verify

import (
	"iter"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/rbac"
)

// block is one persona in one place.
type block struct {
	persona
	// who is the key of the identity.
	who, place string
	// strays are the bindings that are none of Demarc's and mean the persona here.
	strays []*rbac.Binding
	bounds
	// brought is one word for what the strays give.
	brought string
}

// sameness is one word for all blocks whose cells are the same.
func (b *block) sameness() string {
	parts := []string{b.must.Same(), b.may.Same(), b.brought, ""}
	if b.trusted {
		parts[3] += "trusted "
	}
	if b.handed != nil {
		parts[3] += "at home "
	}
	if b.place == "" {
		parts[3] += "everywhere"
	}
	return strings.Join(parts, "|")
}

// from are the blocks from a mark on, in a fixed order, so that a round goes on where the
// last one ended while teams come and go. They are made as they are needed: of a large
// cluster a round asks for a small part.
func (r *Reviews) from(m Mark) iter.Seq[*block] {
	return func(yield func(*block) bool) {
		begin, _ := slices.BinarySearchFunc(r.people, m.who, func(s *somebody, who string) int { return strings.Compare(s.key, who) })
		for _, s := range r.people[begin:] {
			for b := range r.of(s) {
				if s.key == m.who && b.place < m.place {
					continue
				}
				if !yield(b) {
					return
				}
			}
		}
	}
}

// of are the blocks of one identity.
func (r *Reviews) of(s *somebody) iter.Seq[*block] {
	return func(yield func(*block) bool) {
		places, everywhere := r.places(s), r.rights.in(s.Identity, "")
		everywhere.trusted = r.v.trustedByContract(s.Identity) != ""
		homes := s.homes()
		for _, place := range places {
			if !yield(r.block(s, place, everywhere, homes)) {
				return
			}
		}
	}
}

func (r *Reviews) block(s *somebody, place string, everywhere bounds, homes map[string]bool) *block {
	b := &block{persona: s.at(place), who: s.key, place: place, bounds: everywhere}
	if place != "" {
		b.bounds = everywhere.and(r.rights.in(s.Identity, place))
	}
	if ns, _, account := rbac.ParseAccount(s.User); account && ns == place && homes[ns] {
		b.handed = r.v.teamHas() // a team may give its own accounts what it has
	}
	for _, stray := range r.strays[s.key] {
		if stray.Namespace == place || stray.Namespace == "" && !homes[place] {
			b.strays, b.brought = append(b.strays, stray), b.brought+r.v.live.Same(stray)
		}
	}
	return b
}

// places are the whole cluster, somebody's own namespaces, for each that of another team,
// and team namespaces where a binding means it.
func (r *Reviews) places(s *somebody) []string {
	places, homes := []string{""}, s.homes()
	for _, p := range s.as {
		switch {
		case p.home == "" || p.account:
			if i := slices.IndexFunc(r.teams, func(ns string) bool { return !homes[ns] }); i >= 0 {
				places = append(places, r.teams[i])
			}
		default:
			places = append(places, p.home, r.next[p.home])
		}
	}
	for _, ns := range r.v.want.Where(s.Own()) {
		if r.v.teamOf(ns) != nil {
			places = append(places, ns)
		}
	}
	for _, stray := range r.strays[s.key] {
		places = append(places, stray.Namespace)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// neighbours says for each team's namespace in which other one its people are asked.
func neighbours(tenants []*v1alpha1.Tenant) (teams []string, next map[string]string) {
	for _, t := range tenants {
		if t.DeletionTimestamp == nil {
			teams = append(teams, v1alpha1.NamespaceOf(t.Name))
		}
	}
	next = make(map[string]string, len(teams))
	for i, ns := range teams {
		next[ns] = teams[(i+1)%len(teams)]
	}
	return teams, next
}
