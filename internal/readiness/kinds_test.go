package readiness

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/render"
)

// of is a claim of another kind that is as it should be.
func of(kind v1alpha1.ClaimKind) *Claim {
	c := running()
	c.Claim.Spec.Kind, c.Claim.Spec.Replicas = kind, nil
	c.Live, c.Pods = Live{}, nil
	template := corev1.PodTemplateSpec{Spec: podSpec(image)}
	switch kind {
	case v1alpha1.KindStateful:
		c.Claim.Spec.Replicas, c.Pods = ptr.To[int32](2), []corev1.Pod{pod(image), pod(image)}
		c.Live.StatefulSet = &appsv1.StatefulSet{
			Spec:   appsv1.StatefulSetSpec{Replicas: ptr.To[int32](2), Template: template},
			Status: appsv1.StatefulSetStatus{Replicas: 2, UpdatedReplicas: 2, AvailableReplicas: 2, CurrentRevision: "a", UpdateRevision: "a"},
		}
	case v1alpha1.KindJob:
		c.Live.Job = run("web-1", batchv1.JobComplete, 1)
	case v1alpha1.KindCronJob:
		c.Claim.Spec.Job = &v1alpha1.ClaimJob{Schedule: "@daily"}
		c.Live.CronJob = &batchv1.CronJob{Spec: batchv1.CronJobSpec{Schedule: "@daily"}}
		c.Live.CronJob.Spec.JobTemplate.Spec.Template = template
		c.Live.Runs = []batchv1.Job{*run("web-1", batchv1.JobFailed, 1), *run("web-2", batchv1.JobComplete, 2)}
	case v1alpha1.KindService, v1alpha1.KindWorker:
		panic("these are what running is")
	}
	c.deliver()
	return c
}

// deliver has Argo CD compare with what the claim asks for now.
func (c *Claim) deliver() {
	var err error
	c.Desired, err = render.Application(c.Claim, render.SettingsOf(&v1alpha1.Platform{Spec: v1alpha1.PlatformSpec{
		Chart: &v1alpha1.PlatformChart{RepoURL: "https://git.example/platform.git", TargetRevision: "v1"}}}))
	if err != nil {
		panic(err)
	}
	c.Application.Status.Sync.ComparedTo.Source = mustSource(c)
}

