package triage

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finding"
)

// DM101 and DM102: killed for memory; by its own limit, or because the node ran out.
func outOfMemory(w *world, c container) *found {
	t := c.end()
	if t == nil || w.since(t.FinishedAt.Time) > 24*time.Hour && !c.loops(w) {
		return nil
	}
	oom, limit := w.systemOOM(c.pod, t.FinishedAt.Time), c.limitOf()
	if t.Reason != "OOMKilled" && (t.ExitCode != 137 || oom == nil) {
		return nil
	}
	if c.Spec.RestartPolicy == corev1.RestartPolicyNever && !c.failedForGood(w) {
		return nil
	}
	if limit != "" && oom == nil {
		f := c.of("DM101", fmt.Sprintf("%s used more memory than its limit of %s and was killed", c.words(), limit),
			c.ending(), c.seen("spec.containers["+c.spec.Name+"].resources.limits.memory", limit, time.Time{}))
		return w.graver(c, f)
	}
	f := c.of("DM102", fmt.Sprintf("%s was killed for memory on node %s, and has no limit of its own", c.words(), c.Spec.NodeName), c.ending())
	f.after = []cause{{c.node(), []string{"DM503", "DM516"}}}
	if oom != nil {
		f.message = fmt.Sprintf("%s was killed when node %s ran out of memory", c.words(), c.Spec.NodeName)
		f.evidence = append(f.evidence, oom.evidence())
	}
	if _, asked := c.spec.Resources.Requests[corev1.ResourceMemory]; !asked {
		f.message += "; it asks for no memory, so it goes first"
		f.domains, f.after = []string{"cpu-memory-requests"}, nil
		f.evidence = append(f.evidence, c.seen("spec.containers["+c.spec.Name+"].resources.requests.memory", "not set", time.Time{}))
	}
	return w.graver(c, f)
}

// systemOOM is the kernel's word, told by the kubelet, that the node itself ran out then.
func (w *world) systemOOM(p *pod, at time.Time) *event {
	for _, e := range w.events[p.node()] {
		if d := e.at.Sub(at); e.reason == "SystemOOM" && d < 5*time.Minute && d > -5*time.Minute {
			return &e
		}
	}
	return nil
}

// graver makes an error of what keeps on, or keeps a Job from completing.
func (w *world) graver(c container, f *found) *found {
	f.severity = finding.Warning
	if c.loops(w) || c.failedForGood(w) {
		f.severity = finding.Error
	}
	return f
}

// DM120 and DM121: the kubelet kills what fails its liveness or startup probe.
func probeKills(w *world, c container) *found {
	if c.status.RestartCount == 0 {
		return nil
	}
	kills := func(probe string) (event, bool) {
		return w.lately(c.ref, string(c.UID), because("Killing", fmt.Sprintf("Container %s failed %s probe", c.spec.Name, probe)))
	}
	for _, k := range []struct{ id, probe, word string }{{"DM121", "startup", "Startup"}, {"DM120", "liveness", "Liveness"}} {
		e, killed := kills(k.probe)
		if !killed || w.since(e.at) > past/2 && !c.loops(w) {
			continue
		}
		f := c.of(k.id, fmt.Sprintf("%s fails its %s probe and is killed for it", c.words(), k.probe), e.evidence())
		if c.end() != nil {
			f.evidence = append(f.evidence, c.ending())
		}
		if why, ok := w.lately(c.ref, string(c.UID), because("Unhealthy", k.word+" probe")); ok {
			f.message += outcome(why.message)
			f.evidence = append(f.evidence, why.evidence())
		}
		return w.graver(c, f)
	}
	return nil
}

// DM103 to DM107: how it ended says what is wrong, where it ends again and again.
func ended(w *world, c container) *found {
	t := c.end()
	if t == nil || !c.loops(w) && !c.failedForGood(w) || t.Reason == "ContainerStatusUnknown" { // the node went under it
		return nil
	}
	var f *found
	switch {
	case t.Reason == "StartError", t.Reason == "ContainerCannotRun", t.ExitCode == 126, t.ExitCode == 127:
		f = c.of("DM104", fmt.Sprintf("%s cannot be started: %s", c.words(), cannot(t)), c.ending())
	case t.ExitCode == 0:
		f = c.of("DM107", fmt.Sprintf("%s ends well, and its workload is one that is to run on", c.words()), c.ending())
	case t.ExitCode == 132, t.ExitCode == 134, t.ExitCode == 135, t.ExitCode == 136, t.ExitCode == 139:
		f = c.of("DM105", fmt.Sprintf("%s crashes: %s (exit code %d)", c.words(), signals[t.ExitCode], t.ExitCode), c.ending())
	case t.ExitCode == 137, t.ExitCode == 143:
		f = c.of("DM106", fmt.Sprintf("%s is ended by a signal from outside (exit code %d), and not for its memory limit", c.words(), t.ExitCode), c.ending())
	default:
		f = c.of("DM103", fmt.Sprintf("%s ends with exit code %d", c.words(), t.ExitCode), c.ending())
		if has(t.Message, "no such host", "name resolution", "server misbehaving", "could not resolve host", "EAI_AGAIN") {
			f.after = w.addonsOf("DM214")
		}
	}
	return f
}

var signals = map[int32]string{132: "illegal instruction", 134: "it aborts", 135: "bus error", 136: "arithmetic error", 139: "segmentation fault"}

func cannot(t *corev1.ContainerStateTerminated) string {
	switch {
	case t.Message != "" && (t.Reason == "StartError" || t.Reason == "ContainerCannotRun"): // the runtime's words: it printed nothing
		return said(t.Message)
	case t.ExitCode == 127:
		return "command not found (exit code 127)"
	case t.ExitCode == 126:
		return "permission denied, or no program for this machine (exit code 126)"
	default:
		return fmt.Sprintf("%s, exit code %d", t.Reason, t.ExitCode)
	}
}

// DM104: the runtime could not even start it.
func neverStarts(_ *world, c container) *found {
	reason, message := c.waits()
	if reason != "RunContainerError" || c.end() != nil && message == "" {
		return nil
	}
	return c.of("DM104", fmt.Sprintf("%s cannot be started: %s", c.words(), said(message)), c.waiting())
}

// DM122: a hook that fails takes the container down with it.
func hookFails(w *world, c container) *found {
	reason, message := c.waits()
	if reason == "PostStartHookError" {
		return c.of("DM122", fmt.Sprintf("the postStart hook of %s fails%s", c.words(), outcome(message)), c.waiting())
	}
	if c.spec.Lifecycle == nil || c.spec.Lifecycle.PostStart == nil || !c.loops(w) {
		return nil
	}
	e, failed := w.lately(c.ref, string(c.UID), because("FailedPostStartHook"))
	if !failed {
		return nil
	}
	return c.of("DM122", fmt.Sprintf("the postStart hook of %s fails%s", c.words(), outcome(e.message)), e.evidence(), c.ending())
}
