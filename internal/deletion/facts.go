package deletion

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finalizer"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// teamFacts are what the drain of a Tenant decides on, and the objects they speak of.
type teamFacts struct {
	drain        readiness.TenantDrain
	claims       []snapshot.Object
	orphans      []snapshot.Object
	applications []snapshot.Object
	project      snapshot.Object
	namespace    snapshot.Object
}

// teamFacts asks the same as the Tenant's controller does when it drains.
func (e *explainer) teamFacts(t *v1alpha1.Tenant) teamFacts {
	f := teamFacts{drain: readiness.TenantDrain{Team: t.Name, Force: reasonOn(t, v1alpha1.AnnotationForce)}}
	ref, ns := render.TenantRef(t), v1alpha1.NamespaceOf(t.Name)
	for _, c := range e.set.Of(kindClaim) {
		if team, _, _ := unstructured.NestedString(c.Object, "spec", "team"); team == t.Name && slices.Contains(c.GetFinalizers(), v1alpha1.FinalizerClaim) {
			f.claims = append(f.claims, c)
			f.drain.Claims = append(f.drain.Claims, c.GetName())
		}
	}
	e.teamApplications(t, &f)
	for _, p := range e.set.Of(kindProject) {
		if owner.Compare(p, ref) != owner.Foreign {
			f.project, f.drain.Project = p, remains(p)
		}
	}
	if o := e.set.Get(kindNamespace, "", ns); o != nil && owner.Compare(o, ref) != owner.Foreign {
		f.namespace, f.drain.Namespace = o, remains(o)
		f.drain.Adopted = o.GetAnnotations()[v1alpha1.AnnotationAdopted] != ""
	}
	e.teamShare(ref, ns, &f)
	return f
}

// teamApplications sorts what is in the team's project: its claims' own are theirs to
// take down, those of claims that are gone are the operator's, others somebody's.
func (e *explainer) teamApplications(t *v1alpha1.Tenant, f *teamFacts) {
	for _, app := range e.set.Of(kindApplication) {
		if projectName(app) != render.ProjectName(t.Name) {
			continue
		}
		claim := app.GetLabels()[v1alpha1.LabelClaim]
		ours := claim != "" && app.GetLabels()[v1alpha1.LabelOwner] == owner.Ref{Kind: "ServiceClaim", Name: claim}.Label()
		switch {
		case !ours:
			f.applications = append(f.applications, app)
			f.drain.Applications = append(f.drain.Applications, app.GetName())
		case e.set.Get(kindClaim, "", claim) == nil:
			f.orphans = append(f.orphans, app)
			f.drain.Orphans = append(f.drain.Orphans, app.GetName())
		default:
			f.drain.Applications = append(f.drain.Applications, app.GetName())
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

func remains(o snapshot.Object) *readiness.Remains {
	r := &readiness.Remains{Going: going(o), Finalizers: o.GetFinalizers()}
	if o.GetKind() == kindNamespace.Kind {
		if ns, err := snapshot.Into[corev1.Namespace](o); err == nil {
			r.Conditions = ns.Status.Conditions
		}
	}
	return r
}

// reasonOn is the reason that an annotation gives.
func reasonOn(o metav1.Object, annotation string) string {
	return strings.TrimSpace(o.GetAnnotations()[annotation])
}

// projectName is the AppProject that an Application names; without one it is default.
func projectName(app snapshot.Object) string {
	if name, _, _ := unstructured.NestedString(app.Object, "spec", "project"); name != "" {
		return name
	}
	return "default"
}

// claimFacts asks the same as the claim's controller does when it drains.
func (e *explainer) claimFacts(c *v1alpha1.ServiceClaim, app snapshot.Object) readiness.ClaimDrain {
	d := readiness.ClaimDrain{
		ArgoCD: e.set.Serves(kindApplication), Known: len(c.Status.Inventory) > 0,
		Force: reasonOn(c, v1alpha1.AnnotationForce), Release: reasonOn(c, v1alpha1.AnnotationRelease),
	}
	name := standIn(Object{kindApplication.Group, kindApplication.Kind, e.settings.ArgoCDNamespace, render.ApplicationName(c)})
	if app != nil {
		d.Application, name = remains(app), app
	}
	d.Name = "Application " + name.GetName() + " in " + name.GetNamespace()
	for _, i := range c.Status.Inventory {
		o := Object{i.Group, i.Kind, i.Namespace, i.Name}
		live := e.set.Get(o.GroupKind(), o.Namespace, o.Name)
		switch {
		case !watched(o):
			d.Known = false
		case live != nil && trackedFor(live, name):
			d.Left = append(d.Left, strings.ToLower(o.Kind)+"/"+o.Name+stayed(live))
		}
	}
	return d
}

// stayed says by what an object is still there, as the claim's condition does.
func stayed(o snapshot.Object) string {
	if by := argocd.Keeps(o.GetAnnotations()); by != "" {
		return " (" + by + ")"
	}
	if going(o) {
		return " (being deleted" + finalizer.Held(o.GetFinalizers()) + ")"
	}
	return ""
}

// standIn is an object of which only the name is known.
func standIn(o Object) snapshot.Object {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(o.GroupKind().WithVersion(""))
	u.SetNamespace(o.Namespace)
	u.SetName(o.Name)
	return u
}
