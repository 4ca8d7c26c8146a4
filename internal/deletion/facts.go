package deletion

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// teamFacts are what the drain of a Tenant decides on, and the objects they speak of.
type teamFacts struct {
	drain        readiness.TenantDrain
	claims       []snapshot.Object
	delivered    []snapshot.Object // the claims' own Applications
	orphans      []snapshot.Object
	applications []snapshot.Object // of others
	project      snapshot.Object
	namespace    snapshot.Object
}

// teamFacts asks the same as the Tenant's controller does when it drains.
func (e *explainer) teamFacts(t *v1alpha1.Tenant) teamFacts {
	f := teamFacts{drain: readiness.TenantDrain{Team: t.Name, Force: readiness.ReasonOn(t, v1alpha1.AnnotationForce)}}
	ref, ns := render.TenantRef(t), v1alpha1.NamespaceOf(t.Name)
	e.teamDelivers(t, &f)
	for _, p := range e.set.Of(kindProject) {
		if owner.Compare(p, ref) != owner.Foreign {
			f.project, f.drain.Project = p, readiness.RemainsOf(p)
		}
	}
	if o := e.set.Get(kindNamespace, "", ns); o != nil && owner.Compare(o, ref) != owner.Foreign {
		f.namespace, f.drain.Namespace = o, namespaceRemains(o)
		f.drain.Adopted = o.GetAnnotations()[v1alpha1.AnnotationAdopted] != ""
	}
	e.teamShare(ref, ns, &f)
	return f
}

// teamDelivers sorts the team's claims and what is in its project: its claims' own
// Applications are theirs to take down, those of claims that are gone are the operator's,
// others somebody's.
func (e *explainer) teamDelivers(t *v1alpha1.Tenant, f *teamFacts) {
	var there []string
	for _, c := range e.set.Of(kindClaim) {
		if team, _, _ := unstructured.NestedString(c.Object, "spec", "team"); team != t.Name {
			continue
		}
		there = append(there, c.GetName())
		if readiness.HoldsTenant(c) {
			f.claims = append(f.claims, c)
			f.drain.Claims = append(f.drain.Claims, c.GetName())
		}
	}
	for _, app := range e.set.Of(kindApplication) {
		switch f.drain.AddApplication(app, there) {
		case readiness.Stranger:
			f.applications = append(f.applications, app)
		case readiness.Orphan:
			f.orphans = append(f.orphans, app)
		case readiness.OfClaim:
			f.delivered = append(f.delivered, app)
		case readiness.Elsewhere:
		}
	}
}

// teamShare counts what the Tenant keeps in the namespace and beside it.
func (e *explainer) teamShare(ref owner.Ref, ns string, f *teamFacts) {
	for _, o := range e.set.In(ns) {
		if owner.Compare(o, ref) == owner.Foreign {
			continue
		}
		if ObjectOf(o).GroupKind() == kindBinding {
			f.drain.Access++
		} else if f.drain.Adopted {
			f.drain.Kept = append(f.drain.Kept, strings.ToLower(o.GetKind())+"/"+o.GetName())
		}
	}
	for _, o := range e.set.Of(kindClusterBind) {
		if owner.Compare(o, ref) != owner.Foreign {
			f.drain.ClusterAccess++
		}
	}
}

func namespaceRemains(o snapshot.Object) *readiness.Remains {
	r := readiness.RemainsOf(o)
	if ns, err := snapshot.Into[corev1.Namespace](o); err == nil {
		r.Conditions = ns.Status.Conditions
	}
	return r
}

// claimFacts asks the same as the claim's controller does when it drains.
func (e *explainer) claimFacts(c *v1alpha1.ServiceClaim, app snapshot.Object) readiness.ClaimDrain {
	d := readiness.ClaimDrain{
		ArgoCD: e.set.Serves(kindApplication), Known: len(c.Status.Inventory) > 0,
		Tries: readiness.MaxTries, // the operator alone knows how often it told Argo CD again
		Force: readiness.ReasonOn(c, v1alpha1.AnnotationForce), Release: readiness.ReasonOn(c, v1alpha1.AnnotationRelease),
	}
	name := standIn(Object{kindApplication.Group, kindApplication.Kind, e.settings.ArgoCDNamespace, render.ApplicationName(c)})
	if app != nil {
		d.Application, name = readiness.RemainsOf(app), app
	}
	d.Name = "Application " + name.GetName() + " in " + name.GetNamespace()
	for _, i := range c.Status.Inventory {
		o := Object{i.Group, i.Kind, i.Namespace, i.Name}
		live := e.set.Get(o.GroupKind(), o.Namespace, o.Name)
		switch {
		case !readiness.Watched(o.Group, o.Kind):
			d.Known = false
		case live != nil && tracks(name, live):
			d.Left = append(d.Left, readiness.LeftOf(o.Kind, live))
		}
	}
	return d
}

// standIn is an object of which only the name is known.
func standIn(o Object) snapshot.Object {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(o.GroupKind().WithVersion(""))
	u.SetNamespace(o.Namespace)
	u.SetName(o.Name)
	return u
}
