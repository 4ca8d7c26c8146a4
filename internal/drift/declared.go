package drift

import (
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
)

// Managers under which what Git says is applied.
const (
	argoManager = "argocd-controller"
	fluxManager = "kustomize-controller"
	fluxHelm    = "helm-controller"
	helmManager = "helm"
	applyByFile = "kubectl-client-side-apply"
)

// declaration is an object with what declares it.
type declaration struct {
	live snapshot.Object
	by   Source
	app  *application
	// says is what Argo CD says of the object, nil where it does not.
	says *argocd.Resource
	// said is the object as it is declared, nil where only the names of its fields are known.
	said map[string]any
	// charted says that it was rendered by a chart that may not be the platform's.
	charted bool
	// appliers hold what was declared and applied, others are who else holds something.
	appliers, others []entry
}

// declarations are the objects that are there and that something declares.
func (w *world) declarations() (list []*declaration) {
	for _, o := range w.set.All() {
		if !w.looked(o) {
			continue
		}
		if d := w.declarationOf(o); d != nil {
			w.declared[keyOf(o)] = true
			w.report.Compared++
			list = append(list, d)
		}
	}
	return list
}

// looked says whether an object is asked about: one in the namespaces, a claim for one of
// them, or an Application that a claim has become.
func (w *world) looked(o snapshot.Object) bool {
	if o.GetDeletionTimestamp() != nil || o.GroupVersionKind().GroupKind() == eventKind || metav1.GetControllerOf(o) != nil {
		return false
	}
	_, rendered := w.rendered[keyOf(o)]
	return rendered || w.in(o.GetNamespace()) || w.in(claimSpace(o))
}

func (w *world) declarationOf(o snapshot.Object) *declaration {
	entries := entriesOf(o)
	d := w.sourceOf(o, entries)
	if d == nil {
		return nil
	}
	if d.app != nil {
		if d.says = d.app.lists(keyOf(o)); d.says != nil {
			d.by.Sync = d.says.Status
		}
	}
	if last := lastApplied(o); d.said == nil && last != nil {
		d.said = last
	}
	if len(entries) == 0 {
		w.bare++
	}
	for _, e := range entries {
		if d.applies(e) {
			d.appliers = append(d.appliers, e)
		} else {
			d.others = append(d.others, e)
		}
	}
	return d
}

// sourceOf begins a declaration with who declares the object, nil where nobody does.
func (w *world) sourceOf(o snapshot.Object, entries []entry) *declaration {
	d := &declaration{live: o}
	rendered, fromClaim := w.rendered[keyOf(o)]
	application := keyOf(o).GroupKind == ApplicationKind
	var named string
	d.app, named = w.tracking(o)
	switch {
	case fromClaim && (application || named != "" || !w.argo()):
		d.by, d.said, d.charted = Source{Claim: rendered.Claim, Application: named}, rendered.Object.Object, !application
	case named != "" && !w.gone(named):
		d.by = Source{Application: named}
	default:
		if d.by.Manager = w.applied(o, entries); d.by.Manager == "" {
			return nil
		}
	}
	return d
}

// gone says that the Application that an object names is known not to be there. Those in other
// namespaces than Argo CD's are not read.
func (w *world) gone(name string) bool {
	if namespace, _, elsewhere := strings.Cut(name, "/"); elsewhere && namespace != w.settings.ArgoCDNamespace {
		return false
	}
	_, missed := w.set.Missed(ApplicationKind, w.settings.ArgoCDNamespace, name)
	return !missed && !w.q.Files && !slices.ContainsFunc(w.apps, func(a *application) bool { return a.name() == name })
}

// applied is the manager that brought an object which no Application tracks, where it is one
// that brings what Git says. Without Argo CD whoever applied it declared it.
func (w *world) applied(o snapshot.Object, entries []entry) string {
	for _, e := range entries {
		switch {
		case e.Manager == fluxManager || e.Manager == fluxHelm || e.Manager == helmManager:
			return e.Manager
		case w.argo() || automatic(e.Manager):
		case e.Operation == metav1.ManagedFieldsOperationApply:
			return e.Manager
		case lastApplied(o) != nil && (e.Manager == applyByFile || e.Manager == argoManager):
			return e.Manager
		}
	}
	return ""
}

// applies says whether a manager is the one that applies what is declared.
func (d *declaration) applies(e entry) bool {
	switch {
	case keyOf(d.live).GroupKind == ApplicationKind && d.by.Claim != "":
		return slices.Contains(ownership.Managers, e.Manager)
	case d.by.Manager != "":
		return e.Manager == d.by.Manager
	case e.Manager == argoManager:
		return true
	default: // Argo CD that applies at the client's side has had both names
		return e.Manager == applyByFile && lastApplied(d.live) != nil
	}
}

// lastApplied is what was applied last at the client's side, nil where that is not known. On
// an object that Argo CD tracks, one without its mark is of somebody else.
func lastApplied(o snapshot.Object) map[string]any {
	text := o.GetAnnotations()[corev1.LastAppliedConfigAnnotation]
	if text == "" {
		return nil
	}
	var said map[string]any
	if json.Unmarshal([]byte(text), &said) != nil {
		return nil
	}
	if id := o.GetAnnotations()[argocd.TrackingID]; id != "" {
		metadata, _ := said["metadata"].(map[string]any)
		annotations, _ := metadata["annotations"].(map[string]any)
		if annotations[argocd.TrackingID] != id {
			return nil
		}
	}
	return said
}
