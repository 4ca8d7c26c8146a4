package admitted

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// counted reports whether an object's generation is counted.
func counted(o Object) bool {
	switch o.(type) {
	case *corev1.Pod, *corev1.PodTemplate, *corev1.ReplicationController, *appsv1.Deployment, *appsv1.StatefulSet, *appsv1.DaemonSet, *appsv1.ReplicaSet,
		*batchv1.Job, *batchv1.CronJob, *networkingv1.Ingress, *networkingv1.NetworkPolicy, *networkingv1.IngressClass,
		*policyv1.PodDisruptionBudget, *autoscalingv1.HorizontalPodAutoscaler, *autoscalingv2.HorizontalPodAutoscaler:
		return true
	}
	return false
}

// noStatus takes away a status: who makes an object does not set it.
func noStatus(o Object) {
	f := structField(o, "Status")
	if !f.IsValid() {
		return
	}
	f.SetZero()
	switch o := o.(type) {
	case *corev1.Pod:
		o.Status.Phase = corev1.PodPending
		o.Status.QOSClass = qos(&o.Spec)
	case *corev1.PersistentVolumeClaim:
		o.Status.Phase = corev1.ClaimPending
	case *corev1.Namespace:
		o.Status.Phase = corev1.NamespaceActive
	}
}

// status gives an object the status of the one that is stored: who changes an object does
// not set it.
func status(o, old Object) {
	if u, ok := o.(*unstructured.Unstructured); ok {
		if was, found := old.(*unstructured.Unstructured); found && was.Object["status"] != nil {
			u.Object["status"] = was.DeepCopy().Object["status"]
		}
		return
	}
	to, from := structField(o, "Status"), structField(old, "Status")
	if to.IsValid() && from.IsValid() && to.Type() == from.Type() {
		to.Set(reflect.ValueOf(from.Interface()))
	}
}

// kept are fields that an update does not drop.
func kept(o, old Object) {
	p, ok := o.(*corev1.Pod)
	was, also := old.(*corev1.Pod)
	if !ok || !also {
		return
	}
	if p.Spec.Priority == nil {
		p.Spec.Priority = was.Spec.Priority
	}
	if p.Spec.PreemptionPolicy == nil {
		p.Spec.PreemptionPolicy = was.Spec.PreemptionPolicy
	}
	if p.Spec.Resources == nil {
		p.Spec.Resources = was.Spec.Resources
	}
	tolerations(&p.Spec)
}
