package model

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/test/model/world"
)

// The people of the model ask for things and take them away, and do what they should
// not. What is refused is refused; what they ask for twice is asked once.

func tenantKey(team string) world.Key { return world.Key{Kind: "Tenant", Name: team} }

func claimKey(name string) world.Key { return world.Key{Kind: "ServiceClaim", Name: name} }

func namespaceKey(team string) world.Key {
	return world.Key{Kind: "Namespace", Name: v1alpha1.NamespaceOf(team)}
}

func (c *cluster) createTenant(team string, adopt bool) {
	o := object("demarc.dev/v1alpha1", "Tenant", "", team, map[string]any{
		"resources": map[string]any{"cpu": "2", "memory": "4Gi", "pods": int64(10)}})
	if adopt {
		_ = unstructured.SetNestedField(o.Object, true, "spec", "adopt")
	}
	_, _ = c.Create("user", o)
}

func (c *cluster) createClaim(name, team string) {
	_, _ = c.Create("user", object("demarc.dev/v1alpha1", "ServiceClaim", "", name, map[string]any{
		"team": team, "image": "nginx:1.27-alpine", "replicas": int64(1), "port": int64(80)}))
}

// cascades are what a deletion leaves on an object for the garbage collector.
var cascades = map[string][]string{"background": nil, "foreground": {"foregroundDeletion"}, "orphan": {"orphan"}}

func (c *cluster) remove(k world.Key, cascade string) {
	if k.Kind == "ServiceClaim" && cascade == "orphan" {
		return // refused by policy
	}
	_ = c.Delete("user", k, "", cascades[cascade]...)
}

func (c *cluster) annotate(k world.Key, annotation, value string) {
	_, _ = c.Update("user", k, func(o world.Object) error {
		annotations := o.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[annotation] = value
		o.SetAnnotations(annotations)
		return nil
	})
}

// createNamespace is somebody's, of the name that a team's would have, with a thing in
// it that nobody told Demarc of.
func (c *cluster) createNamespace(team string) {
	ns := namespaceKey(team).Name
	if _, err := c.Create("user", object("v1", "Namespace", "", ns, nil)); err == nil {
		_, _ = c.Create("user", object("v1", "ConfigMap", ns, "notes", nil))
	}
}

// theirs is a finalizer of somebody else's.
const theirs = "example.com/backup"

// hold puts it on, unhold takes it off.
func (c *cluster) hold(k world.Key) {
	_, _ = c.Update("user", k, func(o world.Object) error {
		if !slices.Contains(o.GetFinalizers(), theirs) {
			o.SetFinalizers(append(o.GetFinalizers(), theirs))
		}
		return nil
	})
}

func (c *cluster) unhold(k world.Key) {
	_, _ = c.Update("user", k, func(o world.Object) error {
		o.SetFinalizers(slices.DeleteFunc(slices.Clone(o.GetFinalizers()), func(f string) bool { return f == theirs }))
		return nil
	})
}

// lose takes a claim out of the store past its finalizers, as a restore does that
// brings back less than there was.
func (c *cluster) lose(k world.Key) {
	_ = c.Delete("restore", k, "")
	_, _ = c.Update("restore", k, func(o world.Object) error { o.SetFinalizers(nil); return nil })
}

// cleanUp takes away by hand what Git says to keep, Applications that are nobody's in
// Demarc any more, and what somebody else holds.
func (c *cluster) cleanUp() {
	for _, kind := range []string{"Application", "ServiceClaim", "Tenant"} {
		for _, o := range c.Now(kind) {
			c.unhold(world.KeyOf(o))
		}
	}
	for _, kind := range world.Delivered {
		for _, o := range c.Now(kind) {
			if o.GetAnnotations()["argocd.argoproj.io/tracking-id"] != "" {
				_ = c.Delete("user", world.KeyOf(o), "")
			}
		}
	}
	for _, app := range c.Now("Application") {
		if !ours(app) {
			_ = c.Delete("user", world.KeyOf(app), "")
		}
	}
	c.cleanUpArgoCD()
}

// cleanUpArgoCD takes away what nobody can, since its project went with its CRD.
func (c *cluster) cleanUpArgoCD() {
	for _, app := range c.Now("Application") {
		project, _, _ := unstructured.NestedString(app.Object, "spec", "project")
		if c.uninstalled && going(app) && c.Get(world.Key{Kind: "AppProject", Namespace: "argocd", Name: project}) == nil {
			_, _ = c.Update("user", world.KeyOf(app), func(o world.Object) error { o.SetFinalizers(nil); return nil })
		}
	}
}

// uninstall takes Argo CD's CRDs away, for a reason that an administrator gave.
func (c *cluster) uninstall() {
	c.uninstalled = true
	c.Uninstall("admin", "argoproj.io")
}

// force lets a Tenant go without what blocks it, once it is deleted.
func (c *cluster) force(team string) {
	c.forced = true
	c.annotate(tenantKey(team), v1alpha1.AnnotationForce, "it hangs")
}

// change lets a claim ask for another port.
func (c *cluster) change(name string, port int64) {
	_, _ = c.Update("user", claimKey(name), func(o world.Object) error {
		return unstructured.SetNestedField(o.Object, port, "spec", "port")
	})
}

// option is one thing that may happen next.
type option struct {
	name string
	do   func()
}

// options are the single moves that the parts and the operator can make now; of one kind
// its cache sees nothing meanwhile.
func (c *cluster) options(slow string) []option {
	var all []option
	p := c.operator
	for _, t := range p.tasks {
		what := fmt.Sprintf("%s: %s", t, t.at)
		for range 4 { // mostly things work
			all = append(all, option{what, func() { p.move(t, answer) }})
		}
		all = append(all, option{what + " fails", func() { p.move(t, refuse) }}, option{what + ", and the answer is lost", func() { p.move(t, lose) }})
	}
	for _, r := range c.requests() {
		if len(p.tasks) < 3 && !p.busy(r[0], r[1]) {
			all = append(all, option{fmt.Sprintf("%s %s begins", r[0], r[1]), func() { p.begin(r[0], r[1]) }})
		}
	}
	for _, kind := range p.behind() {
		if kind == slow {
			continue
		}
		all = append(all, option{"the cache sees the next of " + kind, func() { p.see(kind) }},
			option{"the cache sees all of " + kind, func() { p.seen[kind] = c.Latest(kind) }})
	}
	parts := c.parts()
	for _, name := range sorted(parts) {
		all = append(all, option{name, func() { parts[name]() }})
	}
	return all
}
