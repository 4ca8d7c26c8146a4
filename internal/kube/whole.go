package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/owner"
)

// EnsureWhole is Ensure for a kind of which every object is the operator's: one that lost
// our mark is taken back, and what others put into its spec is taken out, where Ensure
// would leave it to them.
func (e Ensurer) EnsureWhole(ctx context.Context, desired *unstructured.Unstructured, by owner.Ref) (Change, error) {
	live, change, err := e.Ensure(ctx, desired, by)
	var foreign *ConflictError
	if errors.As(err, &foreign) {
		live, change, err = e.takeBack(ctx, desired)
	}
	if err != nil || sameSpec(desired, live) {
		return change, err
	}
	// A change is rare: look at the object itself, not at a cache that may lag.
	if live, err = get(ctx, e.Live, desired); err != nil || sameSpec(desired, live) {
		return change, err
	}
	patch, err := json.Marshal([]map[string]any{
		{"op": "test", "path": "/metadata/uid", "value": live.GetUID()},
		{"op": "add", "path": "/spec", "value": desired.Object["spec"]}, // which replaces what is there
	})
	if err != nil {
		return change, fmt.Errorf("marshal patch for %s: %w", Name(live), err)
	}
	if err := e.Writer.Patch(ctx, live, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(e.Manager)); err != nil {
		return change, err
	}
	e.note(live)
	return Updated, nil
}

// takeBack applies to an object that does not carry our mark.
func (e Ensurer) takeBack(ctx context.Context, desired *unstructured.Unstructured) (*unstructured.Unstructured, Change, error) {
	live, err := get(ctx, e.Live, desired)
	if err != nil {
		return nil, Unchanged, err
	}
	if live.GetDeletionTimestamp() != nil {
		return live, Unchanged, &TerminatingError{Object: Name(live)}
	}
	applied := stampApplied(desired)
	applied.SetUID(live.GetUID())
	if err := e.Writer.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied), client.FieldOwner(e.Manager), client.ForceOwnership); err != nil {
		return live, Unchanged, err
	}
	e.note(applied)
	return applied, Reclaimed, nil
}

func sameSpec(desired, live *unstructured.Unstructured) bool {
	want, err := json.Marshal(desired.Object["spec"]) // map keys are sorted
	if err != nil {
		return false
	}
	have, err := json.Marshal(live.Object["spec"])
	return err == nil && bytes.Equal(want, have)
}
