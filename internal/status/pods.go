package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
)

// readPods takes the pods of the service: those that its workloads make, and those that
// carry the claim's label.
func (s *service) readPods() {
	for _, o := range s.set.Of(podKind) {
		if o.GetNamespace() != s.namespace {
			continue
		}
		labelled := s.claim != nil && o.GetLabels()[v1alpha1.LabelClaim] == s.claim.Name
		if !labelled && !s.makes(o, 0) {
			continue
		}
		if p := one[corev1.Pod](o); p != nil {
			s.pods = append(s.pods, p)
		}
	}
	slices.SortStableFunc(s.pods, func(a, b *corev1.Pod) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
}

// makes follows an object's controllers up to one of the workloads.
func (s *service) makes(o metav1.Object, depth int) bool {
	owner := metav1.GetControllerOfNoCopy(o)
	if owner == nil || depth > 3 {
		return false
	}
	for _, w := range s.workloads {
		if w.ref.Kind == owner.Kind && w.ref.Name == owner.Name && (owner.UID == "" || w.object.GetUID() == "" || owner.UID == w.object.GetUID()) {
			return true
		}
	}
	for _, kind := range []schema.GroupKind{replicaSetKind, jobKind} {
		if kind.Kind == owner.Kind {
			if up := s.set.Get(kind, s.namespace, owner.Name); up != nil {
				return s.makes(up, depth+1)
			}
		}
	}
	return false
}

// living are the pods that are not going and have not ended.
func (s *service) living() (out []*corev1.Pod) {
	for _, p := range s.pods {
		if p.DeletionTimestamp == nil && p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
			out = append(out, p)
		}
	}
	return out
}

// runs says that all containers of a pod run now. The kubelet's word on each counts, where
// there is one.
func runs(p *corev1.Pod) bool {
	if p.Status.Phase != corev1.PodRunning {
		return false
	}
	for _, c := range p.Status.ContainerStatuses {
		if c.State.Running == nil && (c.State.Waiting != nil || c.State.Terminated != nil) {
			return false
		}
	}
	return true
}

func isReady(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// statuses of all containers of a pod, those that come first in front.
func statuses(p *corev1.Pod) []corev1.ContainerStatus {
	return slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses)
}

// keeps says in a few words what keeps a pod from running, or from being ready.
func (s *service) keeps(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return "no node takes it: " + c.Message
		}
	}
	if words := stopped(p); words != "" {
		return words
	}
	if e := s.newest(p, "Unhealthy"); e != nil && !isReady(p) {
		return firstLine(shown(e.Message))
	}
	if p.Status.Phase == corev1.PodPending {
		return "it is starting since " + s.ago(p.CreationTimestamp.Time)
	}
	if not := unready(p); len(not) > 0 {
		return "not ready: container " + strings.Join(not, ", ")
	}
	return string(p.Status.Phase)
}

// stopped says which container of a pod does not run, and why; empty where all do, or are
// being made.
func stopped(p *corev1.Pod) string {
	for _, c := range statuses(p) {
		if w := c.State.Waiting; w != nil && w.Reason != "" && w.Reason != "PodInitializing" && w.Reason != "ContainerCreating" {
			return w.Reason
		}
	}
	for _, c := range statuses(p) {
		if t := c.State.Terminated; t != nil && t.ExitCode != 0 {
			return fmt.Sprintf("container %s ended: %s", c.Name, ended(t))
		}
	}
	return ""
}

func unready(p *corev1.Pod) (names []string) {
	for _, c := range p.Status.ContainerStatuses {
		if !c.Ready {
			names = append(names, c.Name)
		}
	}
	return names
}

// newest is the last event of a reason about a pod, nil where there is none.
func (s *service) newest(p *corev1.Pod, reason string) (last *corev1.Event) {
	for _, e := range s.events {
		about := e.InvolvedObject
		if e.Reason != reason || about.Kind != podKind.Kind || about.Name != p.Name || about.UID != "" && p.UID != "" && about.UID != p.UID {
			continue
		}
		if last == nil || happened(e).After(happened(last).Time) {
			last = e
		}
	}
	return last
}

func happened(e *corev1.Event) metav1.Time {
	if e.Series != nil && !e.Series.LastObservedTime.IsZero() {
		return metav1.NewTime(e.Series.LastObservedTime.Time)
	}
	for _, t := range []metav1.Time{e.LastTimestamp, metav1.NewTime(e.EventTime.Time), e.FirstTimestamp} {
		if !t.IsZero() {
			return t
		}
	}
	return e.CreationTimestamp
}

// why groups pods by what keeps them: "web-a, web-b: CrashLoopBackOff".
func (s *service) why(pods []*corev1.Pod) string {
	var order []string
	names := map[string][]string{}
	for _, p := range pods {
		reason := s.keeps(p)
		if len(names[reason]) == 0 {
			order = append(order, reason)
		}
		names[reason] = append(names[reason], p.Name)
	}
	var out []string
	for _, reason := range order {
		out = append(out, some(names[reason], 2)+": "+reason)
	}
	return strings.Join(out, "; ")
}

// some names the first few of a list, and how many more there are.
func some(list []string, few int) string {
	if len(list) <= few {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:few], ", ") + fmt.Sprintf(" and %d more", len(list)-few)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
