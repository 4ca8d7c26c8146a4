package status

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/history"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/secretshape"
	"demarc.dev/demarc/internal/snapshot"
)

// rollout answers: is the rollout progressing?
func (s *service) rollout() Said {
	if len(s.workloads) == 0 {
		return s.nothing()
	}
	if words, ok := s.behind(); ok {
		return Said{Wait, words}
	}
	var out []string
	level := OK
	for _, w := range s.workloads {
		said := w.rollout()
		if said.Level != OK || len(s.workloads) == 1 {
			says := said.Says
			if len(s.workloads) > 1 {
				says = words(w.ref) + ": " + says
			}
			out = append(out, says)
		}
		level = worse(level, said.Level)
	}
	if len(out) == 0 {
		return Said{OK, fmt.Sprintf("done: all %d workloads are rolled out", len(s.workloads))}
	}
	return Said{level, strings.Join(out, "; ")}
}

// behind says that what the claim asks for has not come to the workload yet.
func (s *service) behind() (string, bool) {
	if s.claim == nil || len(s.workloads) == 0 {
		return "", false
	}
	if s.claim.Status.ObservedGeneration < s.claim.Generation {
		return "begins: the operator has not taken up the claim's last change yet", true
	}
	if image := s.claim.Spec.Image; image != "" && !slices.Contains(s.asking(), image) {
		return "begins: the last change of the claim has not come to " + words(s.workloads[0].ref) + " yet", true
	}
	return "", false
}

func (s *service) asking() (out []string) {
	for _, w := range s.workloads {
		out = append(out, history.Main(w.pods.Spec, s.claim.Name).Image)
	}
	return out
}

// rollout of one workload, by the rules of kubectl rollout status.
func (w *workload) rollout() Said {
	revision := ""
	if w.revision != "" {
		revision = ", revision " + w.revision
	}
	counts := fmt.Sprintf("%d of %d pods updated, %d available%s", min(w.updated, w.asked), w.asked, w.available, revision)
	switch {
	case w.failed != "":
		return Said{Bad, "failed: " + w.failed}
	case w.ends && w.completed:
		return Said{OK, "done: it has completed"}
	case w.schedule != "":
		return Said{OK, "done: it runs " + w.schedule}
	case w.paused:
		return Said{Wait, "paused: " + counts}
	case w.ends:
		return Said{Wait, "it runs until it ends"}
	case !w.observed:
		return Said{Wait, "begins: its controller has not seen the last change yet"}
	case w.stuck != "":
		return Said{Bad, "stuck: " + w.stuck + "; " + counts}
	case w.rolled():
		return Said{OK, "done: " + counts}
	case w.updated < w.asked:
		return Said{Wait, "progressing: " + counts}
	case w.there > w.updated:
		return Said{Wait, fmt.Sprintf("progressing: %d old pods are still to end; %s", w.there-w.updated, counts)}
	}
	return Said{Wait, "progressing: " + counts}
}

// Progress is how far a rollout is, for who waits for it.
type Progress struct {
	// Done is that what was asked for runs; Failed that waiting does not help.
	Done   bool `json:"done"`
	Failed bool `json:"failed,omitempty"`
	// Says is the same for as long as nothing changes.
	Says string `json:"says"`
}

// ProgressOf answers how far a rollout is, and nothing else; ok is whether there is such a
// service in the set.
func ProgressOf(set *snapshot.Set, q Question) (p Progress, ok bool) {
	s, ok := read(set, q)
	if !ok {
		return Progress{}, false
	}
	return s.progress(), true
}

func (s *service) progress() Progress {
	rollout := s.rollout()
	p := Progress{Says: secretshape.Sentence(rollout.Says), Failed: s.gaveUp()}
	if s.claim == nil {
		p.Done = rollout.Level == OK && len(s.workloads) > 0
		return p
	}
	for _, c := range s.claim.Status.Conditions {
		switch {
		case c.ObservedGeneration < s.claim.Generation: // of the claim before its last change
		case c.Type == readiness.Stalled && c.Status == metav1.ConditionTrue:
			p.Failed = true
		case c.Type == readiness.Ready:
			p.Done = c.Status == metav1.ConditionTrue
			p.Says += "; " + readiness.Ready + "=" + string(c.Status) + " " + c.Reason
		}
	}
	p.Failed = p.Failed && !p.Done
	return p
}

// gaveUp says that a workload gave up what is asked for now.
func (s *service) gaveUp() bool {
	if _, behind := s.behind(); behind {
		return false
	}
	return slices.ContainsFunc(s.workloads, func(w *workload) bool { return w.observed && (w.stuck != "" || w.failed != "") })
}
