package serviceclaim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// live reads what the paved road runs a claim as, its pods and the quota.
func (r *Reconciler) live(ctx context.Context, in *readiness.Claim) (err error) {
	key := types.NamespacedName{Namespace: v1alpha1.NamespaceOf(in.Claim.Spec.Team), Name: in.Claim.Name}
	var pods func(*corev1.Pod) bool
	switch in.Claim.Spec.Kind {
	case v1alpha1.KindStateful:
		in.Live.StatefulSet, err = found(ctx, r.Client, key, &appsv1.StatefulSet{})
		pods = func(p *corev1.Pod) bool { return ownedBy(p, "StatefulSet", key.Name) }
	case v1alpha1.KindJob:
		in.Live.Job, err = r.job(ctx, in)
		pods = func(p *corev1.Pod) bool { return in.Live.Job != nil && ownedBy(p, "Job", in.Live.Job.Name) }
	case v1alpha1.KindCronJob:
		in.Live.CronJob, in.Live.Runs, err = r.cronJob(ctx, key)
		pods = func(p *corev1.Pod) bool {
			return slices.ContainsFunc(in.Live.Runs, func(j batchv1.Job) bool { return ownedBy(p, "Job", j.Name) })
		}
	default:
		in.Live.Deployment, err = found(ctx, r.Client, key, &appsv1.Deployment{})
		// Labels alone would let any pod of the namespace speak for the service.
		pods = func(p *corev1.Pod) bool {
			by := metav1.GetControllerOf(p)
			return by != nil && by.Kind == "ReplicaSet" && strings.HasPrefix(by.Name, key.Name+"-")
		}
	}
	if err != nil {
		return fmt.Errorf("read the %s of claim %s: %w", render.WorkloadOf(in.Claim).Kind, key.Name, err)
	}
	return r.podsAndQuota(ctx, in, pods)
}

// podsAndQuota reads the pods that are the claim's own, and what the team has left.
func (r *Reconciler) podsAndQuota(ctx context.Context, in *readiness.Claim, own func(*corev1.Pod) bool) error {
	ns := v1alpha1.NamespaceOf(in.Claim.Spec.Team)
	selector, err := podsOf(in)
	if err != nil || selector == nil {
		return err
	}
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.InNamespace(ns), selector); err != nil {
		return fmt.Errorf("list the pods of claim %s: %w", in.Claim.Name, err)
	}
	in.Pods = slices.DeleteFunc(pods.Items, func(p corev1.Pod) bool { return !own(&p) })
	quota := kube.Named(corev1.SchemeGroupVersion.WithKind("ResourceQuota"), ns, render.QuotaName)
	if quota, err = found(ctx, r.Cached, client.ObjectKeyFromObject(quota), quota); err != nil || quota == nil {
		return err
	}
	in.Quota = &corev1.ResourceQuota{}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(quota.Object, in.Quota)
}

// podsOf selects the pods of what runs; nil where nothing does.
func podsOf(in *readiness.Claim) (client.ListOption, error) {
	var by *metav1.LabelSelector
	switch l := in.Live; {
	case l.Deployment != nil:
		by = l.Deployment.Spec.Selector
	case l.StatefulSet != nil:
		by = l.StatefulSet.Spec.Selector
	case l.Job != nil, l.CronJob != nil:
		return client.MatchingLabels{v1alpha1.LabelClaim: in.Claim.Name}, nil
	default:
		return nil, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(by)
	if err != nil {
		return nil, fmt.Errorf("selector of what claim %s runs as: %w", in.Claim.Name, err)
	}
	return client.MatchingLabelsSelector{Selector: selector}, nil
}

// job is the one that the Application tracks: its name says what it runs, and one of
// before, which is being pruned, is no longer it. Where both are tracked it is the younger.
func (r *Reconciler) job(ctx context.Context, in *readiness.Claim) (*batchv1.Job, error) {
	if in.Application == nil {
		return nil, nil
	}
	var job *batchv1.Job
	for _, tracked := range in.Application.Status.Resources {
		if tracked.Group != batchv1.GroupName || tracked.Kind != "Job" {
			continue
		}
		one, err := found(ctx, r.Client, types.NamespacedName{Namespace: tracked.Namespace, Name: tracked.Name}, &batchv1.Job{})
		if err != nil {
			return nil, err
		}
		if one != nil && (job == nil || job.CreationTimestamp.Before(&one.CreationTimestamp)) {
			job = one
		}
	}
	return job, nil
}

// cronJob is with the Jobs that it made.
func (r *Reconciler) cronJob(ctx context.Context, key types.NamespacedName) (*batchv1.CronJob, []batchv1.Job, error) {
	cron, err := found(ctx, r.Client, key, &batchv1.CronJob{})
	if err != nil || cron == nil {
		return nil, nil, err
	}
	var jobs batchv1.JobList
	if err := r.Client.List(ctx, &jobs, client.InNamespace(key.Namespace), client.MatchingLabels{v1alpha1.LabelClaim: key.Name}); err != nil {
		return nil, nil, err
	}
	return cron, slices.DeleteFunc(jobs.Items, func(j batchv1.Job) bool { return !metav1.IsControlledBy(&j, cron) }), nil
}

func ownedBy(p *corev1.Pod, kind, name string) bool {
	by := metav1.GetControllerOf(p)
	return by != nil && by.Kind == kind && by.Name == name
}
