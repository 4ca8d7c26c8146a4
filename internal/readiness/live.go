package readiness

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Live is the object that a claim with an image runs as. One of them is there, or none.
type Live struct {
	Deployment  *appsv1.Deployment
	StatefulSet *appsv1.StatefulSet
	// Job that the Application tracks.
	Job     *batchv1.Job
	CronJob *batchv1.CronJob
	// Runs are the Jobs that the CronJob made.
	Runs []batchv1.Job
}

// template of the pods; nil where there is none.
func (l Live) template() *corev1.PodTemplateSpec {
	switch {
	case l.Deployment != nil:
		return &l.Deployment.Spec.Template
	case l.StatefulSet != nil:
		return &l.StatefulSet.Spec.Template
	case l.Job != nil:
		return &l.Job.Spec.Template
	case l.CronJob != nil:
		return &l.CronJob.Spec.JobTemplate.Spec.Template
	default:
		return nil
	}
}

// numbers are the numbers of what runs all the time.
type numbers struct {
	// observed says that its controller has seen its latest spec.
	observed bool
	// asked for by the object itself, there, of the latest template, and available.
	asked, there, updated, available int32
}

func (l Live) count() numbers {
	switch {
	case l.Deployment != nil:
		d := l.Deployment
		return numbers{d.Status.ObservedGeneration >= d.Generation,
			ptr.Deref(d.Spec.Replicas, 1), d.Status.Replicas, d.Status.UpdatedReplicas, d.Status.AvailableReplicas}
	case l.StatefulSet != nil:
		s := l.StatefulSet
		n := numbers{s.Status.ObservedGeneration >= s.Generation,
			ptr.Deref(s.Spec.Replicas, 1), s.Status.Replicas, s.Status.UpdatedReplicas, s.Status.AvailableReplicas}
		// As long as they differ old pods may be left, whatever the numbers say.
		n.observed = n.observed && s.Status.CurrentRevision == s.Status.UpdateRevision
		return n
	default:
		return numbers{}
	}
}
