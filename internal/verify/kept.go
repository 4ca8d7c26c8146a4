package verify

import (
	"time"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// kept is an object as it should be.
type kept struct {
	want render.Object
	// id of the finding where it is not so.
	id string
	// owner by whose mark Demarc knows it; nil for what Demarc does not keep itself.
	owner *owner.Ref
	// team of which it is; empty for what is the whole cluster's.
	team string
	// unasked is that it is on its way out, or may not be there yet: its absence is none
	// of our business.
	unasked bool
	// unrendered is that nobody knows now what should be in it, and the operator leaves it
	// as it is: only whose it is is compared.
	unrendered bool
}

// compiled gathers what should be, and compares it with what is. Of a large cluster that is
// much, so nothing of it is kept but the names, and RBAC.
func (v *verifier) compiled() {
	v.keep(v.clusters())
	for _, t := range v.tenants {
		v.keep(v.space(t))
	}
	for _, c := range v.claims {
		v.keep([]kept{v.claim(c)})
	}
	for _, g := range v.grants {
		v.keep(v.grant(g))
	}
	v.want.Index()
	v.impersonation()
}

func (v *verifier) keep(all []kept) {
	for _, k := range all {
		v.should[about(k.want)] = true
		put(v.want, k.want)
		if k.team == "" || v.wanted(k.team) {
			v.compare(k)
		}
	}
}

// clusters is what is there whether or not there is a team.
func (v *verifier) clusters() (all []kept) {
	for _, o := range everybody() {
		all = append(all, kept{want: o, id: Everybody})
	}
	for _, o := range installed(v.operator, v.settings.ArgoCDNamespace) {
		all = append(all, kept{want: o, id: idOf(o)})
	}
	ref := render.PlatformRef
	for _, o := range render.Roles(v.contract) {
		all = append(all, kept{want: o, id: RoleOther, owner: &ref})
	}
	channel, groups := "", []string(nil)
	if v.platform != nil {
		channel, groups = v.platform.Spec.Team.Contacts.Channel, v.platform.Spec.Team.Groups
	}
	for _, o := range render.Boundary(v.operatorUser(), channel, v.compiledFrom()...) {
		all = append(all, kept{want: o, id: Boundary, owner: &ref})
	}
	if o := render.PlatformAccess(groups); o != nil {
		all = append(all, kept{want: o, id: Access, owner: &ref})
	}
	return append(all, v.guardrails(&ref)...)
}

func idOf(o render.Object) string {
	if o.GroupVersionKind().Group == admissionGroup {
		return Policy
	}
	return Install
}

// guardrails are what the policies of the guardrails read.
func (v *verifier) guardrails(ref *owner.Ref) (all []kept) {
	teams := make([]v1alpha1.Tenant, 0, len(v.tenants))
	for _, t := range v.tenants {
		teams = append(teams, *t)
	}
	in, _ := guardrail.InForce(v.excepted, guardrail.TermsOf(v.platform), v.set.At)
	for _, set := range guardrail.Sets(v.platform, teams, in) {
		all = append(all, kept{want: render.GuardrailSet(set), id: Guardrails, owner: ref, unasked: !v.set.Serves(guardrailSets)})
	}
	return all
}

// spaceIDs are the findings of what a Tenant keeps, by kind.
var spaceIDs = map[string]string{
	"Namespace": Labels, "NetworkPolicy": Isolation, "ResourceQuota": Budget, "LimitRange": Budget,
	"AppProject": Project, "RoleBinding": Access, "ClusterRoleBinding": Access, "ServiceAccount": Access,
}

func (v *verifier) space(t *v1alpha1.Tenant) (all []kept) {
	whole, objects := v.rendered(t)
	ref, going := render.TenantRef(t), t.DeletionTimestamp != nil
	for _, o := range objects {
		k := kept{want: o, id: spaceIDs[o.GetKind()], owner: &ref, team: t.Name, unasked: going, unrendered: !whole}
		if kind := o.GroupVersionKind().GroupKind(); !v.set.Serves(kind) {
			k.unasked = true // Argo CD is not there
		}
		if ns := o.GetNamespace(); ns == v1alpha1.NamespaceOf(t.Name) && v.set.Get(namespaces, "", ns) == nil {
			k.unasked = true // the namespace is what is missing
		}
		all = append(all, k)
	}
	return all
}

func inForce(g *v1alpha1.AccessGrant, t *v1alpha1.Tenant, now time.Time) bool {
	life := g.Status.Life
	return g.DeletionTimestamp == nil && g.Spec.Approval != nil && g.Spec.Revocation == nil &&
		life.Expires != nil && readiness.Active(life, now) && life.TenantUID == string(t.UID)
}

// keeps says whether an object is one that should be.
func (v *verifier) keeps(o finding.Object) bool { return v.should[o] }

func (v *verifier) compare(k kept) {
	o := about(k.want)
	if k.unasked {
		return
	}
	live := v.set.Get(kindOf(o), o.Namespace, o.Name)
	switch {
	case live == nil && k.unrendered:
	case live == nil:
		fix := creation(k.want, "makes it anew, as it should be", v.writer(k.want))
		v.fixes[o] = fix
		v.add(finding.Finding{ID: k.id, Severity: finding.Error, Object: o, Message: title(k.id) + ": it is not there", Mend: fix, Cause: bindingItself(k.want)})
	case live.GetDeletionTimestamp() != nil:
		// The operator makes it anew once it is gone.
	case k.unrendered:
		v.marks(k, live)
	default:
		v.marks(k, live)
		v.differs(k, live)
	}
}

func title(id string) string {
	for _, c := range Checks {
		if c.ID == id {
			return c.Title
		}
	}
	return id
}

// marks compares by whose mark an object is known.
func (v *verifier) marks(k kept, live render.Object) {
	if k.owner == nil || owner.Compare(live, *k.owner) == owner.Ours {
		return
	}
	o := about(live)
	var ops []op
	for _, mark := range []struct {
		in, key string
		is      map[string]string
		want    string
	}{
		{"labels", v1alpha1.LabelOwner, live.GetLabels(), k.owner.Label()},
		{"annotations", v1alpha1.AnnotationOwnerUID, live.GetAnnotations(), string(k.owner.UID)},
	} {
		if mark.is[mark.key] != mark.want {
			ops = append(ops, setting(mark.in, mark.key, mark.is, mark.want)...)
		}
	}
	v.add(finding.Finding{ID: OwnerOther, Severity: finding.Error, Object: o, Evidence: evidence(live, ops),
		Message: "it should be marked as that of " + k.owner.String() + ": " + summed(live, ops),
		Mend:    patching(o, ops, v.operatorUser(), "puts the mark back, as the operator, whom alone policy lets do so")})
}

// setting puts one label or annotation to what it should be; empty takes it away.
func setting(in, key string, is map[string]string, want string) []op {
	at := "/metadata/" + in + "/" + escape(key)
	switch {
	case want == "":
		return []op{{"remove", at, nil}}
	case len(is) == 0:
		return []op{{"add", "/metadata/" + in, map[string]any{key: want}}}
	default:
		return []op{{"add", at, want}}
	}
}
