// Package kube reads and writes a cluster the way Demarc's invariants ask: an
// owner is compared before every write, what is absent is created, what exists is
// applied with the UID that was compared, and nothing is written that is so already.
package kube

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/owner"
)

// Change is what Ensure did.
type Change int

const (
	// Unchanged: it was so already; nothing was written.
	Unchanged Change = iota
	// Created: it was absent.
	Created
	// Updated: it was ours and differed.
	Updated
	// Reclaimed: it carried our name with another UID, and ours again.
	Reclaimed
)

// Ensurer brings objects to what was rendered, under one field manager.
type Ensurer struct {
	// Cached reads what the operator watches; it may lag and may not see what is
	// not labelled as ours.
	Cached client.Reader
	// Live reads from the API server.
	Live client.Reader
	// Writer writes.
	Writer client.Writer
	// Manager is the field manager.
	Manager string
	// Writes tells a cache that lags.
	Writes *Writes
}

// Ensure makes the live object agree with desired, which holds only the fields
// that are ours. It returns the live object as last seen. Errors: *ConflictError
// where the object is somebody else's, *TerminatingError where it is ours and
// going; anything else is the API server's.
func (e Ensurer) Ensure(ctx context.Context, desired *unstructured.Unstructured, by owner.Ref) (*unstructured.Unstructured, Change, error) {
	desired = stampApplied(desired)
	live, err := e.read(ctx, desired)
	if apierrors.IsNotFound(err) {
		created := desired.DeepCopy()
		err = e.Writer.Create(ctx, created, client.FieldOwner(e.Manager))
		if err == nil {
			e.note(created)
			return created, Created, nil
		}
		if apierrors.IsNotFound(err) {
			return nil, Unchanged, &NoNamespaceError{Object: Name(desired), Namespace: desired.GetNamespace()}
		}
		if !apierrors.IsAlreadyExists(err) {
			return nil, Unchanged, err
		}
		live, err = get(ctx, e.Live, desired)
	}
	if err != nil {
		return nil, Unchanged, err
	}
	return e.update(ctx, desired, live, by)
}

// update compares what exists and applies where it differs.
func (e Ensurer) update(ctx context.Context, desired, live *unstructured.Unstructured, by owner.Ref) (*unstructured.Unstructured, Change, error) {
	if err := mayWrite(live, by); err != nil {
		// Not ours, so not in the cache: the next look is at the object itself.
		e.note(live)
		return live, Unchanged, err
	}
	if settled(desired, live) {
		return live, Unchanged, nil
	}
	// A change is rare: look at the object itself, not at a cache that may lag.
	live, err := get(ctx, e.Live, desired)
	if err != nil {
		return nil, Unchanged, err
	}
	if err := mayWrite(live, by); err != nil {
		return live, Unchanged, err
	}
	if settled(desired, live) {
		return live, Unchanged, nil
	}
	change := Updated
	if owner.Compare(live, by) == owner.Reborn {
		change = Reclaimed
	}
	if err := e.adoptCreate(ctx, live); err != nil {
		return live, Unchanged, err
	}
	applied := desired.DeepCopy()
	applied.SetUID(live.GetUID())
	if err := e.Writer.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied), client.FieldOwner(e.Manager), client.ForceOwnership); err != nil {
		return live, Unchanged, err
	}
	e.note(applied)
	return applied, change, nil
}

// read is from the cache, unless it has not seen our last write.
func (e Ensurer) read(ctx context.Context, like *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	live, err := get(ctx, e.Cached, like)
	if client.IgnoreNotFound(err) == nil && e.Writes.Behind(keyOf(like), live.GetResourceVersion()) {
		return get(ctx, e.Live, like)
	}
	return live, err
}

func (e Ensurer) note(o *unstructured.Unstructured) { e.Writes.Note(keyOf(o), o.GetResourceVersion()) }

func keyOf(o *unstructured.Unstructured) string {
	return Key(o.GetKind(), o.GetNamespace(), o.GetName())
}

// mayWrite is the comparison of invariant O1.
func mayWrite(live *unstructured.Unstructured, by owner.Ref) error {
	if owner.Compare(live, by) == owner.Foreign {
		return &ConflictError{Object: Name(live), Owner: owner.Describe(live)}
	}
	if live.GetDeletionTimestamp() != nil {
		return &TerminatingError{Object: Name(live)}
	}
	return nil
}

// adoptCreate turns the fields that we own by Create into fields owned by Apply.
// Without it a field that we no longer render would stay for ever: the entry of
// the Create still holds it.
func (e Ensurer) adoptCreate(ctx context.Context, live *unstructured.Unstructured) error {
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, sets.New(e.Manager), e.Manager)
	if err != nil || patch == nil {
		return err
	}
	return e.Writer.Patch(ctx, live, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(e.Manager))
}

// MarkDrained sets the mark without which policy refuses the deletion, on the
// very object that was looked at.
func (e Ensurer) MarkDrained(ctx context.Context, live *unstructured.Unstructured, why string) error {
	if live.GetAnnotations()[v1alpha1.AnnotationDrained] != "" {
		return nil
	}
	return e.mergePatch(ctx, live, map[string]any{"annotations": map[string]any{v1alpha1.AnnotationDrained: why}})
}

// SetFinalizers replaces the finalizers of the very object that was looked at,
// at the very version, so that nobody else's is lost.
func (e Ensurer) SetFinalizers(ctx context.Context, live *unstructured.Unstructured, finalizers []string) error {
	list := make([]any, 0, len(finalizers))
	for _, f := range finalizers {
		list = append(list, f)
	}
	return e.mergePatch(ctx, live, map[string]any{"finalizers": list, "resourceVersion": live.GetResourceVersion()})
}

func (e Ensurer) mergePatch(ctx context.Context, live *unstructured.Unstructured, metadata map[string]any) error {
	metadata["uid"] = string(live.GetUID())
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return fmt.Errorf("marshal patch for %s: %w", Name(live), err)
	}
	if err := e.Writer.Patch(ctx, live, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(e.Manager)); err != nil {
		return err
	}
	e.note(live)
	return nil
}

// Delete deletes the very object that was looked at; gone is no error.
func (e Ensurer) Delete(ctx context.Context, live *unstructured.Unstructured) error {
	if live.GetDeletionTimestamp() != nil {
		return nil
	}
	uid := live.GetUID()
	e.Writes.Forget(keyOf(live))
	return client.IgnoreNotFound(e.Writer.Delete(ctx, live, client.Preconditions{UID: &uid},
		client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

// GetLive reads one object from the API server; nil when it is absent.
func (e Ensurer) GetLive(ctx context.Context, like *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	live, err := get(ctx, e.Live, like)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return live, err
}

func get(ctx context.Context, r client.Reader, like *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(like.GroupVersionKind())
	return live, r.Get(ctx, client.ObjectKeyFromObject(like), live)
}

// EnsureByName is Ensure for the few objects of fixed names that the operator may
// write only by name: RBAC's resourceNames do not reach a POST, so what is absent
// is made by apply too.
func (e Ensurer) EnsureByName(ctx context.Context, desired *unstructured.Unstructured, by owner.Ref) (*unstructured.Unstructured, Change, error) {
	stamped := stampApplied(desired)
	live, err := e.GetLive(ctx, desired)
	if err != nil {
		return nil, Unchanged, err
	}
	if live != nil {
		return e.update(ctx, stamped, live, by)
	}
	if err := e.Writer.Apply(ctx, client.ApplyConfigurationFromUnstructured(stamped), client.FieldOwner(e.Manager)); err != nil {
		return nil, Unchanged, err
	}
	return stamped, Created, nil
}
