package model

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"demarc.dev/demarc/internal/controller/serviceclaim"
	"demarc.dev/demarc/internal/controller/tenant"
	"demarc.dev/demarc/internal/diagnosis/runner"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/test/model/world"
)

// process is one operator: the real reconcilers, each request of theirs to the API
// server a point at which all else may move, at which it may fail, and at which the
// process may die.
type process struct {
	name   string
	world  *world.World
	scheme *runtime.Scheme
	// seen is the revision up to which the cache of each kind has seen.
	seen  map[string]int64
	tasks []*task
	dead  bool
	// acting is the task whose request is being done.
	acting *task

	argo        *kube.ArgoCD
	controllers map[string]reconcile.Reconciler
}

// errDead is what a process that died gets to hear; it acts on it no more.
var errDead = errors.New("the process is dead")

// start is a new process. Its caches begin with what is there.
func start(name string, w *world.World, scheme *runtime.Scheme) *process {
	p := &process{name: name, world: w, scheme: scheme, seen: map[string]int64{}}
	for _, kind := range w.Kinds() {
		p.seen[kind] = w.Latest(kind)
	}
	live := liveReader{p, world.Reader{World: w, Scheme: scheme}}
	cached := world.Reader{World: w, Scheme: scheme, Seen: func(kind string) int64 { return p.seen[kind] }, Cached: holds}
	p.argo = kube.NewArgoCD(live, noCache{})
	c := cachedClient{reader: cached, writer: writer{p}}
	ensurer := func(manager string) kube.Ensurer {
		return kube.Ensurer{Cached: cached, Live: live, Writer: c, Manager: manager, Writes: &kube.Writes{}}
	}
	looks := &runner.Runner{} // triage never looks: the invariants are of what is kept
	p.controllers = map[string]reconcile.Reconciler{
		"argocd": p.argo,
		"tenant": &tenant.Reconciler{Ensurer: ensurer(tenant.Manager), Client: c, ArgoCD: p.argo, Contracts: &kube.Contracts{Cached: cached},
			Triage: looks, Clock: clock.RealClock{}, Recorder: silent{}},
		"serviceclaim": &serviceclaim.Reconciler{Ensurer: ensurer(serviceclaim.Manager), Client: c, ArgoCD: p.argo,
			Triage: looks, Clock: clock.RealClock{}, Recorder: silent{}},
	}
	p.finish(p.begin("argocd", "")) // it knows whether Argo CD is there before it does anything
	return p
}

// holds says what the operator's caches hold, as its options say it.
func holds(o world.Object) bool {
	switch o.GetKind() {
	case "Tenant", "ServiceClaim", "Platform", "Deployment":
		return true
	case "ConfigMap":
		return o.GetName() == "argocd-cm"
	case "Pod":
		return o.GetLabels()["demarc.dev/claim"] != ""
	default:
		return o.GetLabels()["demarc.dev/owner"] != ""
	}
}

// behind are the kinds of which the cache has not seen everything.
func (p *process) behind() []string {
	return slices.DeleteFunc(p.world.Kinds(), func(kind string) bool { return p.seen[kind] >= p.world.Latest(kind) })
}

// see lets the cache of a kind see the next write to it.
func (p *process) see(kind string) { p.seen[kind] = p.world.Next(kind, p.seen[kind]) }

// task is one reconcile under way, which waits at a request.
type task struct {
	controller, name string
	// begun is the revision at which it began, sawTenants the one up to which the cache of
	// Tenants had seen then.
	begun, sawTenants int64
	// early says that these are only known to be no later: what was so at any time since
	// may be what it saw.
	early bool
	// at is the request that it is about to make; empty where it is over.
	at       string
	err      error
	panicked any
	next     chan string
	verdict  chan verdict
}

// saw says whether an object was so at a revision, as far as is known.
func (t *task) saw(c *cluster, k world.Key, at int64, so func(world.Object) bool) bool {
	if t.early {
		return c.Ever(k, at, so)
	}
	return so(c.At(k, at))
}

func (t *task) String() string { return t.controller + " " + t.name }

// verdict on a request.
type verdict int

const (
	answer verdict = iota // it is done and answered
	refuse                // it fails with a conflict, and is not done
	lose                  // it is done, and its answer is an error
	vanish                // it is not done, and the process is no more
)

// busy are the names that a controller works on: it never does so twice at once.
func (p *process) busy(controller, name string) bool {
	return slices.ContainsFunc(p.tasks, func(t *task) bool { return t.controller == controller && t.name == name })
}

// taskKey finds the task in which a request is made.
type taskKey struct{}

// begin starts a reconcile and lets it come to its first request.
func (p *process) begin(controller, name string) *task {
	t := &task{controller: controller, name: name, begun: p.world.Revision(), sawTenants: p.seen["Tenant"],
		next: make(chan string), verdict: make(chan verdict)}
	p.tasks = append(p.tasks, t)
	go func() {
		defer close(t.next)
		defer func() {
			if r := recover(); r != nil {
				t.panicked = fmt.Sprintf("%v\n%s", r, debug.Stack())
			}
		}()
		ctx := context.WithValue(context.Background(), taskKey{}, t)
		_, t.err = p.controllers[controller].Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKey{Name: name}})
	}()
	p.await(t)
	return t
}

// await lets a task run to its next request, or to its end.
func (p *process) await(t *task) {
	at, more := <-t.next
	if t.at = at; more {
		return
	}
	p.tasks = slices.DeleteFunc(p.tasks, func(other *task) bool { return other == t })
	if t.panicked != nil {
		panic(fmt.Sprintf("%s panicked: %v", t, t.panicked))
	}
}

// move lets a task's request be answered in one way, and the task go on to its next.
func (p *process) move(t *task, v verdict) {
	t.verdict <- v
	p.await(t)
}

// finish lets a task run to its end without trouble.
func (p *process) finish(t *task) {
	for t.at != "" {
		p.move(t, answer)
	}
}

// die ends the process: what is under way is never heard of again.
func (p *process) die() {
	p.dead = true
	for len(p.tasks) > 0 {
		p.move(p.tasks[0], vanish)
	}
}

// request is one request of a task's to the API server.
func (p *process) request(ctx context.Context, what string, do func() error) error {
	if p.dead {
		return errDead
	}
	t, ok := ctx.Value(taskKey{}).(*task)
	if !ok {
		return do() // outside of any reconcile
	}
	t.next <- what
	v := <-t.verdict
	p.acting = t
	switch v {
	case vanish:
		return errDead
	case refuse:
		return errConflict
	case lose:
		_ = do()
		return errTimeout
	default:
		return do()
	}
}

// silent records no events: what happened is read from the cluster.
type silent struct{ events.EventRecorder }

// Eventf is part of events.EventRecorder.
func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// noCache is where Argo CD's watches would be.
type noCache struct{ cache.Cache }

// RemoveInformer is part of cache.Informers.
func (noCache) RemoveInformer(context.Context, client.Object) error { return nil }

func describe(verb string, k world.Key) string { return fmt.Sprintf("%s %s", verb, k) }
