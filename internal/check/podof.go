package check

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/internal/guardrail/admitted"
)

// made is a pod that an object makes, and where in the object it stands.
type made struct {
	object admitted.Object
	path   string
}

// podOf is the pod that somebody else's workload makes, such as an Argo Rollout: its
// template is judged by no rule of its own, and its pods are refused. Nil where there is
// none. Those of Kubernetes' own kinds are judged in the kind itself.
func podOf(o admitted.Object) *made {
	u, ok := o.(*unstructured.Unstructured)
	if !ok {
		return nil
	}
	template, found, err := unstructured.NestedMap(u.Object, "spec", "template")
	containers, has, wrong := unstructured.NestedSlice(template, "spec", "containers")
	if !found || !has || err != nil || wrong != nil || len(containers) == 0 {
		return nil
	}
	raw, err := json.Marshal(template)
	if err != nil {
		return nil
	}
	pod := &corev1.Pod{}
	if json.Unmarshal(raw, pod) != nil {
		return nil
	}
	pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	pod.Name, pod.Namespace = u.GetName(), u.GetNamespace()
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: u.GetAPIVersion(), Kind: u.GetKind(), Name: u.GetName(), Controller: ptr.To(true)}}
	return &made{pod, "spec.template."}
}
