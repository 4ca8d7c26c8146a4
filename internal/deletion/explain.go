package deletion

import (
	"slices"
	"strings"
	"time"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// Question is what is asked.
type Question struct {
	Object Object
	// Refused is what the API server says to a deletion now: its own words where it
	// would not take one.
	Refused string
	// Force asks what a deletion by force would do, for this reason.
	Force string
}

// wait is the next step where something else comes first.
const wait = "wait; it goes when what it waits for is gone"

// patience is how long a controller is given to begin with what is its to do.
const patience = 20 * time.Second

// Explain answers from what was read. The object that is asked about is in the set.
func Explain(set *snapshot.Set, q Question) Report {
	e := &explainer{set: set, report: Report{Object: q.Object}, settings: settings(set), contract: contractOf(set)}
	o := set.Get(q.Object.GroupKind(), q.Object.Namespace, q.Object.Name)
	if o == nil {
		e.report.Unseen = e.needs(q.Object)
		return e.report
	}
	if q.Force != "" {
		o = forced(o, q.Force)
	}
	e.report.Deleting, e.report.Since = going(o), since(o)
	for _, u := range set.Unread() {
		if strings.HasPrefix(u.Verb, "delete") { // nobody knows what the API server would say
			e.report.Unread = append(e.report.Unread, u)
		}
	}
	e.refused(q, o)
	e.target(o)
	return e.finish()
}

// forced is an object as it would be with the mark of force.
func forced(o snapshot.Object, reason string) snapshot.Object {
	marked := o.DeepCopy()
	annotations := marked.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[v1alpha1.AnnotationForce] = reason
	marked.SetAnnotations(annotations)
	return marked
}

func settings(set *snapshot.Set) render.Settings {
	if p := set.Get(kindPlatform, "", v1alpha1.PlatformName); p != nil {
		if platform, err := snapshot.Into[v1alpha1.Platform](p); err == nil {
			return render.SettingsOf(platform)
		}
	}
	return render.SettingsOf(nil)
}

// explainer collects what is found.
type explainer struct {
	set      *snapshot.Set
	settings render.Settings
	contract *contract.Contract
	report   Report
	seen     map[string]bool
}

// stage says whether what is found holds the deletion now, or will when it comes to it.
type stage bool

const (
	now   stage = true
	later stage = false
)

// target explains the object that was asked about, by its kind.
func (e *explainer) target(o snapshot.Object) {
	at := stage(going(o))
	switch ObjectOf(o).GroupKind() {
	case kindTenant:
		e.tenant(o)
	case kindClaim:
		e.claim(o, at)
	case argocd.ApplicationKind.GroupKind():
		e.application(o, nil, at)
		e.planApplication(o)
	case argocd.ProjectKind.GroupKind():
		e.project(o, at)
		e.planProject(o)
	case kindNamespace:
		e.namespace(o, at)
		e.planNamespace(o)
	case kindCRD:
		e.definition(o, at)
	default:
		e.object(o, at)
		e.planObject(o)
	}
}

// add keeps a blocker once.
func (e *explainer) add(at stage, b Blocker) {
	if e.seen == nil {
		e.seen = map[string]bool{}
	}
	if id := b.Object.String() + " " + b.Reason + " " + b.Finalizer; !e.seen[id] {
		e.seen[id] = true
		if at == now {
			e.report.Blockers = append(e.report.Blockers, b)
		} else {
			e.report.Ahead = append(e.report.Ahead, b)
		}
	}
}

func (e *explainer) plan(name, by, does string) {
	e.report.Plan = append(e.report.Plan, Step{Name: name, By: by, Does: does})
}

func (e *explainer) leaves(o Object, why string) {
	l := Left{Object: o, Why: why}
	if !slices.Contains(e.report.Leaves, l) {
		e.report.Leaves = append(e.report.Leaves, l)
	}
}

// needs notes that an object, or with an empty name a kind, would have been needed and
// could not be read. It reports whether that is so.
func (e *explainer) needs(o Object) bool {
	u, missed := e.set.Missed(o.GroupKind(), o.Namespace, o.Name)
	if missed && !slices.Contains(e.report.Unread, u) {
		e.report.Unread = append(e.report.Unread, u)
	}
	return missed
}

// finish puts the roots first.
func (e *explainer) finish() Report {
	e.report.Blockers = rootsFirst(e.report.Blockers)
	e.report.Ahead = rootsFirst(e.report.Ahead)
	for _, list := range [][]snapshot.Unread{e.report.Unread, e.report.Beyond} {
		slices.SortFunc(list, func(a, b snapshot.Unread) int { return compareText(a.String(), b.String()) })
	}
	return e.report
}
