package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/test/findings/incident"
)

// kubelet writes the status of pods as a kubelet does; kwok has placed and started them.
func (s *Scene) kubelet(ctx context.Context, k incident.Kubelet) error {
	var pods []*corev1.Pod
	err := eventually(ctx, func() (err error) {
		pods, err = s.running(ctx, k)
		return err
	})
	if err != nil {
		return err
	}
	for _, p := range pods {
		before := p.DeepCopy()
		s.write(p, k)
		if err := s.on.Client.Status().Patch(ctx, p, client.MergeFrom(before), who); err != nil {
			return fmt.Errorf("status of pod %s: %w", p.Name, err)
		}
	}
	return nil
}

// running are the pods that are meant, when the node's part has begun in all of them.
func (s *Scene) running(ctx context.Context, k incident.Kubelet) ([]*corev1.Pod, error) {
	list, err := s.lookUp(ctx, "pods?"+k.Pods)
	if err != nil {
		return nil, err
	}
	var pods []*corev1.Pod
	for _, o := range list {
		p := &corev1.Pod{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, p); err != nil {
			return nil, err
		}
		if p.DeletionTimestamp != nil || k.Node != "" && p.Spec.NodeName != k.Node {
			continue
		}
		if p.Status.StartTime == nil {
			return nil, fmt.Errorf("pod %s has not begun", p.Name)
		}
		pods = append(pods, p)
	}
	if len(pods) == 0 {
		return nil, errors.New("there are no pods " + k.Pods)
	}
	if k.One {
		pods = pods[:1]
	}
	return pods, nil
}

func (s *Scene) write(p *corev1.Pod, k incident.Kubelet) {
	at := metav1.NewTime(time.Now())
	if k.Since.Duration > 0 {
		at = metav1.NewTime(s.Read.Add(-k.Since.Duration))
	}
	fill := func(text string) string {
		return s.fill(text, map[string]string{"name": p.Name, "uid": string(p.UID), "node": p.Spec.NodeName, "ip": p.Status.PodIP})
	}
	statuses := p.Status.ContainerStatuses
	if k.Init {
		statuses = p.Status.InitContainerStatuses
	}
	if k.Waiting != nil || k.Running != nil || k.Terminated != nil {
		for i := range statuses {
			if c := &statuses[i]; k.Container == "" || c.Name == k.Container {
				s.writeContainer(c, k, fill, p.CreationTimestamp)
			}
		}
	}
	p.Status.Phase = phase(p, k)
	p.Status.Reason, p.Status.Message = k.Reason, fill(k.Message)
	s.writeConditions(p, at)
	for _, c := range k.Conditions {
		put(p, corev1.PodCondition{Type: corev1.PodConditionType(c.Type), Status: corev1.ConditionStatus(c.Status), Reason: c.Reason, Message: fill(c.Message), LastTransitionTime: at})
	}
}

func (s *Scene) writeContainer(c *corev1.ContainerStatus, k incident.Kubelet, fill func(string) string, began metav1.Time) {
	c.State, c.LastTerminationState = s.state(k, fill, began), corev1.ContainerState{Terminated: s.ended(k.Last, fill, began)}
	c.RestartCount, c.Ready = int32(k.Restarts), k.Ready
	c.Started = ptr.To(k.Running != nil && !k.Init)
	c.ImageID = ""
	if k.Running != nil || k.Last != nil || k.Terminated != nil {
		c.ImageID = strings.TrimSuffix(c.Image, ":latest") + "@sha256:" + strings.Repeat("d0", 32)
	}
}

func (s *Scene) state(k incident.Kubelet, fill func(string) string, began metav1.Time) (state corev1.ContainerState) {
	switch {
	case k.Waiting != nil:
		state.Waiting = &corev1.ContainerStateWaiting{Reason: k.Waiting.Reason, Message: fill(k.Waiting.Message)}
	case k.Running != nil:
		state.Running = &corev1.ContainerStateRunning{StartedAt: s.moment(k.Running, began)}
	case k.Terminated != nil:
		state.Terminated = s.ended(k.Terminated, fill, began)
	}
	return state
}

func (s *Scene) ended(e *incident.State, fill func(string) string, began metav1.Time) *corev1.ContainerStateTerminated {
	if e == nil {
		return nil
	}
	return &corev1.ContainerStateTerminated{ExitCode: int32(e.ExitCode), Reason: e.Reason, Message: fill(e.Message), StartedAt: began, FinishedAt: s.moment(e, began)}
}

func (s *Scene) moment(e *incident.State, began metav1.Time) metav1.Time {
	if e.Ago.Duration == 0 {
		return began
	}
	return metav1.NewTime(s.Read.Add(-e.Ago.Duration))
}

// phase follows from the containers, as a kubelet reckons it.
func phase(p *corev1.Pod, k incident.Kubelet) corev1.PodPhase {
	if k.Phase != "" {
		return corev1.PodPhase(k.Phase)
	}
	for _, c := range p.Status.InitContainerStatuses {
		if c.State.Waiting != nil || c.State.Running != nil && !ptr.Deref(c.Started, false) || k.Init {
			return corev1.PodPending
		}
	}
	for _, c := range p.Status.ContainerStatuses {
		if c.State.Waiting != nil && c.LastTerminationState.Terminated == nil {
			return corev1.PodPending
		}
	}
	return corev1.PodRunning
}

func (s *Scene) writeConditions(p *corev1.Pod, at metav1.Time) {
	var unready []string
	for _, c := range p.Status.ContainerStatuses {
		if !c.Ready {
			unready = append(unready, c.Name)
		}
	}
	for _, kind := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		c := corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: at}
		switch {
		case p.Status.Phase == corev1.PodFailed:
			c.Status, c.Reason = corev1.ConditionFalse, "PodFailed"
		case p.Status.Phase == corev1.PodSucceeded:
			c.Status, c.Reason = corev1.ConditionFalse, "PodCompleted"
		case len(unready) > 0:
			c.Status, c.Reason, c.Message = corev1.ConditionFalse, "ContainersNotReady", "containers with unready status: ["+strings.Join(unready, " ")+"]"
		}
		put(p, c)
	}
}

func put(p *corev1.Pod, c corev1.PodCondition) {
	i := slices.IndexFunc(p.Status.Conditions, func(one corev1.PodCondition) bool { return one.Type == c.Type })
	switch {
	case i < 0:
		p.Status.Conditions = append(p.Status.Conditions, c)
	case p.Status.Conditions[i].Status == c.Status && p.Status.Conditions[i].Reason == c.Reason:
		c.LastTransitionTime = p.Status.Conditions[i].LastTransitionTime
		p.Status.Conditions[i] = c
	default:
		p.Status.Conditions[i] = c
	}
}
