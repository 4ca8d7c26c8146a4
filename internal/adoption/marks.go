package adoption

import (
	"encoding/json"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/snapshot"
)

// marks compares the namespace's labels and annotations with those that it would carry.
func (p *preview) marks() {
	live, replaced := p.ns.GetLabels(), map[string]string{}
	for key, value := range p.space.Namespace.GetLabels() {
		old, there := live[key]
		if there {
			replaced[key] = old // put back when the Tenant goes
		}
		if there && old == value {
			continue
		}
		p.report.Labels = append(p.report.Labels, mark(key, value, old, there))
		if there {
			p.kept(key)
		}
	}
	note, err := json.Marshal(replaced)
	if err != nil {
		panic("adoption: labels that are no JSON: " + err.Error()) // strings are
	}
	uid := string(p.question.Tenant.UID)
	if uid == "" {
		uid = "(the Tenant's)"
	}
	annotations := map[string]string{
		v1alpha1.AnnotationAdopted: string(note), v1alpha1.AnnotationOwnerUID: uid, v1alpha1.AnnotationApplied: "(a hash)",
	}
	for key, value := range p.space.Namespace.GetAnnotations() { // who is on call
		if _, marked := annotations[key]; !marked {
			annotations[key] = value
		}
	}
	for key, value := range annotations {
		old, there := p.ns.GetAnnotations()[key]
		p.report.Annotations = append(p.report.Annotations, mark(key, value, old, there))
	}
	sortMarks(p.report.Labels)
	sortMarks(p.report.Annotations)
	if level, now := live["pod-security.kubernetes.io/enforce"], p.settings.PodSecurity; looser(now, level) {
		p.note("Pod Security is loosened from %s to %s: the Platform's level holds for all teams", level, now)
	}
}

func mark(key, value, old string, there bool) Mark {
	m := Mark{Key: key, New: value}
	if there {
		m.Old = &old
	}
	return m
}

// looser reports whether a Pod Security level lets more through than another.
func looser(level, than string) bool {
	order := []string{"privileged", "baseline", "restricted"}
	return slices.Index(order, level) < slices.Index(order, than)
}

// kept notes who keeps a label that is replaced, and may set it back: somebody at a
// terminal does not, nor does Demarc, which put it back when a Tenant of before went.
func (p *preview) kept(key string) {
	for _, m := range p.ns.GetManagedFields() {
		passing := strings.HasPrefix(m.Manager, "kubectl") || strings.HasPrefix(m.Manager, ourManagers)
		if m.FieldsV1 != nil && !passing && strings.Contains(string(m.FieldsV1.GetRawBytes()), `"f:`+key+`"`) {
			p.note("label %s is kept by %q, which may set it back; take it out there", key, m.Manager)
		}
	}
}

// managedBy says demarc on what Demarc made.
const managedBy = "app.kubernetes.io/managed-by"

// ourManagers is how the field managers of Demarc's operator and of its command line begin.
const ourManagers = "demarc-"

// sign of another owner: a label or an annotation, and who writes it.
type sign struct{ key, who string }

// Annotations and labels by which other tools mark a namespace as theirs.
var (
	annotationSigns = []sign{
		{argocd.TrackingID, "the Argo CD Application "},
		{"meta.helm.sh/release-name", "the Helm release "},
		{"field.cattle.io/projectId", "Rancher's project "},
		{"openshift.io/requester", "OpenShift's project of "},
		{"hnc.x-k8s.io/subnamespace-of", "the hierarchical namespace "},
	}
	labelSigns = []sign{
		{"capsule.clastix.io/tenant", "Capsule's Tenant "},
		{"kustomize.toolkit.fluxcd.io/name", "Flux' Kustomization "},
		{"helm.toolkit.fluxcd.io/name", "Flux' HelmRelease "},
		{"crossplane.io/composite", "Crossplane's composite "},
		{"kro.run/owned-by", "kro's instance "},
		{managedBy, "a tool that calls itself "},
	}
)

// owners names who else lays claim to a namespace, by the marks that are known.
func owners(ns snapshot.Object) (found []string) {
	for _, ref := range ns.GetOwnerReferences() {
		found = append(found, ref.Kind+" "+ref.Name+" of "+ref.APIVersion+" (an ownerReference: the namespace goes with it)")
	}
	for _, s := range annotationSigns {
		if value := ns.GetAnnotations()[s.key]; value != "" {
			who, _, _ := strings.Cut(value, ":")
			if s.key != argocd.TrackingID {
				who = value
			}
			found = append(found, s.who+who+" (annotation "+s.key+")")
		}
	}
	for _, s := range labelSigns {
		if value := ns.GetLabels()[s.key]; value != "" && (s.key != managedBy || value != "demarc") {
			found = append(found, s.who+value+" (label "+s.key+")")
		}
	}
	return found
}
