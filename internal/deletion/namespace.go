package deletion

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finalizer"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
)

// namespace explains a namespace: all in it goes first, a team's access last.
func (e *explainer) namespace(o snapshot.Object, at stage) {
	ns, err := snapshot.Into[corev1.Namespace](o)
	if err != nil {
		e.report.Unread = append(e.report.Unread, unreadable(o, err))
		return
	}
	waits := compact(e.managerDown(at))
	for _, c := range e.set.In(ns.Name) {
		if lastOfAll(c) {
			continue
		}
		if e.object(c, at) {
			waits = append(waits, ObjectOf(c).String())
		}
	}
	failed := e.failures(ns, at)
	if len(failed) == 0 { // else it is said there
		failed = e.unanswered(ns.Name, at)
	}
	waits = append(waits, failed...)
	if at == later || len(waits) == 0 && !counted(ns) {
		e.unreadIn(ns.Name)
	}
	e.foreign(o, at)
	if at == now {
		e.namespaceHeld(o, ns, waits)
	}
}

// lastOfAll is a RoleBinding that is let go when nothing else is left.
func lastOfAll(o snapshot.Object) bool {
	return ObjectOf(o).GroupKind() == kindBinding && !slices.ContainsFunc(o.GetFinalizers(), func(f string) bool { return f != v1alpha1.FinalizerAccess })
}

// failures are what the namespace controller could not do.
func (e *explainer) failures(ns *corev1.Namespace, at stage) (waits []string) {
	for _, c := range ns.Status.Conditions {
		if c.Status != corev1.ConditionTrue || counts(c.Type) {
			continue
		}
		row, since := ownership.BlockerOf("ContentFailed"), c.LastTransitionTime.UTC()
		b := Blocker{
			Object: Object{Kind: "Condition", Namespace: ns.Name, Name: string(c.Type)}, Reason: "ContentFailed", Controller: namespaces,
			Party: row.Party, Since: &since, Says: c.Reason + ": " + c.Message, Next: row.Next, Command: "kubectl get apiservices",
		}
		e.add(at, b)
		waits = append(waits, b.Object.String())
	}
	return waits
}

// unanswered are the APIs that could not be asked for their kinds: the namespace
// controller asks them all.
func (e *explainer) unanswered(namespace string, at stage) (waits []string) {
	for _, u := range e.set.Unread() {
		if u.Namespace != namespace || u.Resource != everyKind {
			continue
		}
		row := ownership.BlockerOf("ContentFailed")
		b := Blocker{
			Object: Object{Kind: "API", Name: u.Group}, Reason: "ContentFailed", Controller: namespaces, Party: row.Party,
			Until: "it answers", Says: u.Why, Next: row.Next, Command: "kubectl get apiservices",
		}
		e.add(at, b)
		waits = append(waits, b.Object.String())
	}
	return waits
}

// everyKind stands for the kinds of an API that did not say which they are.
const everyKind = "*"

const namespaces = "Kubernetes' namespace controller"

func counts(t corev1.NamespaceConditionType) bool {
	return t == corev1.NamespaceContentRemaining || t == corev1.NamespaceFinalizersRemaining
}

// counted reports whether the namespace controller has said what remains.
func counted(ns *corev1.Namespace) bool { return remaining(ns) != "" }

// remaining are the namespace controller's own words.
func remaining(ns *corev1.Namespace) string {
	var said []string
	for _, c := range ns.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			said = append(said, c.Message)
		}
	}
	return strings.Join(said, "; ")
}

// namespaceHeld adds the namespace itself, with what its controller counted: where that
// is not seen, the count is all there is to say.
func (e *explainer) namespaceHeld(o snapshot.Object, ns *corev1.Namespace, waits []string) {
	target := ObjectOf(o) == e.report.Object
	if target {
		e.report.Says = remaining(ns)
	}
	if target && (len(waits) > 0 || !counted(ns)) {
		return
	}
	b := Blocker{
		Object: ObjectOf(o), Reason: "NamespaceDeleting", Finalizer: "kubernetes", Controller: namespaces, Until: finalizer.Of("kubernetes").Waits,
		Party: ownership.BlockerOf("NamespaceDeleting").Party, Since: since(o), Says: remaining(ns), WaitsFor: waits,
		Next: ownership.BlockerOf("NamespaceDeleting").Next, Command: "kubectl describe " + ObjectOf(o).Kubectl(),
	}
	if len(waits) == 0 && counted(ns) {
		b.Reason, b.Next = "ContentRemains", ownership.BlockerOf("ContentRemains").Next
	}
	e.add(now, b)
}

// unreadIn notes the kinds of a namespace that could not be listed: what holds may be
// among them.
func (e *explainer) unreadIn(namespace string) {
	for _, u := range e.set.Unread() {
		if u.Namespace == namespace && u.Name == "" && u.Resource != everyKind && !slices.Contains(e.report.Unread, u) {
			e.report.Unread = append(e.report.Unread, u)
		}
	}
}
