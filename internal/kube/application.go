package kube

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/subset"
)

// DeleteApplication makes sure that Argo CD will remove what an Application of ours
// delivered, ends a sync that would come first, marks the deletion as its owner's,
// and deletes. A finalizer cannot be added once the deletion has begun.
func (e Ensurer) DeleteApplication(ctx context.Context, app *unstructured.Unstructured, why string) error {
	if !slices.ContainsFunc(app.GetFinalizers(), argocd.Removes) {
		if err := e.SetFinalizers(ctx, app, append(app.GetFinalizers(), argocd.FinalizerForeground)); err != nil {
			return client.IgnoreNotFound(err)
		}
	}
	if err := e.EndSync(ctx, app); err != nil {
		return err
	}
	return e.DeleteDrained(ctx, app, why)
}

// EndSync asks Argo CD to end a sync that is running or being retried: it would be
// finished first, and one that cannot succeed never is. It is what Argo CD's own
// command line does.
func (e Ensurer) EndSync(ctx context.Context, app *unstructured.Unstructured) error {
	if phase, _, _ := unstructured.NestedString(app.Object, "status", "operationState", "phase"); phase != "Running" {
		return nil
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"operationState":{"phase":"Terminating"}}}`))
	return client.IgnoreNotFound(e.Writer.Patch(ctx, app, patch, client.FieldOwner(e.Manager)))
}

// EndOutdated ends a sync that is being retried for another source than the spec's:
// Argo CD goes on with what it began with, without end.
func (e Ensurer) EndOutdated(ctx context.Context, app *unstructured.Unstructured) error {
	decoded, err := argocd.Decode(app)
	if err != nil {
		return nil // said elsewhere
	}
	op := decoded.Status.OperationState
	if op == nil || op.RetryCount == 0 && !strings.Contains(op.Message, "Retrying attempt") {
		return nil
	}
	began, ok, _ := unstructured.NestedMap(app.Object, "operation", "sync", "source")
	if !ok || subset.Within(began, decoded.Spec.Source) && subset.Within(decoded.Spec.Source, began) {
		return nil
	}
	return e.EndSync(ctx, app)
}

// ReleaseApplication takes the finalizer off by which Argo CD would remove what was
// delivered: all of it is gone already, and Argo CD does not act.
func (e Ensurer) ReleaseApplication(ctx context.Context, app *unstructured.Unstructured) error {
	rest := slices.DeleteFunc(slices.Clone(app.GetFinalizers()), argocd.Removes)
	return client.IgnoreNotFound(e.SetFinalizers(ctx, app, rest))
}

// ForceApplication deletes an Application without what it delivered.
func (e Ensurer) ForceApplication(ctx context.Context, app *unstructured.Unstructured, why string) error {
	rest := slices.DeleteFunc(slices.Clone(app.GetFinalizers()), argocd.Holds)
	if err := client.IgnoreNotFound(e.SetFinalizers(ctx, app, rest)); err != nil {
		return err
	}
	live, err := e.GetLive(ctx, app)
	if err != nil || live == nil || live.GetUID() != app.GetUID() {
		return err
	}
	return e.DeleteDrained(ctx, live, why)
}

// DeleteDrained marks what was seen to be drained and deletes that very object.
func (e Ensurer) DeleteDrained(ctx context.Context, live *unstructured.Unstructured, why string) error {
	if err := e.MarkDrained(ctx, live, why); err != nil {
		return client.IgnoreNotFound(err)
	}
	return e.Delete(ctx, live)
}
