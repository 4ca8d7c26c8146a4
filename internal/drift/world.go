package drift

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

var (
	platformKind  = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Platform"}
	tenantKind    = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Tenant"}
	claimKind     = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "ServiceClaim"}
	contractKind  = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "OwnershipContract"}
	namespaceKind = schema.GroupKind{Kind: "Namespace"}
	// ApplicationKind is what Argo CD delivers by.
	ApplicationKind = argocd.ApplicationKind.GroupKind()
	autoscalerKind  = schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}
	replicaSetKind  = schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}
	eventKind       = schema.GroupKind{Kind: "Event"}
)

// key names one object.
type key struct {
	schema.GroupKind
	namespace, name string
}

func keyOf(o snapshot.Object) key {
	return key{o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName()}
}

// world is the snapshot with what is looked up often.
type world struct {
	set      *snapshot.Set
	q        Question
	settings render.Settings
	contract *contract.Contract
	apps     []*application
	// rendered are the objects that claims declare.
	rendered map[key]Rendered
	// declared are the objects that something declares.
	declared map[key]bool
	// autoscalers by what they scale; replicaSets and scalings by the UID of their Deployment.
	autoscalers map[key]snapshot.Object
	replicaSets map[types.UID][]snapshot.Object
	scalings    map[types.UID][]scaling
	// bare counts objects without managed fields.
	bare   int
	report Report
}

func newWorld(set *snapshot.Set, q Question) *world {
	w := &world{set: set, q: q, rendered: map[key]Rendered{}, declared: map[key]bool{},
		report: Report{Findings: []Difference{}, Apart: map[string]int{}}}
	w.settings = Settings(set)
	w.index()
	w.contract = contractOf(set)
	for _, o := range set.Of(ApplicationKind) {
		app, err := applicationOf(o)
		if err != nil {
			w.note("%v: it is passed over", err)
			continue
		}
		w.apps = append(w.apps, app)
	}
	for _, r := range q.Rendered {
		w.rendered[keyOf(r.Object)] = r
	}
	return w
}

// Settings are the Platform's in a snapshot.
func Settings(set *snapshot.Set) render.Settings {
	if o := set.Get(platformKind, "", v1alpha1.PlatformName); o != nil {
		if p, err := snapshot.Into[v1alpha1.Platform](o); err == nil {
			return render.SettingsOf(p)
		}
	}
	return render.SettingsOf(nil)
}

func contractOf(set *snapshot.Set) *contract.Contract {
	if o := set.Get(contractKind, "", v1alpha1.ContractName); o != nil {
		if read, err := snapshot.Into[v1alpha1.OwnershipContract](o); err == nil && len(read.Spec.Domains) > 0 {
			return contract.New(read.Spec)
		}
	}
	return contract.Default()
}

func (w *world) index() {
	w.autoscalers, w.replicaSets, w.scalings = map[key]snapshot.Object{}, map[types.UID][]snapshot.Object{}, map[types.UID][]scaling{}
	for _, o := range w.set.Of(autoscalerKind) {
		target, _, _ := unstructured.NestedStringMap(o.Object, "spec", "scaleTargetRef")
		group, _, _ := strings.Cut(target["apiVersion"], "/")
		if o.GetDeletionTimestamp() == nil {
			w.autoscalers[key{schema.GroupKind{Group: group, Kind: target["kind"]}, o.GetNamespace(), target["name"]}] = o
		}
	}
	for _, o := range w.set.Of(replicaSetKind) {
		if owner := metav1.GetControllerOf(o); owner != nil {
			w.replicaSets[owner.UID] = append(w.replicaSets[owner.UID], o)
		}
	}
	for _, o := range w.set.Of(eventKind) {
		if s, ok := scalingOf(o); ok {
			w.scalings[s.of] = append(w.scalings[s.of], s)
		}
	}
}

func (w *world) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(w.report.Notes, text) {
		w.report.Notes = append(w.report.Notes, text)
	}
}

func (w *world) apart(why string) { w.report.Apart[why]++ }

// argo says whether there is an Argo CD, as far as is known.
func (w *world) argo() bool {
	_, missed := w.set.Missed(ApplicationKind, w.settings.ArgoCDNamespace, "")
	return len(w.apps) > 0 || missed || w.set.Serves(ApplicationKind) && !w.q.Files
}

// in says whether a namespace is looked at.
func (w *world) in(namespace string) bool { return slices.Contains(w.q.Namespaces, namespace) }

// teamOf is the team of a namespace, empty where it is no team's.
func (w *world) teamOf(namespace string) string {
	if o := w.set.Get(namespaceKind, "", namespace); o != nil {
		return o.GetLabels()[v1alpha1.LabelTenant]
	}
	team, _ := admitted.TeamOf(namespace)
	if w.set.Get(tenantKind, "", team) == nil {
		return ""
	}
	return team
}

// notes says what was not to be seen.
func (w *world) notes() {
	if w.bare > 0 {
		w.note("without managed fields nothing tells who changed an object, or what was added, and %d of %d are without: kubectl get --show-managed-fields -o yaml prints them", w.bare, w.report.Compared)
	}
}

// Namespaces are those of the teams in a snapshot.
func Namespaces(set *snapshot.Set) (list []string) {
	for _, o := range set.Of(namespaceKind) {
		if o.GetLabels()[v1alpha1.LabelTenant] != "" {
			list = append(list, o.GetName())
		}
	}
	for _, o := range set.Of(tenantKind) {
		list = append(list, v1alpha1.NamespaceOf(o.GetName()))
	}
	slices.Sort(list)
	return slices.Compact(list)
}
