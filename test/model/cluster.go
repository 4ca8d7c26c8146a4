// Package model runs the operator's real reconcilers on a cluster in memory, in
// interleavings that are generated: users, Argo CD, the namespace controller, the
// garbage collector and the operator itself move one request at a time in any order, caches lag,
// requests fail, and the operator dies between any two of its requests. The invariants
// of deletion are asked after every write, and at the end whether all that was to go is
// gone or says what holds it.
package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/internal/operator"
	"demarc.dev/demarc/test/model/world"
)

// cluster is a world with an operator in it.
type cluster struct {
	*world.World
	scheme   *runtime.Scheme
	argo     *world.ArgoCD
	operator *process
	// former is an operator that lost the lead and has not ended yet: what it has under
	// way goes on, and it begins nothing any more.
	former *process
	lives  int
	watch  *watcher
	// uninstalled says that Argo CD's CRDs were taken away once.
	uninstalled bool
	// replayed stands for the task of a write where the cluster is a recorded one.
	replayed *task
	// story is what was done and written, for who has to understand a failure.
	story []string
}

// newCluster is one with Argo CD and Demarc installed, and nothing asked for yet.
func newCluster() *cluster {
	scheme, err := operator.Scheme()
	if err != nil {
		panic(err)
	}
	c := emptyCluster()
	c.scheme = scheme
	c.argo = &world.ArgoCD{World: c.World, Running: true}
	c.Install("admin", "argoproj.io")
	c.Install("admin", "demarc.dev")
	c.make("v1", "Namespace", "", "argocd", nil)
	settings := object("v1", "ConfigMap", "argocd", "argocd-cm", nil)
	settings.Object["data"] = map[string]any{"application.sync.impersonation.enabled": "true"}
	c.mustCreate("admin", settings)
	c.make("demarc.dev/v1alpha1", "Platform", "", "default", map[string]any{
		"chart": map[string]any{"repoURL": "https://git.example/platform.git", "targetRevision": "v1", "path": "charts/service"}})
	c.restart()
	return c
}

// emptyCluster is one with nobody in it but who watches it.
func emptyCluster() *cluster {
	c := &cluster{World: world.New()}
	c.watch = &watcher{cluster: c, names: map[string][]string{}, holding: map[string]int64{}, going: map[string]int64{}, released: map[string]bool{}}
	c.Watch = c.watch.change
	return c
}

// restart ends the operator that runs, if one does, and starts the next.
func (c *cluster) restart() {
	if c.operator != nil {
		c.operator.die()
	}
	c.lives++
	c.operator = start(fmt.Sprintf("operator-%d", c.lives), c.World, c.scheme)
}

// replace starts the next operator before the one that runs has ended.
func (c *cluster) replace() {
	c.endFormer()
	c.former, c.operator = c.operator, nil
	c.restart()
}

func (c *cluster) endFormer() {
	if c.former != nil {
		c.former.die()
		c.former = nil
	}
}

// acting is the task in which a write was made.
func (c *cluster) acting(actor string) *task {
	if c.replayed != nil {
		return c.replayed
	}
	for _, p := range []*process{c.operator, c.former} {
		if p != nil && strings.HasPrefix(actor, p.name+" ") {
			return p.acting
		}
	}
	return nil
}

func (c *cluster) tell(format string, args ...any) {
	c.story = append(c.story, fmt.Sprintf(format, args...))
}

func (c *cluster) make(apiVersion, kind, namespace, name string, spec map[string]any) {
	c.mustCreate("admin", object(apiVersion, kind, namespace, name, spec))
}

func (c *cluster) mustCreate(actor string, o world.Object) {
	if _, err := c.Create(actor, o); err != nil {
		panic(err)
	}
}

