package model

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/test/model/world"
)

// store is what people work on: the cluster in memory, or a real one. What is refused is
// refused, and what is not there is not changed.
type store interface {
	create(o world.Object)
	update(k world.Key, change func(world.Object))
	remove(k world.Key, cascade string)
	list(kind string) []world.Object
}

// hands are those of people who ask for things and take them away, and do what they
// should not.
type hands struct {
	store store
	// mine says what is theirs to clean up.
	mine func(world.Object) bool
	// forced are the teams that were to let go of what they keep.
	forced []string
}

func tenantKey(team string) world.Key { return world.Key{Kind: "Tenant", Name: team} }

func claimKey(name string) world.Key { return world.Key{Kind: "ServiceClaim", Name: name} }

func namespaceKey(team string) world.Key {
	return world.Key{Kind: "Namespace", Name: v1alpha1.NamespaceOf(team)}
}

func applicationKey(claim, team string) world.Key {
	return world.Key{Kind: "Application", Namespace: "argocd", Name: team + "." + claim}
}

func (h *hands) createTenant(team string, adopt bool) {
	o := object("demarc.dev/v1alpha1", "Tenant", "", team, map[string]any{
		"resources": map[string]any{"cpu": "2", "memory": "4Gi", "pods": int64(10)}})
	if adopt {
		_ = unstructured.SetNestedField(o.Object, true, "spec", "adopt")
	}
	h.store.create(o)
}

func (h *hands) createClaim(name, team string) {
	h.store.create(object("demarc.dev/v1alpha1", "ServiceClaim", "", name, map[string]any{
		"team": team, "image": "nginx:1.27-alpine", "replicas": int64(1), "port": int64(80)}))
}

// createNamespace is somebody's, of the name that a team's would have, with a thing in
// it that nobody told Demarc of.
func (h *hands) createNamespace(team string) {
	ns := namespaceKey(team).Name
	h.store.create(object("v1", "Namespace", "", ns, nil))
	h.store.create(object("v1", "ConfigMap", ns, "notes", nil))
}

func (h *hands) annotate(k world.Key, annotation, value string) {
	h.store.update(k, func(o world.Object) {
		annotations := o.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[annotation] = value
		o.SetAnnotations(annotations)
	})
}

// force lets a Tenant go without what blocks it, once it is deleted.
func (h *hands) force(team string) {
	if !slices.Contains(h.forced, team) {
		h.forced = append(h.forced, team)
	}
	h.annotate(tenantKey(team), v1alpha1.AnnotationForce, "it hangs")
}

// change lets a claim ask for another port.
func (h *hands) change(name string, port int64) {
	h.store.update(claimKey(name), func(o world.Object) { _ = unstructured.SetNestedField(o.Object, port, "spec", "port") })
}

// theirs is a finalizer of somebody else's.
const theirs = "example.com/backup"

// hold puts it on, unhold takes it off.
func (h *hands) hold(k world.Key) {
	h.store.update(k, func(o world.Object) {
		if o.GetDeletionTimestamp() == nil && !slices.Contains(o.GetFinalizers(), theirs) {
			o.SetFinalizers(append(o.GetFinalizers(), theirs))
		}
	})
}

func (h *hands) unhold(k world.Key) {
	h.store.update(k, func(o world.Object) {
		o.SetFinalizers(slices.DeleteFunc(slices.Clone(o.GetFinalizers()), func(f string) bool { return f == theirs }))
	})
}

// lose takes a claim out of the store past its finalizers, as a restore does that
// brings back less than there was.
func (h *hands) lose(k world.Key) {
	h.store.remove(k, "background")
	h.store.update(k, func(o world.Object) { o.SetFinalizers(nil) })
}

// takeDown asks for all to go.
func (h *hands) takeDown() {
	for _, kind := range []string{"ServiceClaim", "Tenant"} {
		for _, o := range h.own(kind) {
			h.store.remove(world.KeyOf(o), "background")
		}
	}
}

// cleanUp takes away by hand what Git says to keep, Applications that are nobody's in
// Demarc any more, and what somebody else holds.
func (h *hands) cleanUp() {
	for _, kind := range []string{"Application", "ServiceClaim", "Tenant"} {
		for _, o := range h.own(kind) {
			if slices.Contains(o.GetFinalizers(), theirs) {
				h.unhold(world.KeyOf(o))
			}
		}
	}
	for _, kind := range world.Delivered {
		for _, o := range h.own(kind) {
			if o.GetAnnotations()["argocd.argoproj.io/tracking-id"] != "" {
				h.store.remove(world.KeyOf(o), "background")
			}
		}
	}
	for _, app := range h.own("Application") {
		if !ours(app) {
			h.store.remove(world.KeyOf(app), "background")
		}
	}
}

func (h *hands) own(kind string) []world.Object {
	return slices.DeleteFunc(h.store.list(kind), func(o world.Object) bool { return !h.mine(o) })
}

// of says which objects are a team's, by their names.
func of(team string) func(world.Object) bool {
	return func(o world.Object) bool {
		ns, name := v1alpha1.NamespaceOf(team), o.GetName()
		return o.GetNamespace() == ns || name == ns || name == team || strings.HasPrefix(name, team+"-") || strings.HasPrefix(name, team+".")
	}
}

// deed is one thing that somebody does.
type deed struct {
	name string
	do   func(*hands)
}

func (d deed) String() string { return d.name }

func does(do func(*hands), format string, args ...any) deed {
	return deed{fmt.Sprintf(format, args...), do}
}
