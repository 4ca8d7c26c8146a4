package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/test/poll"
)

// patience is how long one step may take: one that makes an object anew waits until the old one is gone, through all faults.
const patience = 6 * time.Minute

// act does what a story tells, its lanes beside each other.
func (g *ground) act(ctx context.Context, s story) error {
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for _, l := range s.lanes {
		group.Go(func() error {
			for _, step := range l.steps {
				if !until(ctx, began.Add(step.at)) {
					return context.Cause(ctx)
				}
				if err := g.step(ctx, step); err != nil {
					return fmt.Errorf("%s: %w", step.what, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// until waits for a moment, and tells whether the context still holds.
func until(ctx context.Context, moment time.Time) bool {
	timer := time.NewTimer(time.Until(moment))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// step is tried until it is done: people, too, try again when the API server does not answer.
func (g *ground) step(ctx context.Context, s step) error {
	o, do := s.put, g.put
	if o == nil {
		o, do = s.remove, g.remove
	}
	return poll.Until(ctx, time.Second, patience, keyOf(o).String(), func(ctx context.Context) (bool, error) {
		return do(ctx, o)
	})
}

func (g *ground) remove(ctx context.Context, o client.Object) (bool, error) {
	err := g.admin.Delete(ctx, o.DeepCopyObject().(client.Object), client.PropagationPolicy(metav1.DeletePropagationBackground))
	return err == nil || apierrors.IsNotFound(err), err
}

// put makes an object, or changes the one that is there; one that is going is awaited.
func (g *ground) put(ctx context.Context, o client.Object) (bool, error) {
	live := o.DeepCopyObject().(client.Object)
	err := g.admin.Get(ctx, client.ObjectKeyFromObject(o), live)
	switch {
	case apierrors.IsNotFound(err):
		err = g.admin.Create(ctx, o.DeepCopyObject().(client.Object))
		return err == nil, err
	case err != nil:
		return false, err
	case live.GetDeletionTimestamp() != nil:
		return false, errors.New("the one before is still being deleted")
	}
	if !demand(live, o) {
		return true, nil
	}
	err = g.admin.Update(ctx, live)
	return err == nil, err
}

// demand writes what is wanted into a live object, and tells whether that changes anything.
func demand(live, wanted client.Object) bool {
	switch o := live.(type) {
	case *v1alpha1.Tenant:
		spec := wanted.(*v1alpha1.Tenant).Spec
		if same(&o.Spec, &spec) {
			return false
		}
		o.Spec = *spec.DeepCopy()
	case *v1alpha1.ServiceClaim:
		spec := wanted.(*v1alpha1.ServiceClaim).Spec
		if same(&o.Spec, &spec) {
			return false
		}
		o.Spec = *spec.DeepCopy()
	default: // strangers stay as they were made
		return false
	}
	return true
}

// same compares what would be stored: an empty list is not an absent one.
func same(a, b any) bool { return reflect.DeepEqual(fields(a), fields(b)) }