func object(apiVersion, kind, namespace, name string, spec map[string]any) world.Object {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	if spec != nil {
		o.Object["spec"] = spec
	}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// parts are those of the cluster that move by themselves, by name.
func (c *cluster) parts() map[string]func() bool {
	parts := map[string]func() bool{
		"namespaces": c.Namespaces, "collector": c.Collect, "quotas": c.Quotas, "deployments": c.Deployments, "crds": c.CRDs,
		"argocd sees": c.argo.See,
	}
	for _, app := range c.Now("Application") {
		parts["argocd "+app.GetName()] = func() bool { return c.argo.Step(world.KeyOf(app)) }
	}
	return parts
}

// requests are what the controllers may be asked to look at: what their caches show,
// and what was there once.
func (c *cluster) requests() [][2]string {
	requests := [][2]string{{"argocd", ""}}
	for controller, kind := range map[string]string{"tenant": "Tenant", "serviceclaim": "ServiceClaim"} {
		for _, name := range c.watch.names[kind] {
			requests = append(requests, [2]string{controller, name})
		}
	}
	slices.SortFunc(requests, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
	return requests
}

// rounds is how often everything may be looked at before it must be at rest.
const rounds = 60

// settle lets all parts run, each in its turn and without trouble, until nothing is
// written any more. The error says what would not come to rest.
func (c *cluster) settle() error {
	quiet := 0
	for range rounds {
		before := c.Revision()
		for c.former != nil && len(c.former.tasks) > 0 {
			c.former.finish(c.former.tasks[0])
		}
		c.endFormer()
		for len(c.operator.tasks) > 0 {
			c.operator.finish(c.operator.tasks[0])
		}
		for moved := true; moved; {
			moved = false
			parts := c.parts()
			for _, name := range sorted(parts) {
				moved = parts[name]() || moved
			}
		}
		for _, kind := range c.operator.behind() {
			c.operator.seen[kind] = c.Latest(kind)
		}
		for _, r := range c.requests() {
			c.operator.finish(c.operator.begin(r[0], r[1]))
			for _, kind := range c.operator.behind() {
				c.operator.seen[kind] = c.Latest(kind)
			}
		}
		pass(3 * time.Second) // what is told only when it lasts
		if quiet++; c.Revision() != before {
			quiet = 0
		}
		if quiet == 3 {
			return nil
		}
	}
	return fmt.Errorf("after %d rounds there are still writes; the last: %v", rounds, c.story[max(0, len(c.story)-20):])
}

// pass lets time pass.
func pass(d time.Duration) { <-time.After(d) }

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// uninstall takes Argo CD's CRDs away, for a reason that an administrator gave.
func (c *cluster) uninstall() {
	c.uninstalled = true
	c.Uninstall("admin", "argoproj.io")
}

// freeApplications takes away what nobody can, since its project went with its CRD.
func (c *cluster) freeApplications() {
	for _, app := range c.Now("Application") {
		project, _, _ := unstructured.NestedString(app.Object, "spec", "project")
		if c.uninstalled && going(app) && c.Get(world.Key{Kind: "AppProject", Namespace: "argocd", Name: project}) == nil {
			c.update(world.KeyOf(app), func(o world.Object) { o.SetFinalizers(nil) })
		}
	}
}

// The cluster as people's store.

func (c *cluster) create(o world.Object) { _, _ = c.Create("user", o) }

func (c *cluster) update(k world.Key, change func(world.Object)) {
	_, _ = c.Update("user", k, func(o world.Object) error { change(o); return nil })
}

// cascades are what a deletion leaves on an object for the garbage collector.
var cascades = map[string][]string{"background": nil, "foreground": {"foregroundDeletion"}, "orphan": {"orphan"}}

func (c *cluster) remove(k world.Key, cascade string) {
	if k.Kind == "ServiceClaim" && cascade == "orphan" {
		return // refused by policy
	}
	_ = c.Delete("user", k, "", cascades[cascade]...)
}

func (c *cluster) list(kind string) []world.Object { return c.Now(kind) }

// everybody's hands reach everywhere.
func (c *cluster) everybody() *hands {
	return &hands{store: c, mine: func(world.Object) bool { return true }}
}
