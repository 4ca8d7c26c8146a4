package status

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/readiness"
)

// running answers: is it running?
func (s *service) running() Said {
	if words, ok := s.missed(podKind); ok {
		return Said{Unknown, words}
	}
	if len(s.workloads) == 0 {
		return s.nothing()
	}
	if s.ends() {
		return s.ending()
	}
	var running int32
	var not []*corev1.Pod
	for _, p := range s.living() {
		if runs(p) {
			running++
		} else {
			not = append(not, p)
		}
	}
	asked := s.count(func(w *workload) int32 { return w.asked })
	switch {
	case asked == 0 && running == 0:
		return Said{OK, "no pod runs, and none is asked for"}
	case running >= asked && len(not) == 0:
		return Said{OK, "yes: " + of(running, asked)}
	}
	says, level := "no: ", Bad
	switch {
	case running >= asked:
		says, level = "yes: ", Wait // the old ones run on while new ones do not
	case running > 0:
		says, level = "in part: ", Wait
	case s.starting(not):
		level = Wait
	}
	says += of(running, asked)
	if why := s.why(not); why != "" {
		says += "; not " + why
	} else if refused := s.refused(); refused != "" {
		says += "; the API server refuses pods: " + refused
	}
	return Said{level, says}
}

// nothing says why there is no object that makes pods.
func (s *service) nothing() Said {
	if words, ok := s.missed(WorkloadKinds...); ok {
		return Said{Unknown, words}
	}
	for _, c := range s.claim.Status.Conditions {
		if c.Type != readiness.DeliveryReady || c.Status == metav1.ConditionTrue {
			continue
		}
		level := Bad
		if ownership.Reasons[c.Reason].Expected {
			level = Wait
		}
		return Said{level, "no: nothing is delivered yet (" + c.Reason + ")"}
	}
	return Said{Bad, "no: nothing that makes pods is delivered"}
}

// ends says that all there is of the service runs to its end.
func (s *service) ends() bool {
	for _, w := range s.workloads {
		if !w.ends {
			return false
		}
	}
	return len(s.workloads) > 0
}

// ending answers for Jobs and CronJobs.
func (s *service) ending() Said {
	var out []string
	level := OK
	for _, w := range s.workloads {
		var says string
		switch {
		case w.failed != "":
			level, says = Bad, "failed: "+w.failed
		case w.completed:
			says = "has completed"
		case w.paused:
			says = "is suspended"
		case w.schedule != "":
			says = fmt.Sprintf("%d run now, %s", w.there, w.schedule)
		case s.fails():
			level, says = Bad, "does not get on: "+s.why(s.living())
		default:
			says = fmt.Sprintf("runs: %d active", w.there)
		}
		out = append(out, words(w.ref)+" "+says)
	}
	return Said{level, strings.Join(out, "; ")}
}

func (s *service) fails() bool {
	for _, p := range s.living() {
		if !runs(p) && failing(p) != nil {
			return true
		}
	}
	return false
}

// ready answers: is it ready?
func (s *service) ready() Said {
	if words, ok := s.missed(podKind); ok {
		return Said{Unknown, words}
	}
	switch {
	case len(s.workloads) == 0:
		return s.nothing()
	case s.ends():
		return Said{s.running().Level, "what ends is never ready: see running"}
	}
	var ready int32
	var not []*corev1.Pod
	for _, p := range s.living() {
		if isReady(p) {
			ready++
		} else {
			not = append(not, p)
		}
	}
	asked := s.count(func(w *workload) int32 { return w.asked })
	switch {
	case asked == 0 && ready == 0:
		return Said{OK, "none is asked for"}
	case ready >= asked && len(not) == 0:
		return Said{OK, "yes: " + of(ready, asked)}
	case ready >= asked:
		return Said{Wait, fmt.Sprintf("yes: %s, and %d more not", of(ready, asked), len(not)) + s.unready(not)}
	case ready > 0:
		return Said{Wait, "in part: " + of(ready, asked) + s.unready(not)}
	case s.starting(not):
		return Said{Wait, "no: " + of(ready, asked) + s.unready(not)}
	}
	return Said{Bad, "no: " + of(ready, asked) + s.unready(not)}
}

// unready says of pods that run why they are not ready; the others are told of before.
func (s *service) unready(list []*corev1.Pod) string {
	var running []*corev1.Pod
	for _, p := range list {
		if runs(p) {
			running = append(running, p)
		}
	}
	if len(running) == 0 {
		return ""
	}
	return "; " + s.why(running)
}

// starting says that pods were made just now, and that nothing is wrong with them so far.
func (s *service) starting(list []*corev1.Pod) bool {
	for _, p := range list {
		if s.now.Sub(p.CreationTimestamp.Time) > patience || failing(p) != nil && !runs(p) || readiness.TroubleOf(p) != nil {
			return false
		}
	}
	return len(list) > 0
}

// patience is how long a pod may take to start before that is trouble.
const patience = 2 * time.Minute

func (s *service) refused() string {
	for _, w := range s.workloads {
		if w.refused != "" {
			return firstLine(w.refused)
		}
	}
	return ""
}

func (s *service) count(what func(*workload) int32) (sum int32) {
	for _, w := range s.workloads {
		if !w.ends {
			sum += what(w)
		}
	}
	return sum
}

func of(n, asked int32) string { return fmt.Sprintf("%d of %s", n, pods(asked)) }

func pods(n int32) string {
	if n == 1 {
		return "1 pod"
	}
	return fmt.Sprintf("%d pods", n)
}
