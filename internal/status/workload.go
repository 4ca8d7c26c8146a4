package status

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/history"
	"demarc.dev/demarc/internal/snapshot"
)

// workload is one object that makes pods, whatever its kind.
type workload struct {
	ref    finding.Object
	object snapshot.Object
	pods   corev1.PodTemplateSpec
	// asked for, there, of the latest template, ready, and ready for long enough.
	asked, there, updated, ready, available int32
	// observed says that its controller has seen its latest spec.
	observed, paused bool
	// stuck is what it says where it gave its rollout up, refused what the API server says of
	// pods that it does not take.
	stuck, refused string
	// revision of the template that it rolls out.
	revision string
	// ends is a Job, or a CronJob with what its schedule says.
	ends     bool
	schedule string
	// completed and failed are a Job's.
	completed bool
	failed    string
}

func workloadOf(o snapshot.Object) *workload {
	kind := o.GroupVersionKind().GroupKind()
	w := &workload{object: o, ref: finding.Object{Group: kind.Group, Kind: kind.Kind, Namespace: o.GetNamespace(), Name: o.GetName()}}
	switch kind {
	case deploymentKind:
		return w.deployment(one[appsv1.Deployment](o))
	case statefulSetKind:
		return w.statefulSet(one[appsv1.StatefulSet](o))
	case daemonSetKind:
		return w.daemonSet(one[appsv1.DaemonSet](o))
	case jobKind:
		return w.job(one[batchv1.Job](o))
	case cronJobKind:
		return w.cronJob(one[batchv1.CronJob](o))
	}
	return nil
}

func (w *workload) deployment(d *appsv1.Deployment) *workload {
	if d == nil {
		return nil
	}
	n := d.Status
	w.pods, w.paused, w.revision = d.Spec.Template, d.Spec.Paused, d.Annotations[history.RevisionAnnotation]
	w.asked, w.there, w.updated, w.ready, w.available = ptr.Deref(d.Spec.Replicas, 1), n.Replicas, n.UpdatedReplicas, n.ReadyReplicas, n.AvailableReplicas
	w.observed = n.ObservedGeneration >= d.Generation
	for _, c := range n.Conditions {
		switch {
		case c.Type == appsv1.DeploymentProgressing && c.Reason == "ProgressDeadlineExceeded":
			w.stuck = fmt.Sprintf("it made no progress within %ds", ptr.Deref(d.Spec.ProgressDeadlineSeconds, 600))
		case c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue:
			w.refused = c.Message
		}
	}
	return w
}

func (w *workload) statefulSet(s *appsv1.StatefulSet) *workload {
	if s == nil {
		return nil
	}
	n := s.Status
	w.pods, w.revision = s.Spec.Template, n.UpdateRevision
	w.asked, w.there, w.updated, w.ready, w.available = ptr.Deref(s.Spec.Replicas, 1), n.Replicas, n.UpdatedReplicas, n.ReadyReplicas, n.AvailableReplicas
	w.observed = n.ObservedGeneration >= s.Generation
	if n.CurrentRevision == n.UpdateRevision {
		w.updated = n.Replicas // nothing is left to update
	}
	return w
}

func (w *workload) daemonSet(d *appsv1.DaemonSet) *workload {
	if d == nil {
		return nil
	}
	n := d.Status
	w.pods = d.Spec.Template
	w.asked, w.there, w.updated, w.ready, w.available = n.DesiredNumberScheduled, n.CurrentNumberScheduled, n.UpdatedNumberScheduled, n.NumberReady, n.NumberAvailable
	w.observed = n.ObservedGeneration >= d.Generation
	return w
}

func (w *workload) job(j *batchv1.Job) *workload {
	if j == nil {
		return nil
	}
	w.pods, w.ends, w.observed, w.paused = j.Spec.Template, true, true, ptr.Deref(j.Spec.Suspend, false)
	w.asked, w.there, w.ready = ptr.Deref(j.Spec.Parallelism, 1), j.Status.Active, ptr.Deref(j.Status.Ready, 0)
	for _, c := range j.Status.Conditions {
		switch {
		case c.Status != corev1.ConditionTrue:
		case c.Type == batchv1.JobComplete:
			w.completed = true
		case c.Type == batchv1.JobFailed:
			w.failed = c.Reason
			if c.Message != "" {
				w.failed += ": " + c.Message
			}
		}
	}
	return w
}

func (w *workload) cronJob(c *batchv1.CronJob) *workload {
	if c == nil {
		return nil
	}
	w.pods, w.ends, w.observed, w.paused = c.Spec.JobTemplate.Spec.Template, true, true, ptr.Deref(c.Spec.Suspend, false)
	w.schedule = "by schedule " + c.Spec.Schedule
	w.there = int32(min(len(c.Status.Active), 1000))
	if at := c.Status.LastScheduleTime; at != nil {
		w.schedule += ", last " + stamp(*at)
	}
	return w
}

func stamp(t metav1.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// rolled says that all that was asked for is there, of the latest template, and nothing else.
func (w *workload) rolled() bool {
	return w.observed && !w.paused && w.updated >= w.asked && w.there == w.updated && w.available >= w.asked
}
