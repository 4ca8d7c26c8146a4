package world

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Reader reads the cluster as the API server shows it, or as a cache that lags does.
type Reader struct {
	World  *World
	Scheme *runtime.Scheme
	// Seen is the revision that is shown of a kind; nil shows all as it is now.
	Seen func(kind string) int64
	// Cached leaves out what a cache does not hold; nil leaves out nothing.
	Cached func(Object) bool
}

var _ client.Reader = Reader{}

func (r Reader) at(kind string) int64 {
	if r.Seen == nil {
		return r.World.revision
	}
	return r.Seen(kind)
}

func (r Reader) shows(o Object) bool { return o != nil && (r.Cached == nil || r.Cached(o)) }

// Get is part of client.Reader.
func (r Reader) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	gvk, err := apiutil.GVKForObject(into, r.Scheme)
	if err != nil {
		return err
	}
	o := r.World.At(Key{gvk.Kind, key.Namespace, key.Name}, r.at(gvk.Kind))
	if !r.World.served(gvk) && r.Seen == nil || !r.shows(o) {
		return apierrors.NewNotFound(resourceOf(gvk), key.Name)
	}
	return fill(into, o, gvk)
}

// List is part of client.Reader.
func (r Reader) List(_ context.Context, into client.ObjectList, opts ...client.ListOption) error {
	gvk, err := apiutil.GVKForObject(into, r.Scheme)
	if err != nil {
		return err
	}
	gvk.Kind = gvk.Kind[:len(gvk.Kind)-len("List")]
	if !r.World.served(gvk) && r.Seen == nil {
		return apierrors.NewNotFound(resourceOf(gvk), "")
	}
	var o client.ListOptions
	o.ApplyOptions(opts)
	var items []runtime.Object
	for _, found := range r.World.All(gvk.Kind, r.at(gvk.Kind)) {
		if !r.shows(found) || !selects(o, found) {
			continue
		}
		if _, untyped := into.(*unstructured.UnstructuredList); untyped {
			items = append(items, found.DeepCopy())
			continue
		}
		item, err := r.Scheme.New(gvk)
		if err != nil {
			return err
		}
		if err := fill(item, found, gvk); err != nil {
			return err
		}
		items = append(items, item)
	}
	return meta.SetList(into, items)
}

func selects(o client.ListOptions, found Object) bool {
	if o.Namespace != "" && found.GetNamespace() != o.Namespace {
		return false
	}
	if o.LabelSelector != nil && !o.LabelSelector.Matches(labels.Set(found.GetLabels())) {
		return false
	}
	if o.FieldSelector == nil {
		return true
	}
	team, _, _ := unstructured.NestedString(found.Object, "spec", "team")
	return o.FieldSelector.Matches(fields.Set{"spec.team": team, "metadata.name": found.GetName()})
}

// fill copies an object into what the caller holds, of whatever type that is.
func fill(into runtime.Object, o Object, gvk schema.GroupVersionKind) error {
	if u, untyped := into.(*unstructured.Unstructured); untyped {
		u.Object = o.DeepCopy().Object
		return nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.DeepCopy().Object, into); err != nil {
		return fmt.Errorf("read %s as a %T: %w", KeyOf(o), into, err)
	}
	into.GetObjectKind().SetGroupVersionKind(gvk)
	return nil
}
