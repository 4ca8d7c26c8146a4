package adoption

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/snapshot"
)

// made is what makes pods, or a pod that nothing makes again: its name, the pod as it
// would be made, and those that run.
type made struct {
	name     string
	template corev1.PodTemplateSpec
	pods     []corev1.Pod
	// asked is how many pods it is to have; nil where that is not said.
	asked *int32
	// surges says that a rollout makes a pod beside those that run.
	surges bool
}

// Workloads are the kinds that make pods, the outermost first.
var Workloads = []schema.GroupKind{
	{Group: "apps", Kind: "Deployment"}, {Group: "apps", Kind: "StatefulSet"}, {Group: "apps", Kind: "DaemonSet"},
	{Group: "batch", Kind: "CronJob"}, {Group: "batch", Kind: "Job"}, {Group: "apps", Kind: "ReplicaSet"}, {Kind: "ReplicationController"},
}

// pods sorts the pods of the namespace by what makes them.
func (p *preview) pods() []*made {
	byUID := map[string]*made{}
	var all []*made
	for _, kind := range Workloads {
		for _, o := range p.set.Of(kind) {
			if o.GetNamespace() != p.report.Namespace {
				continue
			}
			if outer := byUID[controller(o)]; outer != nil {
				byUID[string(o.GetUID())] = outer
				continue
			}
			if m := maker(o); m != nil {
				byUID[string(o.GetUID())] = m
				all = append(all, m)
			}
		}
	}
	for _, pod := range in[corev1.Pod](p, kindPod) {
		if m := byUID[controller(&pod)]; m != nil {
			m.pods = append(m.pods, pod)
			continue
		}
		all = append(all, &made{name: "pod/" + pod.Name, pods: []corev1.Pod{pod},
			template: corev1.PodTemplateSpec{ObjectMeta: *pod.ObjectMeta.DeepCopy(), Spec: *pod.Spec.DeepCopy()}})
	}
	return slices.DeleteFunc(all, (*made).idle)
}

// controller is the UID of what made an object.
func controller(o metav1.Object) string {
	if c := metav1.GetControllerOf(o); c != nil {
		return string(c.UID)
	}
	return "none"
}

// idle is what has no pods and is to have none: an old ReplicaSet, a Job that is done.
func (m *made) idle() bool {
	return len(m.pods) == 0 && m.asked != nil && *m.asked == 0
}

// maker decodes a workload; nil where it cannot be.
func maker(o snapshot.Object) *made {
	m := &made{name: strings.ToLower(o.GetKind()) + "/" + o.GetName()}
	read := map[string]func() error{
		"Deployment": func() error {
			return decode(o, func(d *appsv1.Deployment) {
				m.template, m.asked, m.surges = d.Spec.Template, orOne(d.Spec.Replicas), surges(d)
			})
		},
		"StatefulSet": func() error {
			return decode(o, func(s *appsv1.StatefulSet) { m.template, m.asked = s.Spec.Template, orOne(s.Spec.Replicas) })
		},
		"DaemonSet": func() error {
			return decode(o, func(d *appsv1.DaemonSet) { m.template = d.Spec.Template })
		},
		"CronJob": func() error {
			return decode(o, func(c *batchv1.CronJob) { m.template = c.Spec.JobTemplate.Spec.Template })
		},
		"Job": func() error {
			return decode(o, func(j *batchv1.Job) { m.template, m.asked = j.Spec.Template, jobAsks(j) })
		},
		"ReplicaSet": func() error {
			return decode(o, func(r *appsv1.ReplicaSet) { m.template, m.asked = r.Spec.Template, orOne(r.Spec.Replicas) })
		},
		"ReplicationController": func() error {
			return decode(o, func(r *corev1.ReplicationController) {
				if m.asked = orOne(r.Spec.Replicas); r.Spec.Template != nil {
					m.template = *r.Spec.Template
				}
			})
		},
	}[o.GetKind()]
	if read == nil || read() != nil {
		return nil
	}
	return m
}

func decode[T any](o snapshot.Object, take func(*T)) error {
	into, err := snapshot.Into[T](o)
	if err == nil {
		take(into)
	}
	return err
}

func orOne(n *int32) *int32 {
	if n == nil {
		one := int32(1)
		return &one
	}
	return n
}

// jobAsks is none where a Job is over.
func jobAsks(j *batchv1.Job) *int32 {
	for _, c := range j.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			none := int32(0)
			return &none
		}
	}
	return nil
}

// surges reports whether a rollout makes new pods before it takes old ones away.
func surges(d *appsv1.Deployment) bool {
	rolling := d.Spec.Strategy.RollingUpdate
	none := rolling != nil && rolling.MaxSurge != nil && (rolling.MaxSurge.String() == "0" || rolling.MaxSurge.String() == "0%")
	return d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType && *orOne(d.Spec.Replicas) > 0 && !none
}
