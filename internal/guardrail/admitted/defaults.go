package admitted

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// Default fills in what Kubernetes 1.37 does before anything looks at an object. Its own
// functions for that are in a module that cannot be imported, and every one of them goes by
// the type of what it fills: so one walk over the object is enough.
func Default(o Object) {
	whole(o)
	walk(reflect.ValueOf(o))
}

// whole are the defaults of a kind, before those of its parts.
func whole(o Object) {
	switch o := o.(type) {
	case *corev1.Pod:
		pod(o)
	case *corev1.Service:
		service(&o.Spec)
	case *corev1.ReplicationController:
		replicationController(o)
	case *corev1.Secret:
		secret(o)
	case *corev1.ConfigMap:
		if o.Data == nil {
			o.Data = map[string]string{}
		}
	case *corev1.Namespace:
		namespace(o)
	case *networkingv1.NetworkPolicy:
		networkPolicy(&o.Spec)
	case *rbacv1.RoleBinding:
		set(&o.RoleRef.APIGroup, rbacv1.GroupName)
	case *rbacv1.ClusterRoleBinding:
		set(&o.RoleRef.APIGroup, rbacv1.GroupName)
	default:
		workload(o)
	}
}

// workload are the defaults of what runs, and of what scales it.
func workload(o Object) {
	switch o := o.(type) {
	case *appsv1.Deployment:
		deployment(&o.Spec)
	case *appsv1.StatefulSet:
		statefulSet(&o.Spec)
	case *appsv1.DaemonSet:
		daemonSet(&o.Spec)
	case *appsv1.ReplicaSet:
		point(&o.Spec.Replicas, 1)
	case *batchv1.Job:
		job(o)
	case *batchv1.CronJob:
		cronJob(&o.Spec)
	case *autoscalingv1.HorizontalPodAutoscaler:
		point(&o.Spec.MinReplicas, 1)
	case *autoscalingv2.HorizontalPodAutoscaler:
		autoscaler(&o.Spec)
	}
}

// walk visits every part of a value that can be changed.
func walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem())
		}
	case reflect.Struct:
		if skip[v.Type()] {
			return
		}
		part(v.Addr().Interface())
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() {
				walk(field)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i))
		}
	case reflect.Map:
		if list, ok := v.Interface().(corev1.ResourceList); ok {
			quantities(list)
		}
	}
}

// skip are types with nothing to fill below them, left out for speed.
var skip = map[reflect.Type]bool{
	reflect.TypeFor[resource.Quantity](): true,
	reflect.TypeFor[corev1.Affinity]():   true,
}

// quantities are kept to a thousandth at most.
func quantities(list corev1.ResourceList) {
	for name, q := range list {
		q.RoundUp(resource.Milli)
		list[name] = q
	}
}

// set fills a text that is empty.
func set[T ~string](field *T, value T) {
	if *field == "" {
		*field = value
	}
}

// fill fills a number that is zero.
func fill(field *int32, value int32) {
	if *field == 0 {
		*field = value
	}
}

// point fills what is absent.
func point[T any](field **T, value T) {
	if *field == nil {
		*field = ptr.To(value)
	}
}
