package check

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/guardrail/offline"
)

// makers are the accounts in kube-system by which Kubernetes makes what an object of a kind
// asks for.
var makers = map[string]string{
	"Deployment": "deployment-controller", "ReplicaSet": "replicaset-controller", "StatefulSet": "statefulset-controller",
	"DaemonSet": "daemon-set-controller", "Job": "job-controller", "CronJob": "cronjob-controller", "ReplicationController": "replication-controller",
	"HorizontalPodAutoscaler": "horizontal-pod-autoscaler",
}

// maker is who made an object: the controller of what it belongs to, otherwise anybody.
func maker(o admitted.Object) user.DefaultInfo {
	if m := admitted.Meta(o); m != nil {
		if owner := metav1.GetControllerOfNoCopy(m); owner != nil {
			return controller(owner.Kind)
		}
	}
	return user.DefaultInfo{}
}

func controller(kind string) user.DefaultInfo {
	account, ok := makers[kind]
	if !ok {
		return user.DefaultInfo{}
	}
	return user.DefaultInfo{Name: "system:serviceaccount:kube-system:" + account,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", user.AllAuthenticated}}
}

// deed is what a controller does next, and in words what it could not do any more.
type deed struct {
	cannot  string
	request offline.Request
}

// work asks whether the controller of an object could go on with its work.
func (l *live) work(team string, o admitted.Object) error {
	for _, d := range l.deeds(o) {
		d.request.User = controller(o.GetObjectKind().GroupVersionKind().Kind)
		review, err := l.Rules.policies.Review(d.request, l.meets)
		if err != nil {
			return err
		}
		for _, v := range l.verdicts(review) {
			l.out.Frozen = append(l.out.Frozen, Frozen{Team: team, Rule: idOf(v.Policy), Object: objectOf(o, ""), Cannot: d.cannot, Message: v.Message})
		}
	}
	return nil
}

// deeds are the next things that a controller does: to make what its object asks for once
// more, and to scale what it made.
func (l *live) deeds(o admitted.Object) []deed {
	switch o := o.(type) {
	case *appsv1.Deployment:
		return append(l.scaled(o), deed{"roll out a change", create(o, &appsv1.ReplicaSet{
			Spec: appsv1.ReplicaSetSpec{Replicas: ptr.To[int32](1), Selector: o.Spec.Selector, Template: o.Spec.Template}}, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), o.Spec.Template.Labels)})
	case *appsv1.ReplicaSet:
		return pods(o, o.Spec.Template, o.Spec.Replicas)
	case *appsv1.StatefulSet:
		return pods(o, o.Spec.Template, o.Spec.Replicas)
	case *appsv1.DaemonSet:
		return pods(o, o.Spec.Template, nil)
	case *corev1.ReplicationController:
		return pods(o, ptr.Deref(o.Spec.Template, corev1.PodTemplateSpec{}), o.Spec.Replicas)
	case *batchv1.Job:
		if o.Status.CompletionTime == nil {
			return pods(o, o.Spec.Template, o.Spec.Parallelism)
		}
	case *batchv1.CronJob:
		return []deed{{"start its next job", create(o, &batchv1.Job{Spec: o.Spec.JobTemplate.Spec}, batchv1.SchemeGroupVersion.WithKind("Job"), o.Spec.JobTemplate.Labels)}}
	case *autoscalingv2.HorizontalPodAutoscaler:
		return l.autoscaled(o)
	}
	return nil
}

// made is metadata.
type object interface {
	admitted.Object
	metav1.Object
}

// create is the request by which a controller makes something that belongs to its object.
func create(owner, made object, kind schema.GroupVersionKind, labels map[string]string) offline.Request {
	made.GetObjectKind().SetGroupVersionKind(kind)
	made.SetGenerateName(owner.GetName() + "-")
	made.SetNamespace(owner.GetNamespace())
	made.SetLabels(labels)
	made.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, owner.GetObjectKind().GroupVersionKind())})
	return offline.Request{Operation: offline.Create, Object: made}
}

func pods(owner object, template corev1.PodTemplateSpec, replicas *int32) []deed {
	if ptr.Deref(replicas, 1) == 0 {
		return nil
	}
	pod := &corev1.Pod{Spec: *template.Spec.DeepCopy()}
	pod.Annotations = template.Annotations
	return []deed{{"make a pod in the place of one that is lost", create(owner, pod, corev1.SchemeGroupVersion.WithKind("Pod"), template.Labels)}}
}

// scaled are the changes by which a Deployment scales what it made.
func (l *live) scaled(d *appsv1.Deployment) (list []deed) {
	for _, o := range l.Set.In(d.Namespace) {
		owner := metav1.GetControllerOfNoCopy(o)
		if o.GetKind() != "ReplicaSet" || owner == nil || owner.UID != d.UID {
			continue
		}
		old, err := admitted.Typed(o)
		rs, ok := old.(*appsv1.ReplicaSet)
		if err != nil || !ok || ptr.Deref(rs.Spec.Replicas, 1) == 0 {
			continue
		}
		more := rs.DeepCopy()
		*more.Spec.Replicas++
		list = append(list, deed{"scale ReplicaSet/" + rs.Name, offline.Request{Operation: offline.Update, Object: more, Old: old}})
	}
	return list
}

// autoscaled are the ends to which an autoscaler may scale.
func (l *live) autoscaled(h *autoscalingv2.HorizontalPodAutoscaler) (list []deed) {
	kind := schema.FromAPIVersionAndKind(h.Spec.ScaleTargetRef.APIVersion, h.Spec.ScaleTargetRef.Kind).GroupKind()
	target := l.Set.Get(kind, h.Namespace, h.Spec.ScaleTargetRef.Name)
	if target == nil {
		return nil
	}
	typed, err := admitted.Typed(target)
	if err != nil {
		return nil
	}
	for _, n := range []int32{ptr.Deref(h.Spec.MinReplicas, 1), h.Spec.MaxReplicas} {
		if r := offline.Scale(typed, n); r != nil {
			list = append(list, deed{fmt.Sprintf("scale %s/%s to %d", h.Spec.ScaleTargetRef.Kind, h.Spec.ScaleTargetRef.Name, n), *r})
		}
	}
	return list
}
