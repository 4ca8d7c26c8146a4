package status

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/history"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

var (
	platformKind    = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Platform"}
	namespaceKind   = schema.GroupKind{Kind: "Namespace"}
	podKind         = schema.GroupKind{Kind: "Pod"}
	eventKind       = schema.GroupKind{Kind: "Event"}
	quotaKind       = schema.GroupKind{Kind: "ResourceQuota"}
	serviceKind     = schema.GroupKind{Kind: "Service"}
	deploymentKind  = schema.GroupKind{Group: "apps", Kind: "Deployment"}
	replicaSetKind  = schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}
	statefulSetKind = schema.GroupKind{Group: "apps", Kind: "StatefulSet"}
	daemonSetKind   = schema.GroupKind{Group: "apps", Kind: "DaemonSet"}
	jobKind         = schema.GroupKind{Group: "batch", Kind: "Job"}
	cronJobKind     = schema.GroupKind{Group: "batch", Kind: "CronJob"}
	applicationKind = argocd.ApplicationKind.GroupKind()
)

// ClaimKind is the kind that asks for a service.
var ClaimKind = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "ServiceClaim"}

// WorkloadKinds are the kinds that a service may run as, in the order in which one is looked
// for by its name.
var WorkloadKinds = []schema.GroupKind{deploymentKind, statefulSetKind, daemonSetKind, cronJobKind, jobKind}

// service is what was read of one.
type service struct {
	set             *snapshot.Set
	now             time.Time
	team, namespace string
	// claim is nil for what no claim asks for.
	claim    *v1alpha1.ServiceClaim
	platform *v1alpha1.Platform
	// app is the claim's Application, nil where it is not there or could not be read.
	app       snapshot.Object
	workloads []*workload
	pods      []*corev1.Pod
	events    []*corev1.Event
}

// read finds the service in the set.
func read(set *snapshot.Set, q Question) (*service, bool) {
	s := &service{set: set, now: q.Now, namespace: q.Namespace}
	if s.now.IsZero() {
		s.now = set.At
	}
	s.platform = one[v1alpha1.Platform](set.Get(platformKind, "", v1alpha1.PlatformName))
	if q.Claim != "" {
		if s.claim = one[v1alpha1.ServiceClaim](set.Get(ClaimKind, "", q.Claim)); s.claim == nil {
			return nil, false
		}
	} else if !s.named(q) {
		return nil, false
	}
	if s.claim != nil {
		s.team = s.claim.Spec.Team
		s.namespace = v1alpha1.NamespaceOf(s.team)
		s.app = set.Get(applicationKind, render.SettingsOf(s.platform).ArgoCDNamespace, render.ApplicationName(s.claim))
	} else if ns := set.Get(namespaceKind, "", s.namespace); ns != nil {
		s.team = ns.GetLabels()[v1alpha1.LabelTenant]
	} else if team, ours := strings.CutPrefix(s.namespace, v1alpha1.NamespacePrefix); ours {
		s.team = team
	}
	for _, o := range s.asked(q) {
		if w := workloadOf(o); w != nil {
			s.workloads = append(s.workloads, w)
		}
	}
	for _, o := range set.Of(eventKind) {
		if e := one[corev1.Event](o); e != nil && e.Namespace == s.namespace {
			s.events = append(s.events, e)
		}
	}
	s.readPods()
	return s, true
}

// named finds a workload by its name, and the claim that it is of.
func (s *service) named(q Question) bool {
	list := s.asked(q)
	if len(list) == 0 {
		return false
	}
	if name := list[0].GetLabels()[v1alpha1.LabelClaim]; name != "" {
		claim := one[v1alpha1.ServiceClaim](s.set.Get(ClaimKind, "", name))
		if claim != nil && v1alpha1.NamespaceOf(claim.Spec.Team) == s.namespace {
			s.claim = claim
		}
	}
	return true
}

// asked are the workloads that are asked about.
func (s *service) asked(q Question) (out []snapshot.Object) {
	if q.Workload != "" {
		for _, kind := range WorkloadKinds {
			if o := s.set.Get(kind, q.Namespace, q.Workload); o != nil && (q.Kind == "" || q.Kind == kind.Kind) {
				return []snapshot.Object{o}
			}
		}
		return nil
	}
	if s.claim.Spec.Image != "" {
		kind := render.WorkloadOf(s.claim).GroupKind()
		if o := s.set.Get(kind, s.namespace, s.claim.Name); o != nil {
			return []snapshot.Object{o}
		}
		return s.newestJob(kind)
	}
	for _, o := range s.set.In(s.namespace) {
		if kind := o.GroupVersionKind().GroupKind(); slices.Contains(WorkloadKinds, kind) && s.delivers(kind, o.GetName()) {
			out = append(out, o)
		}
	}
	return out
}

// newestJob is the last Job of a claim of kind job: each change makes one of another name.
func (s *service) newestJob(kind schema.GroupKind) []snapshot.Object {
	var last snapshot.Object
	for _, o := range s.set.Of(kind) {
		if kind != jobKind || o.GetNamespace() != s.namespace || o.GetLabels()[v1alpha1.LabelClaim] != s.claim.Name {
			continue
		}
		if last == nil || o.GetCreationTimestamp().After(last.GetCreationTimestamp().Time) {
			last = o
		}
	}
	if last == nil {
		return nil
	}
	return []snapshot.Object{last}
}

// delivers says that the claim's Application delivers an object, by what the claim notes, or
// by what the Application says.
func (s *service) delivers(kind schema.GroupKind, name string) bool {
	for _, o := range s.claim.Status.Inventory {
		if o.Group == kind.Group && o.Kind == kind.Kind && o.Namespace == s.namespace && o.Name == name {
			return true
		}
	}
	if s.app == nil {
		return false
	}
	app, err := argocd.Decode(s.app)
	return err == nil && slices.ContainsFunc(app.Status.Resources, func(r argocd.Resource) bool {
		return r.Group == kind.Group && r.Kind == kind.Kind && r.Namespace == s.namespace && r.Name == name
	})
}

// words name the service.
func (s *service) words() string {
	if s.claim != nil {
		return "claim/" + s.claim.Name
	}
	return words(s.workloads[0].ref) + " in " + s.namespace
}

// words name an object of the service's namespace.
func words(o finding.Object) string { return strings.ToLower(o.Kind) + "/" + o.Name }

// one is an object as its type, nil where it is not there or is none.
func one[T any](o snapshot.Object) *T {
	if o == nil {
		return nil
	}
	into, err := snapshot.Into[T](o)
	if err != nil {
		return nil
	}
	return into
}

// missed is "not known, because …" where a kind could not be read in the namespace.
func (s *service) missed(kinds ...schema.GroupKind) (string, bool) {
	for _, kind := range kinds {
		if u, ok := Missed(s.set, kind, s.namespace); ok {
			return notKnown(history.Because(u)), true
		}
	}
	return "", false
}

// Missed says whether a kind could not be read in a namespace. What was refused there says
// more than that nothing was asked for elsewhere.
func Missed(set *snapshot.Set, kind schema.GroupKind, namespace string) (snapshot.Unread, bool) {
	u, ok := set.Missed(kind, namespace, "")
	if !ok || !u.NotAsked() {
		return u, ok
	}
	for _, other := range set.Unread() {
		if other.GroupKind() == kind && other.Namespace == namespace {
			return other, true
		}
	}
	return u, true
}

func notKnown(why string) string { return "not known, because " + why }

// ago is how long something is past, in one unit.
func (s *service) ago(at time.Time) string { return Ago(s.now.Sub(at)) }
