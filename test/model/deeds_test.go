package model

import (
	"pgregory.net/rapid"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/test/model/world"
)

// cast are the names that a run plays with.
type cast struct {
	teams []string
	// claims by their names, with their teams.
	claims map[string]string
}

// newCast gives each team claims with these endings.
func newCast(teams []string, endings ...string) cast {
	c := cast{teams, map[string]string{}}
	for _, team := range teams {
		for _, ending := range endings {
			c.claims[team+ending] = team
		}
	}
	return c
}

func (c cast) team(t *rapid.T) string { return rapid.SampledFrom(c.teams).Draw(t, "team") }

func (c cast) claim(t *rapid.T) string { return rapid.SampledFrom(sorted(c.claims)).Draw(t, "claim") }

func one(t *rapid.T, of map[string]func(*rapid.T) deed) deed {
	return of[rapid.SampledFrom(sorted(of)).Draw(t, "what")](t)
}

var cascade = rapid.SampledFrom([]string{"background", "foreground", "orphan"})

// asks are what one does with Demarc.
func (c cast) asks(t *rapid.T) deed {
	return one(t, map[string]func(*rapid.T) deed{
		"create tenant": func(t *rapid.T) deed {
			team, adopt := c.team(t), rapid.Bool().Draw(t, "adopt")
			return does(func(h *hands) { h.createTenant(team, adopt) }, "create Tenant %s, adopt %v", team, adopt)
		},
		"create claim": func(t *rapid.T) deed {
			name := c.claim(t)
			return does(func(h *hands) { h.createClaim(name, c.claims[name]) }, "create claim %s", name)
		},
		"delete tenant": func(t *rapid.T) deed {
			team, how := c.team(t), cascade.Draw(t, "cascade")
			return does(func(h *hands) { h.store.remove(tenantKey(team), how) }, "delete Tenant %s %s", team, how)
		},
		"delete claim": func(t *rapid.T) deed {
			name, how := c.claim(t), cascade.Draw(t, "cascade")
			return does(func(h *hands) { h.store.remove(claimKey(name), how) }, "delete claim %s %s", name, how)
		},
	})
}

// meddles are what one does beside it, and what one should not do.
func (c cast) meddles(t *rapid.T) deed {
	return one(t, map[string]func(*rapid.T) deed{
		"change claim": func(t *rapid.T) deed {
			name, port := c.claim(t), rapid.Int64Range(80, 82).Draw(t, "port")
			return does(func(h *hands) { h.change(name, port) }, "change claim %s to port %d", name, port)
		},
		"create namespace": func(t *rapid.T) deed {
			team := c.team(t)
			return does(func(h *hands) { h.createNamespace(team) }, "create namespace of %s", team)
		},
		"delete what is kept": func(t *rapid.T) deed {
			k := c.kept(t)
			return does(func(h *hands) { h.store.remove(k, "background") }, "delete %s", k)
		},
		"delete by hand": func(t *rapid.T) deed {
			name, kind := c.claim(t), rapid.SampledFrom(world.Delivered).Draw(t, "kind")
			k := world.Key{Kind: kind, Namespace: namespaceKey(c.claims[name]).Name, Name: name}
			return does(func(h *hands) { h.store.remove(k, "background") }, "delete %s", k)
		},
		"hold": func(t *rapid.T) deed {
			k := c.held(t)
			return does(func(h *hands) { h.hold(k) }, "hold %s", k)
		},
		"clean up": func(*rapid.T) deed { return does((*hands).cleanUp, "clean up by hand") },
		"release claim": func(t *rapid.T) deed {
			name := c.claim(t)
			return does(func(h *hands) { h.annotate(claimKey(name), v1alpha1.AnnotationRelease, "moves away") }, "release claim %s", name)
		},
	})
}

// kept is something that goes with its owner alone.
func (c cast) kept(t *rapid.T) world.Key {
	name := c.claim(t)
	team := c.claims[name]
	return rapid.SampledFrom([]world.Key{
		namespaceKey(team), applicationKey(name, team), {Kind: "AppProject", Namespace: "argocd", Name: v1alpha1.NamespaceOf(team)},
	}).Draw(t, "key")
}

// held is something that somebody else puts a finalizer on.
func (c cast) held(t *rapid.T) world.Key {
	name := c.claim(t)
	return rapid.SampledFrom([]world.Key{claimKey(name), tenantKey(c.claims[name]), applicationKey(name, c.claims[name])}).Draw(t, "key")
}

// forces are what ends in something being left behind.
func (c cast) forces(t *rapid.T) deed {
	return one(t, map[string]func(*rapid.T) deed{
		"force claim": func(t *rapid.T) deed {
			name := c.claim(t)
			return does(func(h *hands) { h.annotate(claimKey(name), v1alpha1.AnnotationForce, "it hangs") }, "force claim %s", name)
		},
		"lose claim": func(t *rapid.T) deed {
			name := c.claim(t)
			return does(func(h *hands) { h.lose(claimKey(name)) }, "lose claim %s", name)
		},
		"force tenant": func(t *rapid.T) deed {
			team := c.team(t)
			return does(func(h *hands) { h.force(team) }, "force Tenant %s", team)
		},
	})
}
