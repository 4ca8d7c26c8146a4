package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/test/auditlog"
	"demarc.dev/demarc/test/model/world"
)

// recorder keeps every version of every object that is played with, from a watch on
// each kind. All versions of a cluster come from one counter, so that they can be put
// into one order afterwards.
type recorder struct {
	mu   sync.Mutex
	seen []sighting
	stop []func()
	over atomic.Bool
	done sync.WaitGroup
}

// sighting is one event of a watch.
type sighting struct {
	version int64
	at      time.Time
	key     world.Key
	object  world.Object // nil: gone
	// before is set on what was there when the record began, whoever made it.
	before bool
	// broke is why a watch did.
	broke string
}

func record(ctx context.Context, t *testing.T, config *rest.Config) *recorder {
	t.Helper()
	c, err := client.NewWithWatch(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	for _, gvk := range realKinds {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		if err := c.List(ctx, list); err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			r.add(seen(&list.Items[i], true))
		}
		w, err := c.Watch(ctx, list, &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.GetResourceVersion()}})
		if err != nil {
			t.Fatal(err)
		}
		r.stop = append(r.stop, w.Stop)
		r.done.Go(func() { r.follow(w) })
	}
	return r
}

func (r *recorder) follow(w watch.Interface) {
	for event := range w.ResultChan() {
		if r.over.Load() {
			return // a watch that is stopped ends with an error
		}
		o, ok := event.Object.(*unstructured.Unstructured)
		if !ok || event.Type == watch.Error {
			r.add(sighting{version: -1, broke: fmt.Sprintf("%s: %v", event.Type, event.Object)})
			continue
		}
		s := seen(o, false)
		if event.Type == watch.Deleted {
			s.object = nil
		}
		r.add(s)
	}
}

func seen(o *unstructured.Unstructured, before bool) sighting {
	version, _ := strconv.ParseInt(o.GetResourceVersion(), 10, 64)
	return sighting{version: version, at: time.Now(), key: world.KeyOf(o), object: o, before: before}
}

func (r *recorder) add(s sighting) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, s)
}

// all are the sightings in the order of their versions; the watches end with it.
func (r *recorder) all(t *testing.T) []sighting {
	t.Helper()
	r.over.Store(true)
	for _, stop := range r.stop {
		stop()
	}
	r.done.Wait()
	slices.SortStableFunc(r.seen, func(a, b sighting) int { return cmp.Compare(a.version, b.version) })
	if len(r.seen) == 0 || r.seen[0].broke != "" {
		t.Fatalf("a watch broke, and what it missed cannot be judged: %v", r.seen[:min(1, len(r.seen))])
	}
	return r.seen
}

// auditWrites logs what everybody writes, with the answers.
const auditWrites = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - level: None
    resources: [{group: "", resources: [events]}, {group: events.k8s.io}, {group: coordination.k8s.io}]
  - level: RequestResponse
    verbs: [create, update, patch, delete]
  - level: None
`

// authors tell whose each version is.
type authors struct {
	// versions is who was answered first with a version: a write that changes nothing is
	// answered with the version of whoever wrote before.
	versions map[string]author
	// removals of objects: what is gone has no version to tell by.
	removals map[string][]author
}

// author of a version, and when it was answered.
type author struct {
	user string
	at   time.Time
}

func readAuthors(dir string, from time.Time) (authors, error) {
	a := authors{map[string]author{}, map[string][]author{}}
	err := auditlog.Read(dir, from, time.Now().Add(time.Hour), func(r auditlog.Request) {
		if !r.Changes() || r.ResponseObject == nil {
			return
		}
		by, is := author{r.User.Username, r.StageTimestamp}, r.ResponseObject.Metadata
		if first, known := a.versions[is.ResourceVersion]; is.ResourceVersion != "" && (!known || by.at.Before(first.at)) {
			a.versions[is.ResourceVersion] = by
		}
		if r.ResponseObject.Kind == "Status" || len(is.Finalizers) == 0 && (r.Verb == "delete" || is.DeletionTimestamp != nil) {
			key := r.ObjectRef.Resource + "/" + r.ObjectRef.Namespace + "/" + r.ObjectRef.Name
			a.removals[key] = append(a.removals[key], by)
		}
	})
	return a, err
}

// of is who made a sighting what it is.
func (a authors) of(s sighting) string {
	user := a.versions[strconv.FormatInt(s.version, 10)].user
	if s.object == nil {
		user = a.removed(s)
	}
	if user == auditlog.OperatorUser && !s.before {
		return "operator-" + strings.ToLower(s.key.Kind)
	}
	return "somebody"
}

// removed is who took an object away: whose write, after which it can go, is nearest.
func (a authors) removed(s sighting) (user string) {
	nearest := 2 * time.Second
	for _, w := range a.removals[world.Resource(realKinds[s.key.Kind])+"/"+s.key.Namespace+"/"+s.key.Name] {
		if away := w.at.Sub(s.at).Abs(); away < nearest {
			user, nearest = w.user, away
		}
	}
	return user
}
