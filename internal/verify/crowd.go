package verify

import (
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/rbac"
)

// somebody is one identity. Who has a role in two teams, or two in one, is the same to the
// API server, and is asked once in each place.
type somebody struct {
	rbac.Identity
	key string
	as  []persona
}

// at is as whom somebody is asked in a place: as whoever is at home there, or else as the
// first.
func (s *somebody) at(place string) persona {
	for _, p := range s.as {
		if p.home == place && place != "" {
			return p
		}
	}
	return s.as[0]
}

// homes are the namespaces of somebody's own teams.
func (s *somebody) homes() map[string]bool {
	homes := make(map[string]bool, len(s.as))
	for _, p := range s.as {
		if p.home != "" {
			homes[p.home] = true
		}
	}
	return homes
}

// crowd are the personas by who they are, in the order of the first of each.
func crowd(personas []persona) (all []*somebody) {
	by := make(map[string]*somebody, len(personas))
	for _, p := range personas {
		key := identityKey(p.Identity)
		if by[key] == nil {
			by[key] = &somebody{Identity: p.Identity, key: key}
			all = append(all, by[key])
		}
		by[key].as = append(by[key].as, p)
	}
	return all
}

func identityKey(who rbac.Identity) string { return who.User + "|" + strings.Join(who.Groups, "|") }

// places are the whole cluster, somebody's own namespaces, one of another team, one of
// none, and wherever a binding means it.
func (v *verifier) places(s *somebody) []string {
	places, homes := []string{"", "default"}, s.homes()
	for ns := range homes {
		places = append(places, ns)
	}
	if i := slices.IndexFunc(v.tenants, func(t *v1alpha1.Tenant) bool { return !homes[v1alpha1.NamespaceOf(t.Name)] }); i >= 0 {
		places = append(places, v1alpha1.NamespaceOf(v.tenants[i].Name))
	}
	for _, world := range []*rbac.World{v.live, v.want} {
		places = append(places, world.Where(s.Own())...)
	}
	slices.Sort(places)
	return slices.Compact(places)
}
