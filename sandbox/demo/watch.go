package demo

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"demarc.dev/demarc/api/v1alpha1"
)

// kinds that are followed.
var kinds = []schema.GroupVersionResource{
	v1alpha1.SchemeGroupVersion.WithResource("platforms"),
	v1alpha1.SchemeGroupVersion.WithResource("tenants"),
	v1alpha1.SchemeGroupVersion.WithResource("serviceclaims"),
}

var everything = metav1.ListOptions{}

// change is an object that was seen in a state.
type change struct {
	at     time.Time
	object object
	state  state
}

// watch delivers every object of the kinds, now and whenever it changes.
func (d *demo) watch(ctx context.Context) (<-chan change, error) {
	client, err := d.client()
	if err != nil {
		return nil, err
	}
	changes := make(chan change, 1000) // what comes while kubectl runs
	send := func(u *unstructured.Unstructured, s state) {
		select {
		case changes <- change{time.Now(), objectOf(u), s}:
		case <-ctx.Done():
		}
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	for _, kind := range kinds {
		if _, err := factory.ForResource(kind).Informer().AddEventHandler(handler(send)); err != nil {
			return nil, fmt.Errorf("watch %s: %w", kind.Resource, err)
		}
	}
	factory.Start(ctx.Done())
	bounded, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	factory.WaitForCacheSync(bounded.Done())
	if err := bounded.Err(); err != nil {
		return nil, fmt.Errorf("list Demarc's kinds: %w", err)
	}
	return changes, nil
}

func handler(send func(*unstructured.Unstructured, state)) cache.ResourceEventHandler {
	seen := func(o any) {
		if u, ok := o.(*unstructured.Unstructured); ok {
			send(u, stateOf(u))
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    seen,
		UpdateFunc: func(_, now any) { seen(now) },
		DeleteFunc: func(o any) {
			if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = last.Obj
			}
			if u, ok := o.(*unstructured.Unstructured); ok {
				send(u, state{gone, "", "it was deleted"})
			}
		},
	}
}

func (d *demo) client() (dynamic.Interface, error) {
	config, err := d.sandbox.RESTConfig()
	if err != nil {
		return nil, err
	}
	return dynamic.NewForConfig(config)
}