// run is a Job that began so many hours into a day, and ended in this way; an empty one
// has not ended.
func run(name string, end batchv1.JobConditionType, hour int) *batchv1.Job {
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.Date(2026, 11, 30, hour, 0, 0, 0, time.UTC)}}
	j.Spec.Template.Spec = podSpec(image)
	if end != "" {
		j.Status.Conditions = []batchv1.JobCondition{{Type: end, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", Message: "it failed too often"}}
	}
	return j
}

// Ready is proven by live objects for each kind of workload.
func TestKinds(t *testing.T) {
	const stateful, job, cron = v1alpha1.KindStateful, v1alpha1.KindJob, v1alpha1.KindCronJob
	for _, c := range []struct {
		kind   v1alpha1.ClaimKind
		name   string
		change func(*Claim)
		want   string // reason of Ready
		says   string // part of its message
		ready  bool
	}{
		{stateful, "as it should be", func(*Claim) {}, "Running", "2 replicas of " + image + " run, as asked", true},
		{stateful, "not there", func(c *Claim) { c.Live.StatefulSet = nil }, "Progressing", "waiting for 2", false},
		{stateful, "another image", func(c *Claim) { c.Live.StatefulSet.Spec.Template.Spec = podSpec("nginx:1") }, "ImageMismatch", "the StatefulSet asks for nginx:1", false},
		{stateful, "another image in a pod", func(c *Claim) { c.Pods[1].Spec = podSpec("nginx:1") }, "ImageMismatch", "runs nginx:1", false},
		{stateful, "a status of an older generation", func(c *Claim) { c.Live.StatefulSet.Generation = 2 }, "Progressing", "waiting for 2", false},
		{stateful, "old pods are left", func(c *Claim) { c.Live.StatefulSet.Status.UpdateRevision = "b" }, "Progressing", "waiting for 2", false},
		{stateful, "one is not available", func(c *Claim) { c.Live.StatefulSet.Status.AvailableReplicas = 1 }, "Progressing", "waiting for 2", false},
		{stateful, "scaled past the claim", func(c *Claim) { c.Live.StatefulSet.Spec.Replicas = ptr.To[int32](3) }, "Progressing", "", false},
		{stateful, "no pod appears", func(c *Claim) { c.Live.StatefulSet.Status, c.Pods = appsv1.StatefulSetStatus{}, nil }, "Progressing", "kubectl describe statefulset web", false},
		{stateful, "a budget that is used up", func(c *Claim) {
			c.Live.StatefulSet.Status.Replicas, c.Live.StatefulSet.Status.UpdatedReplicas = 1, 1
			c.Quota = &corev1.ResourceQuota{Status: corev1.ResourceQuotaStatus{
				Hard: corev1.ResourceList{"pods": resource.MustParse("1")}, Used: corev1.ResourceList{"pods": resource.MustParse("1")}}}
		}, "QuotaExceeded", "free 1 of pods", false},
		{stateful, "a volume that is not bound", func(c *Claim) {
			c.Pods[0].Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "pod has unbound immediate PersistentVolumeClaims"}}
		}, "Unschedulable", "unbound immediate PersistentVolumeClaims", false},
		{stateful, "stopped, as asked", func(c *Claim) {
			c.Claim.Spec.Replicas, c.Live.StatefulSet.Spec.Replicas, c.Pods = ptr.To[int32](0), ptr.To[int32](0), nil
			c.Live.StatefulSet.Status = appsv1.StatefulSetStatus{CurrentRevision: "a", UpdateRevision: "a"}
			c.deliver()
		}, "ScaledToZero", "", true},

		{job, "as it should be", func(*Claim) {}, "Completed", image + " ran once and completed", true},
		{job, "not there", func(c *Claim) { c.Live.Job = nil }, "Progressing", "to complete", false},
		{job, "it runs", func(c *Claim) { c.Live.Job, c.Pods = run("web-1", "", 1), []corev1.Pod{pod(image)} }, "JobRunning", "waiting for " + image + " to complete", false},
		{job, "no pod appears", func(c *Claim) { c.Live.Job = run("web-1", "", 1) }, "JobRunning", "kubectl describe job web-1", false},
		{job, "it failed", func(c *Claim) { c.Live.Job = run("web-1", batchv1.JobFailed, 1) }, "JobFailed", "BackoffLimitExceeded: it failed too often", false},
		{job, "suspended", func(c *Claim) {
			c.Live.Job = run("web-1", "", 1)
			c.Live.Job.Spec.Suspend = ptr.To(true)
		}, "Suspended", "the Job is suspended", false},
		{job, "another image", func(c *Claim) { c.Live.Job.Spec.Template.Spec = podSpec("nginx:1") }, "ImageMismatch", "the Job asks for nginx:1", false},
		{job, "another image ran", func(c *Claim) {
			p := pod("nginx:1")
			p.Status.Phase = corev1.PodSucceeded
			c.Pods = []corev1.Pod{p}
		}, "ImageMismatch", "ran nginx:1", false},
		{job, "an image that cannot be pulled", func(c *Claim) {
			c.Live.Job, c.Pods = run("web-1", "", 1), []corev1.Pod{waiting("ErrImagePull", "not found")}
		}, "ImagePullFailed", "not found", false},
		{job, "something else that is degraded", func(c *Claim) { c.Application.Status.Health.Status = "Degraded" }, "Degraded", "", false},
		{job, "a change that is not delivered yet", func(c *Claim) {
			c.Claim.Spec.Image = "nginx:2"
			c.Desired, _ = render.Application(c.Claim, render.SettingsOf(&v1alpha1.Platform{Spec: v1alpha1.PlatformSpec{Chart: &v1alpha1.PlatformChart{}}}))
		}, "WaitingForArgoCD", "", false},

		{cron, "as it should be", func(*Claim) {}, "Scheduled", `by the schedule "@daily"; the last run that ended completed`, true},
		{cron, "not there", func(c *Claim) { c.Live.CronJob = nil }, "Progressing", "waiting for the CronJob", false},
		{cron, "no run yet", func(c *Claim) { c.Live.Runs = nil }, "Scheduled", "none has ended yet", true},
		{cron, "its runs are no longer kept", func(c *Claim) {
			c.Live.Runs, c.Live.CronJob.Status.LastSuccessfulTime = nil, &metav1.Time{}
		}, "Scheduled", "the last run that ended completed", true},
		{cron, "the last run failed", func(c *Claim) { c.Live.Runs = append(c.Live.Runs, *run("web-3", batchv1.JobFailed, 3)) }, "LastRunFailed", "job web-3, failed", false},
		{cron, "a run after one that failed", func(c *Claim) {
			c.Live.Runs = append(c.Live.Runs, *run("web-3", batchv1.JobFailed, 3), *run("web-4", "", 4))
		}, "LastRunFailed", "job web-3, failed", false},
		{cron, "a run after one that completed", func(c *Claim) { c.Live.Runs = append(c.Live.Runs, *run("web-3", "", 3)) }, "Scheduled", "", true},
		{cron, "what failed was another image", func(c *Claim) {
			failed := run("web-3", batchv1.JobFailed, 3)
			failed.Spec.Template.Spec = podSpec("nginx:1")
			c.Live.Runs = append(c.Live.Runs, *failed)
		}, "Scheduled", "", true},
		{cron, "a run whose image cannot be pulled", func(c *Claim) { c.Pods = []corev1.Pod{waiting("ImagePullBackOff", "not found")} }, "ImagePullFailed", "not found", false},
		{cron, "another image", func(c *Claim) { c.Live.CronJob.Spec.JobTemplate.Spec.Template.Spec = podSpec("nginx:1") }, "ImageMismatch", "the CronJob asks for nginx:1", false},
		{cron, "suspended past the claim", func(c *Claim) { c.Live.CronJob.Spec.Suspend = ptr.To(true) }, "Suspended", "does not ask for it", false},
		{cron, "suspended, as asked", func(c *Claim) {
			c.Claim.Spec.Job.Suspend, c.Live.CronJob.Spec.Suspend = true, ptr.To(true)
			c.deliver()
		}, "ScheduleSuspended", "as asked", true},
	} {
		t.Run(string(c.kind)+"/"+c.name, func(t *testing.T) {
			in := of(c.kind)
			c.change(in)
			out := in.Decide()
			ready := meta.FindStatusCondition(out.Conditions, Ready)
			if ready.Reason != c.want || !strings.Contains(ready.Message, c.says) || (ready.Status == metav1.ConditionTrue) != c.ready {
				t.Fatalf("Ready is %s, %s (%s)\nwant %s with %q", ready.Status, ready.Reason, ready.Message, c.want, c.says)
			}
			coherent(t, out.Conditions)
		})
	}
}

