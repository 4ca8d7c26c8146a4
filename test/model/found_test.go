package model

import (
	"strings"
	"testing"
	"testing/synctest"

	"demarc.dev/demarc/api/v1alpha1"
)

// What the generated interleavings found once is looked at each time.
func TestFoundBefore(t *testing.T) {
	for name, then := range map[string]func(*cluster, *hands){
		// The Application of a claim that never ran was not looked for while its CRD was going.
		"a claim that ran nothing, and Argo CD uninstalled": func(c *cluster, h *hands) {
			c.argo.Running = false
			h.createClaim("red-a", "red")
			c.mustSettle()
			c.remove(tenantKey("red"), "background")
			c.uninstall()
		},
		// Without its project a released Application was overlooked, and its namespace deleted.
		"a released claim, and Argo CD uninstalled": func(c *cluster, h *hands) {
			h.createClaim("red-a", "red")
			c.mustSettle()
			h.annotate(claimKey("red-a"), v1alpha1.AnnotationRelease, "moves away")
			c.remove(claimKey("red-a"), "background")
			c.mustSettle()
			c.argo.Running = false
			c.uninstall()
			c.mustSettle()
			c.remove(tenantKey("red"), "background")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster()
				defer c.operator.die()
				h := c.everybody()
				h.createTenant("red", false)
				c.mustSettle()
				then(c, h)
				c.mustSettle()
				if len(c.watch.broken) > 0 {
					t.Errorf("%s\n  %s", strings.Join(c.watch.broken, "\n"), strings.Join(c.story, "\n  "))
				}
			})
		})
	}
}

func (c *cluster) mustSettle() {
	if err := c.settle(); err != nil {
		panic(err)
	}
}
