package triage

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/internal/snapshot"
)

// bare is an object without who wrote which field of it: no check of a decoded object asks,
// and it is the larger half of most.
func bare(o snapshot.Object) snapshot.Object {
	meta := child(o.Object, "metadata")
	if _, has := meta["managedFields"]; !has {
		return o
	}
	without := maps.Clone(meta)
	delete(without, "managedFields")
	content := maps.Clone(o.Object)
	content["metadata"] = without
	return &unstructured.Unstructured{Object: content}
}

// leanPod is what is asked of pods that are plainly well, which most are: where they run, what
// they ask for, what selects them. To decode all of each would take most of the time.
type leanPod struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		NodeName       string                       `json:"nodeName"`
		NodeSelector   map[string]string            `json:"nodeSelector"`
		Containers     []leanContainer              `json:"containers"`
		InitContainers []leanContainer              `json:"initContainers"`
		Overhead       corev1.ResourceList          `json:"overhead"`
		Resources      *corev1.ResourceRequirements `json:"resources"`
		Volumes        []struct {
			Name                  string                                    `json:"name"`
			PersistentVolumeClaim *corev1.PersistentVolumeClaimVolumeSource `json:"persistentVolumeClaim"`
		} `json:"volumes"`
	} `json:"spec"`
	Status struct {
		Phase      corev1.PodPhase `json:"phase"`
		Conditions []struct {
			Type               corev1.PodConditionType `json:"type"`
			Status             corev1.ConditionStatus  `json:"status"`
			LastTransitionTime metav1.Time             `json:"lastTransitionTime"`
		} `json:"conditions"`
	} `json:"status"`
}

type leanContainer struct {
	Name          string                         `json:"name"`
	Ports         []corev1.ContainerPort         `json:"ports"`
	Resources     corev1.ResourceRequirements    `json:"resources"`
	RestartPolicy *corev1.ContainerRestartPolicy `json:"restartPolicy"`
}

// lean decodes a pod that is plainly well; ok is whether it is.
func lean(o snapshot.Object) (p *corev1.Pod, ok bool) {
	if !plainlyWell(o) {
		return nil, false
	}
	var l leanPod
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(bare(o).Object, &l); err != nil {
		return nil, false // the whole decoding says what is wrong with it
	}
	p = &corev1.Pod{ObjectMeta: l.ObjectMeta}
	p.Spec.NodeName, p.Spec.NodeSelector, p.Spec.Overhead, p.Spec.Resources = l.Spec.NodeName, l.Spec.NodeSelector, l.Spec.Overhead, l.Spec.Resources
	p.Spec.Containers, p.Spec.InitContainers = wholeOf(l.Spec.Containers), wholeOf(l.Spec.InitContainers)
	for _, v := range l.Spec.Volumes {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: v.Name, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: v.PersistentVolumeClaim}})
	}
	p.Status.Phase = l.Status.Phase
	for _, c := range l.Status.Conditions {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: c.Type, Status: c.Status, LastTransitionTime: c.LastTransitionTime})
	}
	return p, true
}

func wholeOf(list []leanContainer) (out []corev1.Container) {
	for _, c := range list {
		out = append(out, corev1.Container{Name: c.Name, Ports: c.Ports, Resources: c.Resources, RestartPolicy: c.RestartPolicy})
	}
	return out
}

// plainlyWell says that a pod is ready, that none of its containers ever ended, and that
// nothing is asked of it just now.
func plainlyWell(o snapshot.Object) bool {
	status := child(o.Object, "status")
	if o.GetDeletionTimestamp() != nil || text(status, "phase") != string(corev1.PodRunning) {
		return false
	}
	ready := false
	for _, v := range verdicts(status["conditions"]) {
		switch corev1.PodConditionType(v.kind) {
		case corev1.PodReady:
			ready = v.status == "True"
		case corev1.PodResizePending, corev1.PodResizeInProgress, corev1.DisruptionTarget:
			return false
		}
	}
	statuses, _ := status["containerStatuses"].([]any)
	for _, s := range statuses {
		one, _ := s.(map[string]any)
		restarts, _ := one["restartCount"].(int64)
		if restarts > 0 || child(child(one, "state"), "running") == nil {
			return false
		}
	}
	return ready
}
