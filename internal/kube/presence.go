package kube

import (
	"context"
	"fmt"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/heartbeat"
)

// ArgoCD knows whether Argo CD's kinds are served. They may come after Demarc and
// may go: that is a condition and not a crash, so the watches on them begin and
// end with the CRDs.
type ArgoCD struct {
	Heart *heartbeat.Heart
	live  client.Reader
	cache cache.Cache

	mu       sync.Mutex
	looked   bool
	present  bool
	projects bool // AppProject alone is served
	watching bool
	watches  []func() error
	changed  []func()
}

// NewArgoCD looks when it is first asked: an operator may wait for the lead for days.
func NewArgoCD(live client.Reader, c cache.Cache) *ArgoCD { return &ArgoCD{live: live, cache: c} }

// Cache of Argo CD's kinds, for watches.
func (a *ArgoCD) Cache() cache.Cache { return a.cache }

// Reader reads Argo CD's kinds from their own cache and all else from other.
func (a *ArgoCD) Reader(other client.Reader) client.Reader {
	return reader{argo: a.cache, other: other}
}

type reader struct{ argo, other client.Reader }

func (r reader) of(o runtime.Object) client.Reader {
	if o.GetObjectKind().GroupVersionKind().Group == argocd.GroupVersion.Group {
		return r.argo
	}
	return r.other
}

// Get is part of client.Reader.
func (r reader) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	return r.of(o).Get(ctx, key, o, opts...)
}

// List is part of client.Reader.
func (r reader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return r.of(list).List(ctx, list, opts...)
}

// Present reports whether Application and AppProject are served. Where that cannot
// be told they are taken to be: the reads and writes that follow say what is wrong.
func (a *ArgoCD) Present() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.looked {
		present, err := a.look(context.Background())
		if err != nil {
			return true
		}
		a.present, a.looked = present, true
	}
	return a.present
}

// Projects reports whether AppProject is served, which it may be while Application is
// on its way out.
func (a *ArgoCD) Projects(ctx context.Context) (bool, error) {
	if a.Present() {
		return true, nil
	}
	state, err := CRDState(ctx, a.live, argocd.ProjectCRD)
	return state == Served, err
}

// Follow begins a watch when the kinds are there, and again when they come back;
// changed is called at each change.
func (a *ArgoCD) Follow(watch func() error, changed func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.watches = append(a.watches, watch)
	a.changed = append(a.changed, changed)
}

// SetupWithManager watches the two CRDs.
func (a *ArgoCD) SetupWithManager(mgr ctrl.Manager) error {
	crd := &metav1.PartialObjectMetadata{}
	crd.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	ours := predicate.NewPredicateFuncs(func(o client.Object) bool { return slices.Contains(argocd.CRDs, o.GetName()) })
	_, err := a.Heart.Build(ctrl.NewControllerManagedBy(mgr).Named("argocd").
		For(crd, builder.WithPredicates(ours), builder.OnlyMetadata), a)
	return err
}

// Reconcile looks again after a change of one of the CRDs.
func (a *ArgoCD) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	present, err := a.look(ctx)
	if err != nil {
		return ctrl.Result{}, err
	}
	state, err := CRDState(ctx, a.live, argocd.ProjectCRD)
	if err != nil {
		return ctrl.Result{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.looked && a.present == present && a.projects == (state == Served)
	a.projects = state == Served
	switch {
	case present && !a.watching:
		for _, watch := range a.watches {
			if err := watch(); err != nil {
				return ctrl.Result{}, fmt.Errorf("watch Argo CD's kinds: %w", err)
			}
		}
		a.watching = true
	case !present && a.watching:
		a.forget(ctx)
		a.watching = false
	}
	if a.present, a.looked = present, true; known {
		return ctrl.Result{}, nil
	}
	log.FromContext(ctx).Info("Argo CD's kinds changed", "present", present)
	for _, notify := range a.changed {
		notify()
	}
	return ctrl.Result{}, nil
}

// forget ends the informers: they would list a kind that is gone, for ever.
func (a *ArgoCD) forget(ctx context.Context) {
	for _, gvk := range []unstructured.Unstructured{
		Like(argocd.ApplicationKind), Like(argocd.ProjectKind),
	} {
		if err := a.cache.RemoveInformer(ctx, &gvk); err != nil {
			log.FromContext(ctx).Error(err, "end the watch on Argo CD's kinds")
		}
	}
}

// look asks whether both CRDs are established and none is going.
func (a *ArgoCD) look(ctx context.Context) (bool, error) {
	for _, name := range argocd.CRDs {
		state, err := CRDState(ctx, a.live, name)
		if err != nil {
			return false, err
		}
		if state != Served {
			return false, nil
		}
	}
	return true, nil
}

// State of a CRD.
type State int

const (
	// Absent: no such CRD.
	Absent State = iota
	// Served: established and not being deleted.
	Served
	// Going: being deleted, with all its objects.
	Going
	// Coming: there and not yet established.
	Coming
)

// CRDState reads a CRD from the API server.
func CRDState(ctx context.Context, live client.Reader, name string) (State, error) {
	crd := Like(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	err := live.Get(ctx, types.NamespacedName{Name: name}, &crd)
	switch {
	case apierrors.IsNotFound(err):
		return Absent, nil
	case err != nil:
		return Absent, fmt.Errorf("read CRD %s: %w", name, err)
	case crd.GetDeletionTimestamp() != nil:
		return Going, nil
	}
	conditions, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
	for _, c := range conditions {
		cond, _ := c.(map[string]any)
		if cond["type"] == "Established" && cond["status"] == "True" {
			return Served, nil
		}
	}
	return Coming, nil
}
