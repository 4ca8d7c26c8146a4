package serviceclaim

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/readiness"
)

// workloads reads the workloads that the Application of a claim with a source
// tracks, each as its own controller reports it.
func (r *Reconciler) workloads(ctx context.Context, in *readiness.Claim) error {
	if in.Application == nil {
		return nil
	}
	for _, tracked := range in.Application.Status.Resources {
		if tracked.Group != appsv1.GroupName {
			continue
		}
		w, known, err := r.workload(ctx, tracked)
		if err != nil {
			return err
		}
		if known {
			in.Workloads = append(in.Workloads, w)
		}
	}
	return nil
}

func (r *Reconciler) workload(ctx context.Context, tracked argocd.Resource) (w readiness.Workload, known bool, err error) {
	key := types.NamespacedName{Namespace: tracked.Namespace, Name: tracked.Name}
	w = readiness.Workload{Kind: tracked.Kind, Name: tracked.Name}
	switch tracked.Kind {
	case "Deployment":
		d, err := found(ctx, r.Client, key, &appsv1.Deployment{})
		if err != nil || d == nil {
			w.Missing = d == nil
			return w, true, err
		}
		w.Observed = d.Status.ObservedGeneration >= d.Generation && !d.Spec.Paused
		w.Asked, w.Available = asked(d.Spec.Replicas), min(d.Status.AvailableReplicas, d.Status.UpdatedReplicas)
		for _, c := range d.Status.Conditions {
			if c.Type == appsv1.DeploymentReplicaFailure && c.Status == "True" {
				w.Refused = c.Message
			}
		}
	case "StatefulSet":
		s, err := found(ctx, r.Client, key, &appsv1.StatefulSet{})
		if err != nil || s == nil {
			w.Missing = s == nil
			return w, true, err
		}
		w.Observed = s.Status.ObservedGeneration >= s.Generation && s.Status.CurrentRevision == s.Status.UpdateRevision
		w.Asked, w.Available = asked(s.Spec.Replicas), s.Status.AvailableReplicas
	case "DaemonSet":
		d, err := found(ctx, r.Client, key, &appsv1.DaemonSet{})
		if err != nil || d == nil {
			w.Missing = d == nil
			return w, true, err
		}
		w.Observed = d.Status.ObservedGeneration >= d.Generation
		w.Asked, w.Available = d.Status.DesiredNumberScheduled, min(d.Status.NumberAvailable, d.Status.UpdatedNumberScheduled)
	default:
		return w, false, nil
	}
	return w, true, nil
}

func asked(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}
