package triage

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/internal/finding"
)

// jobCondition that is True; nil where it is not.
func jobCondition(j *batchv1.Job, kind batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range j.Status.Conditions {
		if c := &j.Status.Conditions[i]; c.Type == kind && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}

func jobOver(j *batchv1.Job) bool {
	return jobCondition(j, batchv1.JobFailed) != nil || jobCondition(j, batchv1.JobComplete) != nil
}

// jobFailed says whether that a pod ended badly is trouble still: its Job failed for good, and
// no later run of the same CronJob completed. A pod that nobody runs anew speaks for itself.
func (w *world) jobFailed(p *pod) bool {
	c := metav1.GetControllerOf(p.Pod)
	if c == nil {
		return w.since(p.ended()) < 24*time.Hour
	}
	if c.Kind != "Job" {
		return false
	}
	j, read := w.owners[finding.Object{Group: jobKind.Group, Kind: jobKind.Kind, Namespace: p.Namespace, Name: c.Name}].(*batchv1.Job)
	return read && w.counts(j)
}

// counts says that a Job failed and nothing has made up for it.
func (w *world) counts(j *batchv1.Job) bool {
	if jobCondition(j, batchv1.JobFailed) == nil || j.DeletionTimestamp != nil {
		return false
	}
	c := metav1.GetControllerOf(j)
	if c == nil || c.Kind != "CronJob" {
		return true
	}
	last := w.lastRun(j.Namespace, c.Name)
	return last == j
}

// lastRun of a CronJob that is over, nil where there is none.
func (w *world) lastRun(namespace, cronJob string) *batchv1.Job {
	if w.lastRuns == nil {
		w.lastRuns = map[finding.Object]*batchv1.Job{}
		for _, j := range w.jobs {
			c := metav1.GetControllerOf(j)
			if c == nil || c.Kind != cronJobKind.Kind || !jobOver(j) {
				continue
			}
			of := finding.Object{Group: cronJobKind.Group, Kind: cronJobKind.Kind, Namespace: j.Namespace, Name: c.Name}
			if last := w.lastRuns[of]; last == nil || later(j, last) {
				w.lastRuns[of] = j
			}
		}
	}
	return w.lastRuns[finding.Object{Group: cronJobKind.Group, Kind: cronJobKind.Kind, Namespace: namespace, Name: cronJob}]
}

func later(a, b *batchv1.Job) bool {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name)) > 0
}

// jobs that failed: DM129.
func jobs(w *world) (all []found) {
	for _, j := range w.jobs {
		if !w.counts(j) {
			continue
		}
		failed, ref := jobCondition(j, batchv1.JobFailed), refOf(jobKind, j)
		top := w.topOwner(ref, j)
		f := found{id: "DM129", object: top, args: map[string]string{"job": j.Name}, after: []cause{{top, nil}},
			message:  fmt.Sprintf("job %s failed: %s", j.Name, said(failed.Reason+": "+failed.Message)),
			evidence: []finding.Evidence{{Object: ref, Field: "status.conditions[Failed]", Value: said(failed.Reason + ": " + failed.Message), Time: failed.LastTransitionTime.Time}}}
		if top != ref {
			f.message = fmt.Sprintf("the last run of %s failed: %s", words(top), said(failed.Reason+": "+failed.Message))
		}
		all = append(all, f)
	}
	return all
}

// drags says that the run under way is one for long: a run that takes a little more than the
// schedule leaves is left out each second time, and that is what was asked for.
func (w *world) drags(c *batchv1.CronJob) bool {
	ref := finding.Object{Group: jobKind.Group, Kind: jobKind.Kind, Namespace: c.Namespace, Name: c.Status.Active[0].Name}
	j, read := w.owners[ref].(*batchv1.Job)
	return !read || j.Status.StartTime == nil || w.since(j.Status.StartTime.Time) >= 3*slow
}

// cronJobs that cannot run: DM130, and those whose run never ends: DM131. A suspended one is
// as it should be.
func cronJobs(w *world) (all []found) {
	for _, c := range w.cronJobs {
		if ptr.Deref(c.Spec.Suspend, false) || c.DeletionTimestamp != nil {
			continue
		}
		ref := refOf(cronJobKind, c)
		e, ok := w.lately(ref, string(c.UID), func(e event) bool {
			return slices.Contains([]string{"UnknownTimeZone", "UnparseableSchedule", "UnParseableCronJobSchedule", "InvalidSchedule"}, e.reason)
		})
		if ok {
			all = append(all, found{id: "DM130", object: ref, message: fmt.Sprintf("%s cannot be run: %s", words(ref), said(e.message)), evidence: []finding.Evidence{e.evidence()}})
			continue
		}
		e, ok = w.lately(ref, string(c.UID), because("JobAlreadyActive"))
		if ok && len(c.Status.Active) > 0 && w.drags(c) {
			name := c.Status.Active[0].Name
			all = append(all, found{id: "DM131", object: ref, args: map[string]string{"job": name}, after: []cause{{ref, nil}},
				message:  fmt.Sprintf("%s does not run, since its run %s has not ended and runs may not overlap", words(ref), name),
				evidence: []finding.Evidence{e.evidence(), {Object: ref, Field: "spec.concurrencyPolicy", Value: string(c.Spec.ConcurrencyPolicy)}}})
			continue
		}
		if e, ok := w.lately(ref, string(c.UID), func(e event) bool { return e.reason == "TooManyMissedTimes" || e.reason == "FailedCreate" }); ok {
			all = append(all, found{id: "DM150", object: ref, message: fmt.Sprintf("no runs of %s are made: %s", words(ref), said(e.message)), evidence: []finding.Evidence{e.evidence()}})
		}
	}
	return all
}
