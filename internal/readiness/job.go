package readiness

import (
	"cmp"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// completes are the checks of a claim that runs once.
func (c Claim) completes() []check {
	return []check{c.imageAsked, c.jobFailed, c.jobPaused, c.podTrouble, c.notYet, c.ran, c.healthy}
}

func (c Claim) completed() metav1.Condition {
	return yes(WorkloadReady, "Completed", c.Claim.Spec.Image+" ran once and completed")
}

// A Job that failed stays as it is, and so does the claim.
func (c Claim) jobFailed(metav1.Condition) *metav1.Condition {
	if failed := jobCondition(c.Live.Job, batchv1.JobFailed); failed != nil {
		return because(no(WorkloadReady, "JobFailed", fmt.Sprintf("job %s failed: %s", c.Live.Job.Name, failure(failed))))
	}
	return nil
}

func failure(failed *batchv1.JobCondition) string {
	if failed.Message == "" {
		return failed.Reason
	}
	return failed.Reason + ": " + failed.Message
}

func (c Claim) jobPaused(metav1.Condition) *metav1.Condition {
	if ptr.Deref(c.Live.Job.Spec.Suspend, false) {
		return because(no(WorkloadReady, "Suspended", "the Job is suspended"))
	}
	return nil
}

// Until it has completed it is not what was asked for.
func (c Claim) notYet(metav1.Condition) *metav1.Condition {
	if jobCondition(c.Live.Job, batchv1.JobComplete) != nil {
		return nil
	}
	words := c.waitsFor()
	if len(c.Pods) == 0 {
		words += "; if no pod appears, kubectl describe job " + c.Live.Job.Name + " says what refuses it"
	}
	return because(no(WorkloadReady, "JobRunning", words))
}

// What ran is what the pods say, as long as they are there.
func (c Claim) ran(metav1.Condition) *metav1.Condition {
	for i := range c.Pods {
		p := &c.Pods[i]
		if live := mainImage(p.Spec, c.Claim.Name); p.Status.Phase == corev1.PodSucceeded && live != c.Claim.Spec.Image {
			return because(no(WorkloadReady, "ImageMismatch", fmt.Sprintf("pod %s ran %s and the claim asks for %s", p.Name, live, c.Claim.Spec.Image)))
		}
	}
	return nil
}

// repeats are the checks of a claim that runs by a schedule.
func (c Claim) repeats() []check {
	return []check{c.imageAsked, c.stopped, c.podTrouble, c.lastRun, c.healthy}
}

// scheduled is what was asked for: that the next run is due by the schedule. What it
// says of the last run is not its time, which is new at each run.
func (c Claim) scheduled() metav1.Condition {
	words := fmt.Sprintf("%s runs by the schedule %q", c.Claim.Spec.Image, c.Live.CronJob.Spec.Schedule)
	if c.Claim.Spec.Job != nil && c.Claim.Spec.Job.Suspend {
		return yes(WorkloadReady, "ScheduleSuspended", words+", and no run is made as long as it is suspended, as asked")
	}
	if c.latest() != nil || c.Live.CronJob.Status.LastSuccessfulTime != nil {
		return yes(WorkloadReady, "Scheduled", words+"; the last run that ended completed")
	}
	return yes(WorkloadReady, "Scheduled", words+"; none has ended yet")
}

// A CronJob that was suspended past the claim makes no runs.
func (c Claim) stopped(metav1.Condition) *metav1.Condition {
	asked := c.Claim.Spec.Job != nil && c.Claim.Spec.Job.Suspend
	if !asked && ptr.Deref(c.Live.CronJob.Spec.Suspend, false) {
		return because(no(WorkloadReady, "Suspended", "the CronJob is suspended, and the claim does not ask for it"))
	}
	return nil
}

// One run that failed is told of until another one completes.
func (c Claim) lastRun(metav1.Condition) *metav1.Condition {
	last := c.latest()
	if last == nil {
		return nil
	}
	if failed := jobCondition(last, batchv1.JobFailed); failed != nil {
		return because(no(WorkloadReady, "LastRunFailed", fmt.Sprintf("the last run, job %s, failed: %s", last.Name, failure(failed))))
	}
	return nil
}

// latest is the last run of this image that ended, nil where none has. One that runs says
// nothing yet.
func (c Claim) latest() *batchv1.Job {
	runs := slices.DeleteFunc(slices.Clone(c.Live.Runs), func(j batchv1.Job) bool {
		over := jobCondition(&j, batchv1.JobFailed) != nil || jobCondition(&j, batchv1.JobComplete) != nil
		return !over || mainImage(j.Spec.Template.Spec, c.Claim.Name) != c.Claim.Spec.Image
	})
	if len(runs) == 0 {
		return nil
	}
	last := slices.MaxFunc(runs, func(a, b batchv1.Job) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return &last
}

// jobCondition that is True; nil where it is not.
func jobCondition(j *batchv1.Job, kind batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range j.Status.Conditions {
		if c := &j.Status.Conditions[i]; c.Type == kind && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}
