package admitted

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Scale of an object, as its subresource scale gives it; nil where it has none.
func Scale(o Object) *autoscalingv1.Scale {
	var spec, status int32
	selector := &metav1.LabelSelector{}
	switch o := o.(type) {
	case *appsv1.Deployment:
		spec, status, selector = ptr.Deref(o.Spec.Replicas, 1), o.Status.Replicas, o.Spec.Selector
	case *appsv1.StatefulSet:
		spec, status, selector = ptr.Deref(o.Spec.Replicas, 1), o.Status.Replicas, o.Spec.Selector
	case *appsv1.ReplicaSet:
		spec, status, selector = ptr.Deref(o.Spec.Replicas, 1), o.Status.Replicas, o.Spec.Selector
	case *corev1.ReplicationController:
		spec, status, selector.MatchLabels = ptr.Deref(o.Spec.Replicas, 1), o.Status.Replicas, o.Spec.Selector
	default:
		return nil
	}
	m := metadata(o)
	s := &autoscalingv1.Scale{
		TypeMeta: metav1.TypeMeta{APIVersion: autoscalingv1.SchemeGroupVersion.String(), Kind: "Scale"},
		ObjectMeta: metav1.ObjectMeta{Name: m.GetName(), Namespace: m.GetNamespace(), UID: m.GetUID(), ResourceVersion: m.GetResourceVersion(),
			CreationTimestamp: m.GetCreationTimestamp()},
		Spec: autoscalingv1.ScaleSpec{Replicas: spec}, Status: autoscalingv1.ScaleStatus{Replicas: status},
	}
	if chosen, err := metav1.LabelSelectorAsSelector(selector); err == nil {
		s.Status.Selector = chosen.String()
	}
	return s
}

// Meta is an object's metadata; nil where it has none.
func Meta(o Object) metav1.Object {
	if a, ok := o.(metav1.Object); ok {
		return a
	}
	return nil
}

// Placed is an object in a namespace, where it names none and its kind has one. The object
// itself is not changed.
func Placed(o Object, namespace string, cluster bool) Object {
	m := Meta(o)
	if m == nil || cluster || m.GetNamespace() != "" || namespace == "" {
		return o
	}
	o = o.DeepCopyObject()
	metadata(o).SetNamespace(namespace)
	return o
}
