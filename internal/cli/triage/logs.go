package triage

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/status"
	"demarc.dev/demarc/internal/survey"
)

const (
	// mostLogs is how many logs one run reads: one for each cause.
	mostLogs = 20
	// logField begins the field of evidence that is a line of a log.
	logField = "log of "
)

var podKind = schema.GroupKind{Kind: "Pod"}

// logs adds to each cause the end of the log of one container that fails by it.
func (o *Options) logs(ctx context.Context, set *snapshot.Set, to *answer, list []finding.Finding) error {
	config, err := o.Config()
	if err != nil {
		return err
	}
	read := 0
	for i, f := range list {
		ref, ok := logOf(set, f)
		if !ok {
			continue
		}
		if read++; read > mostLogs {
			o.note("no more logs were read than those of 20 causes: ask for one team, or one namespace, for the others")
			return nil
		}
		log, err := survey.Log(ctx, config, ref)
		if err != nil {
			return exit.Unreadable(err, "read the log of "+ref.Pod)
		}
		to.Findings[i].Evidence = append(to.Findings[i].Evidence, told(ref, log)...)
	}
	return nil
}

// told is a log as evidence, line by line.
func told(ref status.LogRef, log *status.Log) (list []finding.Evidence) {
	pod := finding.Object{Kind: "Pod", Namespace: ref.Namespace, Name: ref.Pod}
	field := logField + ref.Container
	if ref.Previous {
		field += ", the run before this one"
	}
	if log.Why != "" {
		return []finding.Evidence{{Object: pod, Field: field, Value: log.Why}}
	}
	lines, _ := status.Lines(log.Text)
	for _, line := range lines {
		list = append(list, finding.Evidence{Object: pod, Field: field, Value: line})
	}
	if len(list) == 0 {
		list = []finding.Evidence{{Object: pod, Field: field, Value: "nothing"}}
	}
	return list
}

// logOf is the log that may say why: of the first pod of the evidence in which a container fails
// that has run.
func logOf(set *snapshot.Set, f finding.Finding) (status.LogRef, bool) {
	objects := []finding.Object{f.Object}
	for _, e := range f.Evidence {
		objects = append(objects, e.Object)
	}
	for _, o := range objects {
		if o.Group != "" || o.Kind != podKind.Kind {
			continue
		}
		live := set.Get(podKind, o.Namespace, o.Name)
		if live == nil {
			continue
		}
		p, err := snapshot.Into[corev1.Pod](live)
		if err != nil {
			continue
		}
		for _, c := range append(p.Status.InitContainerStatuses, p.Status.ContainerStatuses...) {
			ended := c.LastTerminationState.Terminated != nil
			switch {
			case c.State.Terminated != nil && c.State.Terminated.ExitCode != 0, c.State.Running != nil && !c.Ready:
				return status.LogRef{Namespace: p.Namespace, Pod: p.Name, Container: c.Name, Previous: c.State.Running != nil && ended}, true
			case c.State.Waiting != nil && ended:
				return status.LogRef{Namespace: p.Namespace, Pod: p.Name, Container: c.Name, Previous: true}, true
			}
		}
	}
	return status.LogRef{}, false
}
