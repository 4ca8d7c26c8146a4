package deletion

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
)

// definition explains a CRD: every object of its kind goes first.
func (e *explainer) definition(o snapshot.Object, at stage) {
	group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(o.Object, "spec", "names", "kind")
	gk := schema.GroupKind{Group: group, Kind: kind}
	objects := e.set.Of(gk)
	e.needs(Object{Group: group, Kind: kind})
	e.plan("DeleteObjects", "Kubernetes' CRD controller", fmt.Sprintf("deletes every %s: there are %d", kind, len(objects)))
	switch {
	case group == v1alpha1.GroupName:
		e.plan("LetGo", operator, "lets them go without taking anything down: services run on, and nobody is in charge of them")
	case gk == kindApplication:
		e.plan("TakeDown", argoCD, "takes down every service that an Application delivered")
	case gk == argocd.ProjectKind.GroupKind():
		e.plan("Stuck", argoCD, "deletes nothing of an Application without its AppProject")
	}
	e.plan("DeleteDefinition", "Kubernetes' CRD controller", "the definition goes")
	var waits []string
	for _, i := range objects {
		if group != v1alpha1.GroupName && e.object(i, at) {
			waits = append(waits, ObjectOf(i).String())
		}
	}
	if group == v1alpha1.GroupName && len(objects) > 0 {
		waits = compact(e.operatorDown(at))
	}
	if at == now {
		row := ownership.BlockerOf("DefinitionDeletes")
		e.add(now, Blocker{Object: ObjectOf(o), Reason: "DefinitionDeletes", Finalizer: first(o.GetFinalizers()), Controller: "Kubernetes' CRD controller",
			Party: row.Party, Since: since(o), Until: "every object of the kind is gone", WaitsFor: waits, Next: row.Next})
	}
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// refused adds that the API server would not take the deletion, in its words, and what
// to delete instead.
func (e *explainer) refused(q Question, o snapshot.Object) {
	if q.Refused == "" || going(o) {
		return
	}
	row := ownership.BlockerOf("Refused")
	b := Blocker{Object: q.Object, Reason: "Refused", Controller: "the API server", Party: row.Party, Says: q.Refused, Next: row.Next}
	guarded := slices.Contains([]schema.GroupKind{kindNamespace, kindApplication, kindProject}, q.Object.GroupKind())
	switch of, is := e.ownerOf(o); {
	case !guarded || of.Name == "":
	case is == there:
		b.Command = "kubectl delete " + of.Kubectl()
	case is == gone:
		b.Next, b.Command = leftBehind(o, of)
		b.Next = called(of) + " is gone: " + b.Next
	default: // nobody knows whether that is what to delete
		b.Command = "kubectl get " + of.Kubectl()
	}
	e.add(later, b)
}
