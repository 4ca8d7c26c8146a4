package status

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// recent is how long ago a restart may be to count as trouble of now.
const recent = time.Hour

// restarts are those of one container over all pods.
type restarts struct {
	container string
	count     int32
	last      *corev1.ContainerStateTerminated
	pod       *corev1.Pod
	looping   bool
}

// restarted answers: why did it restart?
func (s *service) restarted() Said {
	if words, ok := s.missed(podKind); ok {
		return Said{Unknown, words}
	}
	var out []string
	level := OK
	for _, r := range s.restarts() {
		says := fmt.Sprintf("container %s %s", r.container, times(r.count))
		if r.last == nil {
			out = append(out, says+", for a reason that is not kept")
			continue
		}
		if at := r.last.FinishedAt; !at.IsZero() {
			says += ", last " + s.ago(at.Time) + " ago"
			if s.now.Sub(at.Time) < recent {
				level = worse(level, Wait)
			}
		}
		if r.looping {
			level = Bad
		}
		out = append(out, says+": "+ended(r.last)+s.explains(r))
	}
	if len(out) == 0 {
		return Said{OK, "no container has restarted"}
	}
	return Said{level, strings.Join(out, "; ")}
}

// restarts of the pods that are there, most first.
func (s *service) restarts() []*restarts {
	var list []*restarts
	by := map[string]*restarts{}
	for _, p := range s.pods {
		for _, c := range statuses(p) {
			if c.RestartCount == 0 {
				continue
			}
			r := by[c.Name]
			if r == nil {
				r = &restarts{container: c.Name}
				by[c.Name] = r
				list = append(list, r)
			}
			r.count += c.RestartCount
			r.looping = r.looping || c.State.Waiting != nil && c.State.Waiting.Reason == "CrashLoopBackOff"
			if t := lastEnd(c); t != nil && (r.last == nil || t.FinishedAt.After(r.last.FinishedAt.Time)) {
				r.last, r.pod = t, p
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *restarts) int { return int(b.count - a.count) })
	return list
}

// lastEnd is how a container ended last.
func lastEnd(c corev1.ContainerStatus) *corev1.ContainerStateTerminated {
	if c.State.Terminated != nil && c.RestartCount > 0 {
		return c.State.Terminated
	}
	return c.LastTerminationState.Terminated
}

// ended says how, in the kubelet's words.
func ended(t *corev1.ContainerStateTerminated) string {
	says := fmt.Sprintf("exit code %d", t.ExitCode)
	if t.Signal != 0 {
		says += fmt.Sprintf(", signal %d", t.Signal)
	}
	if t.Reason != "" {
		says = t.Reason + ", " + says
	}
	if words := left(t.Message); words != "" {
		says += " (" + words + ")"
	}
	return says
}

// explains adds what else is known of an end: the limit that it went over, the probe for
// which the kubelet ended it.
func (s *service) explains(r *restarts) string {
	if r.last.Reason == "OOMKilled" {
		for _, c := range slices.Concat(r.pod.Spec.InitContainers, r.pod.Spec.Containers) {
			if limit, ok := c.Resources.Limits[corev1.ResourceMemory]; c.Name == r.container && ok {
				return "; its memory limit is " + limit.String()
			}
		}
	}
	e := s.newest(r.pod, "Killing")
	if e != nil && strings.Contains(e.Message, "Container "+r.container+" ") && strings.Contains(e.Message, "probe") {
		return "; " + firstLine(e.Message)
	}
	return ""
}

func times(n int32) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func worse(a, b Level) Level {
	order := []Level{OK, Unknown, Wait, Bad}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// Ago is a time that has passed, in one unit.
func Ago(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
