package serviceclaim

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
	switch tracked.Kind {
	case "Deployment":
		w, err = read(ctx, r.Client, key, &appsv1.Deployment{}, ofDeployment)
	case "StatefulSet":
		w, err = read(ctx, r.Client, key, &appsv1.StatefulSet{}, ofStatefulSet)
	case "DaemonSet":
		w, err = read(ctx, r.Client, key, &appsv1.DaemonSet{}, ofDaemonSet)
	default:
		return w, false, nil
	}
	w.Kind, w.Name = tracked.Kind, tracked.Name
	if err == nil && !w.Missing && w.Available < w.Asked {
		w.Trouble, err = r.podTrouble(ctx, tracked.Namespace, w.Selector)
	}
	return w, true, err
}

// podTrouble reads live what keeps the pods of a workload from running: they carry
// no label by which we would have them in the cache.
func (r *Reconciler) podTrouble(ctx context.Context, namespace string, by *metav1.LabelSelector) (*readiness.Trouble, error) {
	selector, err := metav1.LabelSelectorAsSelector(by)
	if err != nil {
		return nil, err
	}
	var pods corev1.PodList
	if err := r.Live.List(ctx, &pods, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: selector}, client.Limit(podsRead)); err != nil {
		return nil, err
	}
	for i := range pods.Items {
		if trouble := readiness.TroubleOf(&pods.Items[i]); trouble != nil {
			return trouble, nil
		}
	}
	return nil, nil
}

// podsRead is enough to see what is wrong; all pods of a workload are alike.
const podsRead = 20

// read gets one workload and turns it into what Ready asks; absent is Missing.
func read[T client.Object](ctx context.Context, from client.Reader, key types.NamespacedName, into T, of func(T) readiness.Workload) (readiness.Workload, error) {
	err := from.Get(ctx, key, into)
	if apierrors.IsNotFound(err) {
		return readiness.Workload{Missing: true}, nil
	}
	if err != nil {
		return readiness.Workload{}, err
	}
	return of(into), nil
}

func ofDeployment(d *appsv1.Deployment) readiness.Workload {
	w := readiness.Workload{
		Selector: d.Spec.Selector,
		Observed: d.Status.ObservedGeneration >= d.Generation && !d.Spec.Paused,
		Asked:    asked(d.Spec.Replicas), Available: min(d.Status.AvailableReplicas, d.Status.UpdatedReplicas),
	}
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue {
			w.Refused = c.Message
		}
	}
	return w
}

func ofStatefulSet(s *appsv1.StatefulSet) readiness.Workload {
	return readiness.Workload{
		Selector: s.Spec.Selector,
		Observed: s.Status.ObservedGeneration >= s.Generation && s.Status.CurrentRevision == s.Status.UpdateRevision,
		Asked:    asked(s.Spec.Replicas), Available: s.Status.AvailableReplicas,
	}
}

func ofDaemonSet(d *appsv1.DaemonSet) readiness.Workload {
	return readiness.Workload{
		Selector: d.Spec.Selector,
		Observed: d.Status.ObservedGeneration >= d.Generation,
		Asked:    d.Status.DesiredNumberScheduled, Available: min(d.Status.NumberAvailable, d.Status.UpdatedNumberScheduled),
	}
}

func asked(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}
