package check

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/manifest"
)

// Settings are what holds for whom. The zero value is a platform that says nothing: the
// documented defaults hold.
type Settings struct {
	Platform   *v1alpha1.Platform
	Tenants    []v1alpha1.Tenant
	Exceptions []v1alpha1.GuardrailException
	// Sets as they are read of a cluster: where there are some, they are what holds.
	Sets []v1alpha1.GuardrailSet
	// Around is what objects are filled in from, and namespaces.
	Around []runtime.Object
	// Kinds that definitions define.
	kinds map[schema.GroupKind]admitted.Kind
}

// Take takes a document that is a setting; others it leaves. A field that there is not is
// an error.
func (s *Settings) Take(d manifest.Doc) (taken bool, err error) {
	if d.Group() != v1alpha1.GroupName {
		return s.around(d)
	}
	switch d.Kind {
	case "Platform":
		if s.Platform != nil {
			return true, d.Errorf("", "there is another Platform: give one")
		}
		s.Platform, err = decode[v1alpha1.Platform](d)
	case "Tenant":
		err = appended(d, &s.Tenants)
	case "GuardrailException":
		err = appended(d, &s.Exceptions)
	case "GuardrailSet":
		err = appended(d, &s.Sets)
	default:
		return false, nil
	}
	return true, err
}

func decode[T any](d manifest.Doc) (*T, error) {
	into := new(T)
	return into, d.Decode(into)
}

func appended[T any](d manifest.Doc, list *[]T) error {
	one, err := decode[T](d)
	*list = append(*list, *one)
	return err
}

// around takes what objects are filled in from.
func (s *Settings) around(d manifest.Doc) (taken bool, err error) {
	switch d.Group() + " " + d.Kind {
	case " Namespace", " LimitRange", " ServiceAccount", "networking.k8s.io IngressClass", "storage.k8s.io StorageClass", "scheduling.k8s.io PriorityClass":
		o, err := admitted.Decode(d.JSON)
		if err != nil {
			return true, d.Errorf("", "it cannot be read: %v", err)
		}
		s.Around = append(s.Around, o)
		return true, nil
	case "apiextensions.k8s.io CustomResourceDefinition":
		return true, s.define(d)
	}
	return false, nil
}

// define notes a kind.
func (s *Settings) define(d manifest.Doc) error {
	var crd struct {
		Spec struct {
			Group, Scope string
			Names        struct{ Kind, Plural string }
		}
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content(d), &crd); err != nil {
		return d.Errorf("", "it cannot be read: %v", err)
	}
	if s.kinds == nil {
		s.kinds = map[schema.GroupKind]admitted.Kind{}
	}
	gk := schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}
	s.kinds[gk] = admitted.Kind{Resource: schema.GroupVersionResource{Group: crd.Spec.Group, Resource: crd.Spec.Names.Plural}, Cluster: crd.Spec.Scope == "Cluster"}
	return nil
}

func content(d manifest.Doc) map[string]any {
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(d.JSON); err != nil {
		return nil
	}
	return u.Object
}

// kind is how an object's kind is addressed.
func (s *Settings) kind(o admitted.Object) admitted.Kind {
	gvk := o.GetObjectKind().GroupVersionKind()
	if k, ok := s.kinds[gvk.GroupKind()]; ok {
		k.GroupVersionKind, k.Resource.Version = gvk, gvk.Version
		return k
	}
	return admitted.KindOf(gvk)
}

// sets are the three that hold, as parameters.
func (s *Settings) sets() (list []runtime.Object, err error) {
	sets := s.Sets
	if len(sets) == 0 {
		sets = guardrail.Sets(s.Platform, s.Tenants, s.Exceptions)
	}
	var errs []error
	for i := range sets {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&sets[i])
		if err != nil {
			errs = append(errs, fmt.Errorf("write set %s: %w", sets[i].Name, err))
			continue
		}
		u := &unstructured.Unstructured{Object: content}
		u.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("GuardrailSet"))
		list = append(list, u)
	}
	return list, errors.Join(errs...)
}