// With an autoscaler the number is its own, between the bounds; while it adds replicas
// the claim stays Ready.
func TestAutoscaling(t *testing.T) {
	for _, c := range []struct {
		name                    string
		asked, there, available int32
		want                    string
	}{
		{"at the least", 2, 2, 2, "Running"},
		{"in between", 4, 4, 4, "Running"},
		{"at the most", 5, 5, 5, "Running"},
		{"adding some", 5, 5, 3, "Running"},
		{"fewer than the least are available", 4, 4, 1, "Progressing"},
		{"below the least", 1, 1, 1, "Progressing"},
		{"above the most", 6, 6, 6, "Progressing"},
		{"an old pod is left", 2, 3, 2, "Progressing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := running()
			in.Claim.Spec.Replicas, in.Claim.Spec.Autoscaling = nil, &v1alpha1.ClaimAutoscaling{Min: ptr.To[int32](2), Max: 5}
			in.deliver()
			in.Live.Deployment.Spec.Replicas = &c.asked
			in.Live.Deployment.Status = appsv1.DeploymentStatus{Replicas: c.there, UpdatedReplicas: c.asked, AvailableReplicas: c.available}
			ready := meta.FindStatusCondition(in.Decide().Conditions, Ready)
			if ready.Reason != c.want {
				t.Errorf("%s (%s), want %s", ready.Reason, ready.Message, c.want)
			}
			if c.want == "Running" && !strings.Contains(ready.Message, "2 to 5 replicas") { // the same whatever it scales to
				t.Errorf("it says %q", ready.Message)
			}
		})
	}
}

func TestExposeIsWaitedFor(t *testing.T) {
	in := running()
	in.Claim.Spec.Port, in.Claim.Spec.Expose = ptr.To[int32](80), &v1alpha1.ClaimExpose{Host: "shop.example"}
	in.deliver()
	in.Application.Status.Health.Status = "Progressing"
	if got := meta.FindStatusCondition(in.Decide().Conditions, Ready); got.Reason != "WaitingForExpose" {
		t.Errorf("%s (%s)", got.Reason, got.Message)
	}
	in.Live.Deployment.Status.AvailableReplicas = 1 // first things first
	if got := meta.FindStatusCondition(in.Decide().Conditions, Ready); got.Reason != "Progressing" {
		t.Errorf("%s (%s)", got.Reason, got.Message)
	}
}

// A host stays the claim's until what served it is known to be gone.
func TestHostsAreLetGoWhenDelivered(t *testing.T) {
	in := running()
	in.Claim.Status.Hosts, in.Hosts = []string{"old.example"}, []string{"shop.example"}
	if got := strings.Join(in.Decide().Hosts, " "); got != "shop.example" {
		t.Errorf("delivered: %s", got)
	}
	in.Application.Status.OperationState.Phase = "Running"
	if got := strings.Join(in.Decide().Hosts, " "); got != "old.example shop.example" {
		t.Errorf("being delivered: %s", got)
	}
	in.Hosts, in.Trouble = nil, &Trouble{"HostTaken", "shop.example belongs to ServiceClaim other"}
	out := in.Decide()
	if got := strings.Join(out.Hosts, " "); got != "old.example" {
		t.Errorf("refused: %s", got)
	}
	if got := meta.FindStatusCondition(out.Conditions, Ready); got.Reason != "HostTaken" {
		t.Errorf("refused: %s (%s)", got.Reason, got.Message)
	}
}
