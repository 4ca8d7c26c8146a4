package status

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/snapshot"
)

// LogRef names the log of one run of a container.
type LogRef struct {
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Container string `json:"container"`
	// Previous is the run before the one that is there now.
	Previous bool `json:"previous,omitempty"`
}

// Command shows it whole.
func (r LogRef) Command() string {
	text := fmt.Sprintf("kubectl logs %s -n %s -c %s", r.Pod, r.Namespace, r.Container)
	if r.Previous {
		text += " --previous"
	}
	return text
}

// Log is what was read of it.
type Log struct {
	LogRef
	Text string
	// Why it could not be read; empty where it was.
	Why string
}

// Tail answers: what does the log say?
type Tail struct {
	Said
	// Of is absent where there is no log to read.
	Of *LogRef `json:"of,omitempty"`
	// Lines are the last ones, oldest first.
	Lines []string `json:"lines,omitempty"`
}

// LogOf is the log that is worth reading: of the container that fails, of the run that
// failed; of one that runs where none fails. ok is whether there is one.
func LogOf(set *snapshot.Set, q Question) (LogRef, bool) {
	s, ok := read(set, q)
	if !ok {
		return LogRef{}, false
	}
	return s.logOf()
}

func (s *service) logOf() (LogRef, bool) {
	for _, p := range s.pods { // newest first
		if p.DeletionTimestamp != nil {
			continue
		}
		if c := failing(p); c != nil {
			// What a container that was started anew says now is not why it ended.
			previous := c.State.Terminated == nil && c.LastTerminationState.Terminated != nil && (c.State.Running == nil || c.RestartCount > 0)
			return LogRef{s.namespace, p.Name, c.Name, previous}, true
		}
	}
	for _, p := range s.pods {
		if p.DeletionTimestamp == nil && runs(p) && len(p.Spec.Containers) > 0 {
			return LogRef{s.namespace, p.Name, s.main(p.Spec), false}, true
		}
	}
	return LogRef{}, false
}

// failing is the container of a pod that fails and has run, nil where none does.
func failing(p *corev1.Pod) *corev1.ContainerStatus {
	var unready *corev1.ContainerStatus
	list := statuses(p)
	for i := range list {
		c := &list[i]
		switch {
		case c.State.Terminated != nil && c.State.Terminated.ExitCode != 0:
			return c
		case c.State.Waiting != nil && c.LastTerminationState.Terminated != nil:
			return c
		case c.State.Running != nil && !c.Ready && i >= len(p.Status.InitContainerStatuses) && unready == nil:
			unready = c
		}
	}
	return unready
}

// log makes of what was read the last lines that may be shown.
func (s *service) log(read *Log) Tail {
	if words, ok := s.missed(podKind); ok {
		return Tail{Said: Said{Unknown, words}}
	}
	ref, ok := s.logOf()
	if !ok {
		return Tail{Said: Said{OK, "no container has run that there is a log of"}}
	}
	t := Tail{Of: &ref}
	run := "container " + ref.Container + " of " + ref.Pod
	if ref.Previous {
		run += ", the run before this one"
	}
	switch {
	case read == nil || read.LogRef != ref:
		t.Said = Said{Unknown, notKnown("it was not read; " + ref.Command())}
	case read.Why != "":
		t.Said = Said{Unknown, notKnown(read.Why)}
	default:
		var hidden int
		if t.Lines, hidden = Lines(read.Text); len(t.Lines) == 0 {
			t.Said = Said{OK, "nothing: " + run}
			break
		}
		t.Said = Said{OK, run}
		if hidden > 0 {
			t.Says += fmt.Sprintf("; %d left out that look like secrets", hidden)
		}
	}
	return t
}
