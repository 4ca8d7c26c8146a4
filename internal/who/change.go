package who

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/snapshot"
)

// farthest is how many objects a way to what is to be changed may go over.
const farthest = 8

// change finds what is to be changed in the place of the object, and where that is:
//
//	pod → replicaset → deployment → Application → claim → Application → repository
func (d *decision) change() {
	d.answer.Change.Path = d.answer.Domain.ChangePath
	if d.File != nil {
		return
	}
	end := d.domain
	if d.live != nil {
		seen := map[Ref]bool{}
		at, kind := d.live, d.object.GroupKind()
		for len(seen) < farthest && at != nil {
			kind = at.GroupVersionKind().GroupKind()
			ref := Ref{kind, at.GetNamespace(), at.GetName()}
			if seen[ref] {
				break
			}
			seen[ref] = true
			at = d.before(at)
		}
		if kind != d.object.GroupKind() {
			end = d.contract.Of(contract.Object{GroupKind: kind})
		}
	}
	if len(d.answer.Change.Places) == 0 && end != nil {
		for _, p := range end.Paths {
			if d.team.none && strings.Contains(p.Path, teamMark) {
				continue // no team has a place for it
			}
			d.answer.Change.Places = append(d.answer.Change.Places, d.place(p, d.team.name))
		}
	}
}

// before is the object from which another is made; nil is that it is changed itself, or
// that its place in Git is found.
func (d *decision) before(o snapshot.Object) snapshot.Object {
	if owner := metav1.GetControllerOfNoCopy(o); owner != nil {
		gv, _ := schema.ParseGroupVersion(owner.APIVersion)
		made := kindOf(gv.WithKind(owner.Kind).GroupKind())
		if made.Name = owner.Name; !made.Cluster {
			made.Namespace = o.GetNamespace()
		}
		return d.step(made, "makes it")
	}
	if kept, ok := keeper(o); ok {
		return d.step(kept, "is what Demarc keeps it for")
	}
	return d.delivered(o)
}

// step notes one object on the way and looks it up.
func (d *decision) step(o Object, how string) snapshot.Object {
	d.answer.Change.Steps = append(d.answer.Change.Steps, Step{Object: o.String(), How: how})
	return d.get(Ref{o.GroupKind(), o.Namespace, o.Name})
}

// keeper is the Tenant, claim or Platform for which Demarc keeps an object.
func keeper(o snapshot.Object) (Object, bool) {
	kind, name, _ := strings.Cut(o.GetLabels()[v1alpha1.LabelOwner], ".")
	for _, k := range []schema.GroupKind{tenants, claims, platforms, contracts} {
		if strings.ToLower(k.Kind) == kind && name != "" {
			found := kindOf(k)
			found.Name = name
			return found, true
		}
	}
	return Object{}, false
}

// delivered follows what Argo CD delivers: to the claim whose Application it is, or to
// the Application's place in Git.
func (d *decision) delivered(o snapshot.Object) snapshot.Object {
	app := d.applicationOf(o)
	if app.Name == "" {
		return nil
	}
	live := d.step(app, "delivers it")
	if live == nil {
		return d.claimOf(o, app)
	}
	d.synced(live)
	claim, kept := keeper(live)
	if !kept || claim.GroupKind() != claims {
		d.sources(live)
		return nil
	}
	found := d.step(claim, "is what the Application is made for")
	if found == nil {
		return nil
	}
	if _, own, _ := unstructured.NestedMap(found.Object, "spec", "source"); own {
		d.sources(live) // manifests of the team's own: they are what changes the object
		return nil
	}
	return found
}

// claimOf is the claim that an object names, where its Application cannot be read.
func (d *decision) claimOf(o snapshot.Object, app Object) snapshot.Object {
	labels := o.GetLabels()
	name := labels[v1alpha1.LabelClaim]
	if name == "" || app.Name != labels[v1alpha1.LabelTeam]+"."+name {
		return nil
	}
	claim := kindOf(claims)
	claim.Name = name
	return d.step(claim, "is what the Application is made for")
}

// place is a path of the contract, for a team where one is known.
func (d *decision) place(p v1alpha1.ContractPath, team string) Place {
	where := p.Path
	if team != "" {
		where = strings.ReplaceAll(where, teamMark, team)
	}
	return Place{Repository: p.Repository, URL: repositoryURL(d.contract, p.Repository), Path: where, From: "the contract"}
}
