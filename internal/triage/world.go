package triage

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

// world is the snapshot decoded, with its indexes, which are built once.
type world struct {
	set   *snapshot.Set
	now   time.Time
	files bool
	own   bool
	// objects of each kind, in order.
	objects map[schema.GroupKind][]snapshot.Object
	// held are kinds and namespaces of which something is in the set.
	held   map[inSpace]bool
	unread []snapshot.Unread

	nodes        []*corev1.Node
	nodeOf       map[string]*corev1.Node
	owners       map[finding.Object]metav1.Object
	pods         []*pod
	podsIn       map[string][]*pod
	podsOn       map[string][]*pod
	podsOf       map[finding.Object][]*pod
	podsBy       map[labelled][]*pod
	deployments  []*appsv1.Deployment
	replicaSets  []*appsv1.ReplicaSet
	statefulSets []*appsv1.StatefulSet
	daemonSets   []*appsv1.DaemonSet
	jobs         []*batchv1.Job
	cronJobs     []*batchv1.CronJob
	volumeClaims []*corev1.PersistentVolumeClaim
	services     []*corev1.Service
	servicesIn   map[string][]*corev1.Service
	serviceOf    map[finding.Object]*corev1.Service
	slicesOf     map[finding.Object][]*discoveryv1.EndpointSlice
	ingresses    []*networkingv1.Ingress
	budgets      []*policyv1.PodDisruptionBudget
	autoscalers  []*autoscalingv2.HorizontalPodAutoscaler
	quotas       []*corev1.ResourceQuota
	events       map[finding.Object][]event
	teams        map[string]string
	// workloadsIn are the templates of pods in each namespace.
	workloadsIn   map[string][]workload
	workloadOfRef map[finding.Object]*workload
	// room is what is free on each node, and places where pods of a kind could go; both are
	// counted when they are first asked for.
	room   map[string]corev1.ResourceList
	places map[string]placing
	// rolls are the Deployments by name, parts what is asked for again and again of the parts of
	// Argo CD and of addons, and published the classes whose controller writes addresses.
	rolls     map[finding.Object]*appsv1.Deployment
	parts     map[string][]cause
	published map[string]bool
	// lastRuns are the newest runs that are over of each CronJob.
	lastRuns map[finding.Object]*batchv1.Job
	// makes are what makes each Secret.
	makes map[finding.Object][]maker
	// selected is one pod that runs by each node selector.
	selected map[string]*pod
}

// labelled is one label with its value, in a namespace.
type labelled struct{ namespace, key, value string }

type inSpace struct {
	kind      schema.GroupKind
	namespace string
}

// workload is what makes pods of a template.
type workload struct {
	ref      finding.Object
	labels   map[string]string
	spec     *corev1.PodSpec
	replicas int32
}

// decode gives out the objects of a kind as their type.
func decode[T any](w *world, kind schema.GroupKind) []*T {
	list := w.objects[kind]
	out := make([]*T, 0, len(list))
	for _, o := range list {
		if into := decodeOne[T](w, kind, o); into != nil {
			out = append(out, into)
		}
	}
	return out
}

// decodeOne is an object as its type; what is not of it is noted, and nil.
func decodeOne[T any](w *world, kind schema.GroupKind, o snapshot.Object) *T {
	into, err := snapshot.Into[T](bare(o))
	if err != nil {
		w.unread = append(w.unread, snapshot.Unread{Verb: "decode", Group: kind.Group, Resource: kind.Kind, Kind: kind.Kind,
			Namespace: o.GetNamespace(), Name: o.GetName(), Why: said(err.Error())})
		return nil
	}
	return into
}

// knows says whether what is not in the set of this kind, in this namespace, is known not
// to be in the cluster.
func (w *world) knows(kind schema.GroupKind, namespace string) bool {
	if w.files {
		return w.held[inSpace{kind, namespace}]
	}
	_, missed := w.set.Missed(kind, namespace, "")
	return !missed && w.set.Serves(kind)
}

// absent says that one object is known not to be there.
func (w *world) absent(kind schema.GroupKind, namespace, name string) bool {
	return w.set.Get(kind, namespace, name) == nil && w.knows(kind, namespace)
}

// since is how long ago something was; zero where that is not known.
func (w *world) since(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return w.now.Sub(t)
}

// settled says that something has been so for long enough to be no passing state.
func (w *world) settled(t time.Time) bool { return w.since(t) >= settle }

const (
	// settle is how long what has just begun is let be.
	settle = 2 * time.Minute
	// slow is how long pods may take to become ready before that is told of.
	slow = 10 * time.Minute
	// past is when an event speaks of another time.
	past = time.Hour
)

// side is the team of a namespace, or the platform.
func (w *world) side(namespace string) string {
	if team := w.teamOf(namespace); team != "" {
		return "team " + team
	}
	return "the platform"
}

// refOf names an object of a typed kind.
func refOf(kind schema.GroupKind, o metav1.Object) finding.Object {
	return finding.Object{Group: kind.Group, Kind: kind.Kind, Namespace: o.GetNamespace(), Name: o.GetName()}
}
