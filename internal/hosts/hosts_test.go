package hosts

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/render"
)

// asks is a claim made so many minutes into a day.
func asks(team, name string, minute int, hosts ...string) v1alpha1.ServiceClaim {
	c := v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), CreationTimestamp: metav1.Date(2026, 11, 30, 0, minute, 0, 0, time.UTC)}}
	c.Spec.Team, c.Spec.Expose = team, &v1alpha1.ClaimExpose{}
	for i, h := range hosts {
		if i == 0 {
			c.Spec.Expose.Host = v1alpha1.ClaimHost(h)
		} else {
			c.Spec.Expose.Aliases = append(c.Spec.Expose.Aliases, v1alpha1.ClaimHost(h))
		}
	}
	return c
}

func holding(c v1alpha1.ServiceClaim, hosts ...string) v1alpha1.ServiceClaim {
	c.Status.Hosts = hosts
	return c
}

func going(c v1alpha1.ServiceClaim) v1alpha1.ServiceClaim {
	c.DeletionTimestamp = &metav1.Time{Time: time.Unix(0, 0)}
	return c
}

func TestDecide(t *testing.T) {
	domains := map[string][]string{"shop": {"shop.example"}, "blog": {"blog.example", "shop.example"}}
	web := asks("shop", "web", 5, "www.shop.example")
	for _, c := range []struct {
		name   string
		claim  v1alpha1.ServiceClaim
		others []v1alpha1.ServiceClaim
		want   string // reason; empty where it gets them
		says   string
	}{
		{"alone", web, nil, "", ""},
		{"the domain itself", asks("shop", "web", 5, "shop.example"), nil, "", ""},
		{"of the Platform's domain", asks("shop", "web", 5), nil, "", ""},
		{"below its part of the Platform's domain", asks("shop", "web", 5, "a.shop.apps.example"), nil, "", ""},
		{"below another team's part of the Platform's domain", asks("shop", "web", 5, "a.blog.apps.example"), nil, "HostNotAllowed", "(shop.example, shop.apps.example)"},
		{"below another team's domain", asks("shop", "web", 5, "a.blog.example"), nil, "HostNotAllowed", "a.blog.example is below none of the domains of team shop"},
		{"a domain that ends alike", asks("shop", "web", 5, "eshop.example"), nil, "HostNotAllowed", ""},
		{"above its domain", asks("shop", "web", 5, "example"), nil, "HostNotAllowed", ""},
		{"one of several is not its", asks("shop", "web", 5, "www.shop.example", "www.blog.example"), nil, "HostNotAllowed", "www.blog.example"},
		{"a team of no Tenant", asks("none", "web", 5, "www.shop.example"), nil, "HostNotAllowed", "none.apps.example"},

		{"an older one asks for it", web, []v1alpha1.ServiceClaim{asks("blog", "b", 4, "www.shop.example")}, "HostTaken", "www.shop.example belongs to ServiceClaim b of team blog"},
		{"a younger one asks for it", web, []v1alpha1.ServiceClaim{asks("blog", "b", 6, "www.shop.example")}, "", ""},
		{"one of the same age and a later name", web, []v1alpha1.ServiceClaim{asks("blog", "xeb", 5, "www.shop.example")}, "", ""},
		{"one of the same age and an earlier name", web, []v1alpha1.ServiceClaim{asks("blog", "aeb", 5, "www.shop.example")}, "HostTaken", "aeb"},
		{"an older one asks for another", web, []v1alpha1.ServiceClaim{asks("blog", "b", 4, "blog.example")}, "", ""},
		{"an older one asks for it as an alias", web, []v1alpha1.ServiceClaim{asks("blog", "b", 4, "blog.example", "www.shop.example")}, "HostTaken", "b of team blog"},
		{"an older one may not have it", web, []v1alpha1.ServiceClaim{asks("none", "b", 4, "www.shop.example")}, "", ""},
		{"an older one is going and never had it", web, []v1alpha1.ServiceClaim{going(asks("blog", "b", 4, "www.shop.example"))}, "", ""},

		{"a younger one has it", web, []v1alpha1.ServiceClaim{holding(asks("blog", "b", 6, "www.shop.example"), "www.shop.example")}, "HostTaken", "b of team blog"},
		{"one that has it may not have it any more", web, []v1alpha1.ServiceClaim{holding(asks("none", "b", 6, "www.shop.example"), "www.shop.example")}, "HostTaken", "b of team none"},
		{"one that has it is going", web, []v1alpha1.ServiceClaim{going(holding(asks("blog", "b", 6, "www.shop.example"), "www.shop.example"))}, "HostTaken", "b of team blog"},
		{"one that has it still, and asks for another", web, []v1alpha1.ServiceClaim{holding(asks("blog", "b", 6, "blog.example"), "www.shop.example")}, "HostTaken", "b of team blog"},
		{"it has it, and an older one asks for it", holding(web, "www.shop.example"), []v1alpha1.ServiceClaim{asks("blog", "b", 4, "www.shop.example")}, "", ""},
		{"it has it, and so has an older one", holding(web, "www.shop.example"), []v1alpha1.ServiceClaim{holding(asks("blog", "b", 4, "www.shop.example"), "www.shop.example")}, "HostTaken", "b"},
		{"all or none", asks("shop", "web", 5, "a.shop.example", "b.shop.example"), []v1alpha1.ServiceClaim{asks("blog", "b", 4, "b.shop.example")}, "HostTaken", "b.shop.example"},
		{"the host that another gets from the Platform's domain", asks("shop", "web", 5, "front.shop.apps.example"), []v1alpha1.ServiceClaim{asks("shop", "front", 4)}, "HostTaken", "front of team shop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, claims := range [][]v1alpha1.ServiceClaim{c.others, append(slices.Clone(c.others), c.claim)} { // itself among them or not
				f := Facts{Settings: render.Settings{Expose: v1alpha1.PlatformExpose{Domain: "apps.example"}}, Claims: claims, Domains: domains}
				got := f.Decide(&c.claim)
				switch {
				case got == nil && c.want != "":
					t.Errorf("it gets them; want %s", c.want)
				case got != nil && (got.Reason != c.want || !strings.Contains(got.Message, c.says)):
					t.Errorf("%s: %s\nwant %q: %s", got.Reason, got.Message, c.want, c.says)
				}
			}
		})
	}
}

