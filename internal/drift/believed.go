package drift

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
)

// Whoever writes names the manager himself: kubectl edit --field-manager=kube-controller-manager
// is one flag. So a controller is believed for what it writes, and for nothing else.

const (
	controllerManager = "kube-controller-manager"
	applicationSets   = "argocd-applicationset-controller"
)

var (
	volumeClaimKind = schema.GroupKind{Kind: "PersistentVolumeClaim"}
	statefulSetKind = schema.GroupKind{Group: "apps", Kind: "StatefulSet"}
)

// noted are the domains of annotations that Kubernetes' controllers write.
var noted = []string{"deployment.kubernetes.io/", "pv.kubernetes.io/", "volume.kubernetes.io/", "volume.beta.kubernetes.io/", "batch.kubernetes.io/",
	"autoscaling.alpha.kubernetes.io/", "deprecated.daemonset.template.generation", "service.kubernetes.io/"}

// writtenBy are fields beside those, by manager and kind.
var writtenBy = map[string]map[string][]string{
	controllerManager:               {"PersistentVolumeClaim": {"spec.volumeName"}, "ServiceAccount": {"secrets", "imagePullSecrets"}},
	"kube-scheduler":                {"Pod": {"spec.nodeName"}},
	"argocd-application-controller": {"Application": {"operation", "metadata.annotations.argocd.argoproj.io/refresh", "metadata.annotations.argocd.argoproj.io/hydrate"}},
}

// believed says that a field is one that a controller writes, where the manager is its name.
func (w *world) believed(o snapshot.Object, e entry, p fieldpath.Path) bool {
	if !automatic(e.Manager) || len(names(p)) == 0 {
		return false
	}
	of, kind := names(p), keyOf(o).GroupKind
	switch {
	case slices.Contains(ownership.Managers, e.Manager):
		return w.marked(o) || kind == claimKind && of[0] == "metadata"
	case e.Manager == applicationSets:
		return kind == ApplicationKind && slices.ContainsFunc(o.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return r.Kind == "ApplicationSet" })
	case slices.ContainsFunc(writtenBy[e.Manager][kind.Kind], func(field string) bool { return dotted(p) == field || strings.HasPrefix(dotted(p), field+".") }):
		return true
	case strings.HasPrefix(e.Manager, "argocd-"):
		return false
	case p.Equals(replicas):
		return e.Manager == controllerManager && e.Subresource == "scale" && w.mayScale(o)
	}
	return isNote(of)
}

// mayScale says that an autoscaler keeps the number of an object, as far as they are known.
func (w *world) mayScale(o snapshot.Object) bool {
	_, missed := w.set.Missed(autoscalerKind, o.GetNamespace(), "")
	return missed || w.q.Files && len(w.autoscalers) == 0 || w.autoscaler(o) != nil
}

// isNote says that a field is where Kubernetes' controllers keep what they know of an object.
func isNote(of []string) bool {
	if len(of) < 2 || of[0] != "metadata" {
		return false
	}
	return of[1] == "finalizers" || len(of) > 2 && of[1] == "annotations" && slices.ContainsFunc(noted, func(domain string) bool { return strings.HasPrefix(of[2], domain) })
}

// controllers says that a controller made an object: the claims of a StatefulSet's volumes, as far as
// the StatefulSets are known. What it makes else is of kinds that are told by themselves, or has an owner.
func (w *world) controllers(o snapshot.Object) bool {
	fields := o.GetManagedFields()
	if keyOf(o).GroupKind != volumeClaimKind || len(fields) == 0 || slices.ContainsFunc(fields, func(m metav1.ManagedFieldsEntry) bool { return !automatic(m.Manager) }) {
		return false
	}
	if _, missed := w.set.Missed(statefulSetKind, o.GetNamespace(), ""); missed {
		return true
	}
	return slices.ContainsFunc(w.set.In(o.GetNamespace()), func(s snapshot.Object) bool { return keyOf(s).GroupKind == statefulSetKind && claims(s, o.GetName()) })
}

// claims says that a StatefulSet has volume claims of such a name: TEMPLATE-STATEFULSET-NUMBER.
func claims(s snapshot.Object, name string) bool {
	templates, _, _ := unstructured.NestedSlice(s.Object, "spec", "volumeClaimTemplates")
	return slices.ContainsFunc(templates, func(t any) bool {
		of, _ := t.(map[string]any)
		template, _, _ := unstructured.NestedString(of, "metadata", "name")
		number, ok := strings.CutPrefix(name, template+"-"+s.GetName()+"-")
		return ok && number != "" && strings.Trim(number, "0123456789") == ""
	})
}

// marked says that an object is Demarc's own: by its marks, where a policy keeps them, or where they
// name an owner that is there, with its UID.
func (w *world) marked(o snapshot.Object) bool {
	label := o.GetLabels()[v1alpha1.LabelOwner]
	if label == "" {
		return false
	}
	if slices.Contains(ownership.Marked, keyOf(o).GroupKind) {
		return true
	}
	uid := types.UID(o.GetAnnotations()[v1alpha1.AnnotationOwnerUID])
	return uid != "" && slices.ContainsFunc(w.set.All(), func(by snapshot.Object) bool {
		return by.GetUID() == uid && by.GroupVersionKind().Group == v1alpha1.GroupName && owner.Compare(o, owner.Ref{Kind: by.GetKind(), Name: by.GetName(), UID: by.GetUID()}) == owner.Ours
	})
}
