package verify

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// owners finds what carries Demarc's marks and is nobody's.
func (v *verifier) owners() {
	names := map[string]string{render.PlatformRef.Label(): render.PlatformRef.String()}
	for _, t := range v.tenants {
		names[render.TenantRef(t).Label()] = render.TenantRef(t).String()
	}
	for _, c := range v.claims {
		names[render.ClaimRef(c).Label()] = render.ClaimRef(c).String()
	}
	for _, g := range v.grants {
		names[render.GrantRef(g).Label()] = render.GrantRef(g).String()
	}
	for _, o := range v.set.All() {
		kind := o.GroupVersionKind().GroupKind()
		if kind == namespaces {
			v.namespace(o)
			continue
		}
		label := o.GetLabels()[v1alpha1.LabelOwner]
		if label == "" || v.keeps(about(o)) || o.GetDeletionTimestamp() != nil || slices.Contains([]schema.GroupKind{tenants, claims, grants, raises, exceptions}, kind) {
			continue
		}
		message := "it is marked as that of " + label + ", which is not there: nobody keeps it"
		if by := names[label]; by != "" {
			message = "it is marked as that of " + by + ", which makes no such thing: nobody keeps it"
		}
		id, mend := OwnerGone, v.orphanMend(o)
		if grant := render.GrantOf(o.GetName()); grant != "" && strings.HasPrefix(label, "accessgrant.") {
			mend = deletion(about(o), "takes it away; what is to go on is a new AccessGrant")
			id, message = Overdue, "it was given by AccessGrant "+grant+", which is over, revoked or gone: the access is there still"
			if until := o.GetAnnotations()[v1alpha1.AnnotationExpires]; until != "" {
				message += " (it was to end at " + until + ")"
			}
		}
		v.add(finding.Finding{ID: id, Severity: finding.Error, Object: about(o), Message: message, Mend: mend, Cause: bindingItself(o),
			Evidence: []finding.Evidence{{Object: about(o), Field: "metadata.labels." + v1alpha1.LabelOwner, Value: label}}})
	}
}

// orphanMend lets what runs run on, and takes away what gives a right or limits one.
func (v *verifier) orphanMend(o snapshot.Object) finding.Mend {
	switch o.GroupVersionKind().GroupKind() {
	case applications, projects:
		at := about(o)
		ops := setting("labels", v1alpha1.LabelOwner, o.GetLabels(), "")
		return patching(at, ops, v.operatorUser(), "takes the mark off, and leaves it, and what runs, in place: it is the platform's from then on. To have it kept again, make its owner anew from Git instead")
	default:
		return deletion(about(o), "takes it away; to have it kept again, make its owner anew from Git instead")
	}
}

// namespace looks at one that is, or looks like, a team's.
func (v *verifier) namespace(o snapshot.Object) {
	label, marked := o.GetLabels()[v1alpha1.LabelTenant]
	name, called := strings.CutPrefix(o.GetName(), v1alpha1.NamespacePrefix)
	if o.GetDeletionTimestamp() != nil || !marked && !called || v.teamOf(o.GetName()) != nil {
		return // of a Tenant's own the labels are compared
	}
	at := about(o)
	f := finding.Finding{ID: NoTenant, Severity: finding.Error, Object: at, Owner: v1alpha1.PartyPlatform,
		Evidence: []finding.Evidence{{Object: at, Field: "metadata.labels." + v1alpha1.LabelTenant, Value: label}}}
	switch {
	case marked && o.GetLabels()[v1alpha1.LabelOwner] == "":
		f.Message = "it is labelled as that of team " + label + ", and is not that of a Tenant"
		f.Mend = patching(at, setting("labels", v1alpha1.LabelTenant, o.GetLabels(), ""), v.operatorUser(),
			"takes the label off, as the operator, whom alone policy lets do so")
	case called && marked:
		f.Message = "it was made for Tenant " + name + ", which is not there: nobody keeps its access and budget"
		f.Mend = creation(newTenant(name, false), "makes its Tenant anew, with access for nobody until you say for whom", "")
	default:
		f.Severity = finding.Warning
		f.Message = "its name is that of a team's namespace, and there is no Tenant " + name
		f.Mend = creation(newTenant(name, true), "makes a Tenant that takes it over, with access for nobody until you say for whom; demarc adopt says first what that changes", "")
	}
	v.add(f)
}

func newTenant(name string, adopt bool) *unstructured.Unstructured {
	spec := map[string]any{"access": []any{}}
	if adopt {
		spec["adopt"] = true
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha1.SchemeGroupVersion.String(), "kind": "Tenant", "metadata": map[string]any{"name": name}, "spec": spec,
	}}
}
