package offline

import (
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail/admitted"
)

// World is what a request meets: namespaces, the objects that policies take as parameters,
// and what objects are filled in from.
type World struct {
	// At is the time of the request.
	At     time.Time
	Around admitted.Surroundings

	namespaces map[string]*corev1.Namespace
	objects    map[schema.GroupKind][]runtime.Object
}

// Add takes objects into the world; of two namespaces of one name the later counts.
func (w *World) Add(objects ...runtime.Object) {
	if w.namespaces == nil {
		w.namespaces, w.objects = map[string]*corev1.Namespace{}, map[schema.GroupKind][]runtime.Object{}
	}
	for _, o := range objects {
		w.Around.Add(o)
		if n, ok := o.(*corev1.Namespace); ok {
			n = n.DeepCopy()
			admitted.Default(n)
			w.namespaces[n.Name] = n
		}
		kind := o.GetObjectKind().GroupVersionKind().GroupKind()
		if u, ok := o.(*unstructured.Unstructured); ok {
			o = parameter{u}
		}
		w.objects[kind] = append(w.objects[kind], o)
	}
}

// parameter is an object that the evaluator can take as it is. Others that are unstructured
// it writes as JSON and reads again, for every policy.
type parameter struct{ *unstructured.Unstructured }

// ToUnstructured is what the evaluator asks for.
func (p parameter) ToUnstructured() any { return p.Object }

// Namespace of a name; nil where there is none.
func (w *World) Namespace(name string) *corev1.Namespace { return w.namespaces[name] }

// namespaces is how the API server's code asks for them.
type namespaces struct{ *World }

// List is what the interface wants, and nothing calls it.
func (n namespaces) List(labels.Selector) ([]*corev1.Namespace, error) { return nil, nil }

// Get finds a namespace by its name.
func (n namespaces) Get(name string) (*corev1.Namespace, error) {
	if found := n.Namespace(name); found != nil {
		return found, nil
	}
	// Any other error than "not found", upon which a cluster would be asked.
	return nil, fmt.Errorf("nothing is known of namespace %q", name)
}

// params are what a binding hands to its policy; one nil where it takes none.
func (w *World) params(kind *admissionregistrationv1.ParamKind, ref *admissionregistrationv1.ParamRef, namespace string) ([]runtime.Object, error) {
	if kind == nil || ref == nil {
		return []runtime.Object{nil}, nil
	}
	gvk := schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)
	cluster := admitted.KindOf(gvk).Cluster
	switch {
	case cluster && ref.Namespace != "":
		return nil, fmt.Errorf("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
	case cluster:
		namespace = ""
	case ref.Namespace != "":
		namespace = ref.Namespace
	case namespace == "":
		return nil, fmt.Errorf("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
	}
	found, err := w.find(gvk, namespace, ref)
	if err == nil && len(found) == 0 && ref.ParameterNotFoundAction != nil && *ref.ParameterNotFoundAction == admissionregistrationv1.DenyAction {
		err = fmt.Errorf("no params found for policy binding with `Deny` parameterNotFoundAction")
	}
	return found, err
}

func (w *World) find(gvk schema.GroupVersionKind, namespace string, ref *admissionregistrationv1.ParamRef) (found []runtime.Object, err error) {
	selector := labels.Everything()
	if ref.Selector != nil {
		if selector, err = metav1.LabelSelectorAsSelector(ref.Selector); err != nil {
			return nil, err
		}
	}
	for _, o := range w.objects[gvk.GroupKind()] {
		m, err := meta.Accessor(o)
		if err != nil {
			return nil, err
		}
		if m.GetNamespace() == namespace && (ref.Name == "" || ref.Name == m.GetName()) && selector.Matches(labels.Set(m.GetLabels())) {
			found = append(found, o)
		}
	}
	return found, nil
}

// Team whose namespace one is; empty where it is none's, or is not known.
func (w *World) Team(namespace string) string {
	if n := w.namespaces[namespace]; n != nil {
		return n.Labels[v1alpha1.LabelTenant]
	}
	return ""
}
