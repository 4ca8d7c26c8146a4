package triage

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finding"
)

// container is one container with its status.
type container struct {
	*pod
	spec   *corev1.Container
	status *corev1.ContainerStatus
	// path of the status in the pod.
	path string
	// init containers run before the others, sidecars beside them.
	init bool
}

// containerRules are asked in order of each container; the first that fits is its cause.
var containerRules = []func(*world, container) *found{
	image, unmade, neverStarts, hookFails, outOfMemory, probeKills, ended, initHangs,
}

func containers(w *world, p *pod) (all []found, taken bool) {
	for _, c := range p.containers() {
		for _, rule := range containerRules {
			if f := rule(w, c); f != nil {
				all = append(all, *f)
				break
			}
		}
	}
	return all, len(all) > 0
}

func (p *pod) containers() (list []container) {
	for _, group := range []struct {
		specs    []corev1.Container
		statuses []corev1.ContainerStatus
		path     string
	}{{p.Spec.InitContainers, p.Status.InitContainerStatuses, "initContainerStatuses"}, {p.Spec.Containers, p.Status.ContainerStatuses, "containerStatuses"}} {
		for i := range group.statuses {
			s := &group.statuses[i]
			at := slices.IndexFunc(group.specs, func(c corev1.Container) bool { return c.Name == s.Name })
			if at < 0 {
				continue
			}
			spec := &group.specs[at]
			sidecar := spec.RestartPolicy != nil && *spec.RestartPolicy == corev1.ContainerRestartPolicyAlways
			list = append(list, container{p, spec, s, fmt.Sprintf("status.%s[%s]", group.path, s.Name), group.path == "initContainerStatuses" && !sidecar})
		}
	}
	return list
}

// of makes a finding about a container.
func (c container) of(id, message string, evidence ...finding.Evidence) *found {
	f := c.pod.of(id, message, evidence...)
	f.part, f.args["container"] = c.spec.Name, c.spec.Name
	if c.status.State.Terminated != nil {
		f.args["ended"] = "yes"
	}
	return &f
}

func (c container) words() string {
	return fmt.Sprintf("container %s of %s", c.spec.Name, words(c.top))
}

// waits are reason and message of a container that does not run.
func (c container) waits() (reason, message string) {
	if c.status.State.Waiting == nil {
		return "", ""
	}
	return c.status.State.Waiting.Reason, c.status.State.Waiting.Message
}

func (c container) waiting() finding.Evidence {
	reason, message := c.waits()
	return c.seen(c.path+".state.waiting", reason+": "+message, time.Time{})
}

// end is how it ended last, nil where it never did.
func (c container) end() *corev1.ContainerStateTerminated {
	if t := c.status.State.Terminated; t != nil {
		return t
	}
	return c.status.LastTerminationState.Terminated
}

func (c container) ending() finding.Evidence {
	t, field := c.end(), ".lastState.terminated"
	if c.status.State.Terminated != nil {
		field = ".state.terminated"
	}
	value := fmt.Sprintf("exit code %d, %s, %s", t.ExitCode, t.Reason, many(c.status.RestartCount, "restart"))
	if t.Message != "" {
		value += ": " + t.Message
	}
	return c.seen(c.path+field, value, t.FinishedAt.Time)
}

// loops says that it ends again and again, now: between two ends it runs for a while.
func (c container) loops(w *world) bool {
	reason, _ := c.waits()
	t := c.end()
	switch {
	case t == nil:
		return false
	case reason == "CrashLoopBackOff", reason == "RunContainerError":
		return true
	case c.status.State.Terminated != nil:
		return c.again(t) && c.status.RestartCount > 0
	case c.status.State.Running != nil:
		return c.status.RestartCount >= 3 && w.since(c.status.State.Running.StartedAt.Time) < slow && w.since(t.FinishedAt.Time) < slow
	default:
		return false
	}
}

// again says that the kubelet starts it anew after such an end.
func (c container) again(t *corev1.ContainerStateTerminated) bool {
	switch {
	case c.init:
		return t.ExitCode != 0 && c.Spec.RestartPolicy != corev1.RestartPolicyNever
	case c.Spec.RestartPolicy == corev1.RestartPolicyNever:
		return false
	case c.Spec.RestartPolicy == corev1.RestartPolicyOnFailure:
		return t.ExitCode != 0
	default:
		return true
	}
}

// failedForGood says that a pod that is not run anew ended badly; whether that is trouble its
// Job knows.
func (c container) failedForGood(w *world) bool {
	t := c.status.State.Terminated
	return t != nil && t.ExitCode != 0 && c.Status.Phase == corev1.PodFailed && w.jobFailed(c.pod)
}

// DM123: an init container that runs on keeps all others from starting.
func initHangs(w *world, c container) *found {
	if !c.init || c.status.State.Running == nil || w.since(c.status.State.Running.StartedAt.Time) < slow {
		return nil
	}
	started := c.status.State.Running.StartedAt.Time
	return c.of("DM123", fmt.Sprintf("init %s runs and does not end, so that the others do not start", c.words()),
		c.seen(c.path+".state.running", "for "+ago(w.since(started)), started))
}

// limitOf is the memory limit of a container, empty where it has none.
func (c container) limitOf() string {
	if q, ok := c.spec.Resources.Limits[corev1.ResourceMemory]; ok {
		return q.String()
	}
	if r := c.status.Resources; r != nil {
		if q, ok := r.Limits[corev1.ResourceMemory]; ok {
			return q.String()
		}
	}
	if r := c.Spec.Resources; r != nil {
		if q, ok := r.Limits[corev1.ResourceMemory]; ok {
			return q.String() + " of the whole pod"
		}
	}
	return ""
}
