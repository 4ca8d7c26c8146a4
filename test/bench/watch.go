package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// each works on what comes until the context ends.
func each[T any](ctx context.Context, from <-chan T, do func(context.Context, T) error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case item := <-from:
			if err := do(ctx, item); err != nil {
				return err
			}
		}
	}
}

// watch calls for each object that comes or changes, and returns once the watch stands.
func watch(ctx context.Context, c dynamic.Interface, kind schema.GroupVersionResource, saw func(u *unstructured.Unstructured, added bool)) error {
	informer := dynamicinformer.NewFilteredDynamicInformer(c, kind, metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { saw(o.(*unstructured.Unstructured), true) },
		UpdateFunc: func(_, o any) { saw(o.(*unstructured.Unstructured), false) },
	}); err != nil {
		return err
	}
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("watch %s: %w", kind.Resource, context.Cause(ctx))
	}
	return nil
}