// Of the claims that ask for the same hosts each is found by each, and exactly one gets them.
func TestOneGetsIt(t *testing.T) {
	settings := render.Settings{Expose: v1alpha1.PlatformExpose{Domain: "apps.example"}}
	claims := []v1alpha1.ServiceClaim{
		asks("shop", "web", 5), asks("shop", "a", 7, "web.shop.apps.example"), asks("shop", "b", 6, "a.shop.example", "web.shop.apps.example"),
		asks("shop", "c", 9, "b.shop.example"), holding(asks("shop", "d", 9, "d.shop.example"), "b.shop.example"),
	}
	for _, host := range []string{"web.shop.apps.example", "b.shop.example"} {
		var found []v1alpha1.ServiceClaim
		for _, c := range claims {
			keys := Keys(&c)
			if slices.ContainsFunc(KeysOf(host, settings.Expose.Domain), func(k string) bool { return slices.Contains(keys, k) }) {
				found = append(found, c)
			}
		}
		want := map[string]int{"web.shop.apps.example": 3, "b.shop.example": 2}[host]
		if len(found) != want {
			t.Errorf("%s: %d claims are found by their keys, want %d", host, len(found), want)
		}
		f, get := Facts{Settings: settings, Claims: found, Domains: map[string][]string{"shop": {"shop.example"}}}, 0
		for i := range found {
			if f.Decide(&found[i]) == nil && found[i].Name != "d" {
				get++
			}
		}
		if want := map[string]int{"web.shop.apps.example": 1, "b.shop.example": 0}[host]; get != want {
			t.Errorf("%s: %d claims get it, want %d", host, get, want)
		}
	}
}

func TestKeysOf(t *testing.T) {
	for _, c := range []struct{ host, domain, want string }{
		{"web.shop.apps.example", "apps.example", "web.shop.apps.example own/web.shop"},
		{"web.shop.apps.example", "", "web.shop.apps.example"},
		{"a.web.shop.apps.example", "apps.example", "a.web.shop.apps.example"},
		{"shop.apps.example", "apps.example", "shop.apps.example"},
		{"web.shop.example", "apps.example", "web.shop.example"},
	} {
		if got := strings.Join(KeysOf(c.host, c.domain), " "); got != c.want {
			t.Errorf("%s under %q: %s, want %s", c.host, c.domain, got, c.want)
		}
	}
}
