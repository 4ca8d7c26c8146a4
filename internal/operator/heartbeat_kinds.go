package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// kinds remembers which kinds the controllers wait for. No controller begins before all
// kinds of the cache have synced, and none says which it waits for.
type kinds struct {
	scheme  *runtime.Scheme
	watches *watchHealth
	mu      sync.Mutex
	asked   map[string]askedKind
}

// askedKind is a kind that a controller asked the cache for.
type askedKind struct {
	// watch is the name under which a reflector reports its failures.
	watch    string
	informer cache.Informer
	// err is why there is no informer.
	err error
}

// newCache makes the manager's cache, seen through by kinds.
func (k *kinds) newCache(config *rest.Config, o cache.Options) (cache.Cache, error) {
	c, err := cache.New(config, o)
	return seenThrough{c, k}, err
}

type seenThrough struct {
	cache.Cache
	kinds *kinds
}

// GetInformer is part of cache.Cache. It waits until the kind has synced.
func (s seenThrough) GetInformer(ctx context.Context, o client.Object, opts ...cache.InformerGetOption) (cache.Informer, error) {
	informer, err := s.Cache.GetInformer(ctx, o, append(slices.Clone(opts), cache.BlockUntilSynced(false))...)
	s.kinds.note(o, informer, err)
	if err != nil {
		return nil, err
	}
	return s.Cache.GetInformer(ctx, o, opts...)
}

func (k *kinds) note(o client.Object, informer cache.Informer, err error) {
	name, watch := fmt.Sprintf("%T", o), fmt.Sprintf("%T", o)
	if gvk, gvkErr := apiutil.GVKForObject(o, k.scheme); gvkErr == nil {
		name = gvk.Kind
		if _, untyped := o.(*unstructured.Unstructured); untyped {
			watch = gvk.String()
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asked == nil {
		k.asked = map[string]askedKind{}
	}
	k.asked[name] = askedKind{watch, informer, err}
}

// unsynced names the kinds that have not synced, each with the reason where it is known.
func (k *kinds) unsynced() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var names []string
	for name, kind := range k.asked {
		switch {
		case kind.err != nil:
			names = append(names, fmt.Sprintf("%s (%v)", name, kind.err))
		case kind.informer.HasSynced():
		default:
			names = append(names, name+k.watches.why(kind.watch))
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return ": these caches have not synced: " + strings.Join(names, ", ")
}

// why is what the API server said when it last refused a watch.
func (w *watchHealth) why(watch string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	f, refused := w.refused[watch]
	if !refused {
		return ""
	}
	var status apierrors.APIStatus
	if errors.As(f.err, &status) { // without what the reflector says around it
		return " (" + status.Status().Message + ")"
	}
	return " (" + f.err.Error() + ")"
}
