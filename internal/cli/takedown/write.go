// Package takedown is what the verbs that delete have in common: writing to the very
// object that was looked at, what it delivered, and following it until it is gone.
package takedown

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/target"
)

// Read reads an object.
func Read(ctx context.Context, c client.Reader, kind target.Kind, name, program string) (client.Object, error) {
	o := kind.New()
	err := c.Get(ctx, types.NamespacedName{Name: name}, o)
	if apierrors.IsNotFound(err) {
		return nil, exit.Refused(fmt.Sprintf("there is no %s %s", kind.Word, name),
			fmt.Sprintf("%s get %s --all lists what there is", program, kind.Plural))
	}
	return o, exit.Unreadable(err, "read "+kind.Word+" "+name)
}

// Annotate sets an annotation on the very object that was looked at: another of the
// same name, or one whose spec was changed since, is left alone.
func Annotate(ctx context.Context, c client.Client, kind target.Kind, o client.Object, key, value string) error {
	doing := fmt.Sprintf("annotate %s %s", kind.Word, o.GetName())
	looked := o.GetGeneration()
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
			"uid": o.GetUID(), "resourceVersion": o.GetResourceVersion(), "annotations": map[string]string{key: value}}})
		if err != nil {
			return err
		}
		err = c.Patch(ctx, o, client.RawPatch(types.MergePatchType, patch))
		if apierrors.IsConflict(err) { // its status moves on all the time
			return again(ctx, c, kind, o, looked, err)
		}
		return err
	})
	return exit.Unwritten(err, doing)
}

// again reads an object anew after a conflict, for the next try.
func again(ctx context.Context, c client.Reader, kind target.Kind, o client.Object, looked int64, conflict error) error {
	fresh := kind.New()
	if err := c.Get(ctx, client.ObjectKeyFromObject(o), fresh); err != nil {
		return err
	}
	if fresh.GetUID() != o.GetUID() {
		return exit.Refused(fmt.Sprintf("%s %s was made anew meanwhile", kind.Word, o.GetName()), "look at it and run this again")
	}
	// The deletion of an object counts as a change of it.
	if fresh.GetDeletionTimestamp() == nil && fresh.GetGeneration() != looked {
		return exit.Refused(fmt.Sprintf("%s %s was changed meanwhile", kind.Word, o.GetName()), "look at it and run this again")
	}
	o.SetResourceVersion(fresh.GetResourceVersion())
	return conflict
}

// Delete deletes the very object that was looked at; dryRun only asks whether that
// would be let through.
func Delete(ctx context.Context, c client.Client, kind target.Kind, o client.Object, dryRun bool) error {
	uid := o.GetUID()
	options := []client.DeleteOption{client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground)}
	if dryRun {
		options = append(options, client.DryRunAll)
	}
	err := client.IgnoreNotFound(c.Delete(ctx, o, options...))
	return exit.Unwritten(err, fmt.Sprintf("delete %s %s", kind.Word, o.GetName()))
}
