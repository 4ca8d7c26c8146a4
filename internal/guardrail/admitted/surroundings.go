package admitted

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Surroundings is what the API server fills an object in from. What is not known is left
// as it is.
type Surroundings struct {
	LimitRanges     []*corev1.LimitRange
	ServiceAccounts []*corev1.ServiceAccount
	IngressClasses  []*networkingv1.IngressClass
	StorageClasses  []*storagev1.StorageClass
	PriorityClasses []*schedulingv1.PriorityClass
	// Pods are filled in with more, after all this; it may be nil.
	Pods func(*corev1.Pod)
}

// Add takes what of an object is of use.
func (s *Surroundings) Add(o Object) {
	switch o := o.(type) {
	case *corev1.LimitRange:
		o = o.DeepCopy()
		Default(o)
		s.LimitRanges = append(s.LimitRanges, o)
	case *corev1.ServiceAccount:
		s.ServiceAccounts = append(s.ServiceAccounts, o)
	case *networkingv1.IngressClass:
		s.IngressClasses = append(s.IngressClasses, o)
	case *storagev1.StorageClass:
		s.StorageClasses = append(s.StorageClasses, o)
	case *schedulingv1.PriorityClass:
		s.PriorityClasses = append(s.PriorityClasses, o)
	}
}

// fill does what admission does to an object that is made.
func (s *Surroundings) fill(o Object) {
	switch o := o.(type) {
	case *corev1.Pod:
		s.limits(o)
		s.account(o)
		s.priority(&o.Spec)
		tolerations(&o.Spec)
		if s.Pods != nil {
			s.Pods(o)
		}
	case *corev1.PersistentVolumeClaim:
		if _, beta := o.Annotations[corev1.BetaStorageClassAnnotation]; o.Spec.StorageClassName == nil && !beta {
			o.Spec.StorageClassName = newest(s.StorageClasses, "storageclass.kubernetes.io/is-default-class")
		}
		const protection = "kubernetes.io/pvc-protection"
		if !slices.Contains(o.Finalizers, protection) {
			o.Finalizers = append(o.Finalizers, protection)
		}
	case *networkingv1.Ingress:
		if _, old := o.Annotations["kubernetes.io/ingress.class"]; o.Spec.IngressClassName == nil && !old {
			o.Spec.IngressClassName = newest(s.IngressClasses, networkingv1.AnnotationIsDefaultIngressClass)
		}
	}
}

// class is an object that may be the default of its kind.
type class interface {
	*networkingv1.IngressClass | *storagev1.StorageClass
	metav1.Object
}

// newest is the name of the class that is the default, nil where none is: the one that was
// made last, where several are.
func newest[C class](list []C, annotation string) *string {
	defaults := slices.DeleteFunc(slices.Clone(list), func(c C) bool { return c.GetAnnotations()[annotation] != "true" })
	if len(defaults) == 0 {
		return nil
	}
	name := slices.MinFunc(defaults, func(a, b C) int {
		return cmp.Or(b.GetCreationTimestamp().Compare(a.GetCreationTimestamp().Time), cmp.Compare(a.GetName(), b.GetName()))
	}).GetName()
	return &name
}

// priority fills a pod's priority in from its class, the default's where it names none.
func (s *Surroundings) priority(p *corev1.PodSpec) {
	var found *schedulingv1.PriorityClass
	for _, c := range s.PriorityClasses {
		if c.Name == p.PriorityClassName || p.PriorityClassName == "" && c.GlobalDefault && (found == nil || c.Value < found.Value) {
			found = c
		}
	}
	switch {
	case found != nil:
		p.PriorityClassName = found.Name
		point(&p.Priority, found.Value)
		if found.PreemptionPolicy != nil {
			point(&p.PreemptionPolicy, *found.PreemptionPolicy)
		}
		point(&p.PreemptionPolicy, corev1.PreemptLowerPriority)
	case p.PriorityClassName == "":
		point(&p.Priority, 0)
		point(&p.PreemptionPolicy, corev1.PreemptLowerPriority)
	}
}

// tolerations let a pod stay for five minutes on a node that is not ready.
func tolerations(p *corev1.PodSpec) {
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		has := slices.ContainsFunc(p.Tolerations, func(t corev1.Toleration) bool {
			return (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
		})
		if !has {
			seconds := int64(300)
			p.Tolerations = append(p.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists,
				Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds})
		}
	}
}
