package admitted

import (
	"reflect"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// made is what the API server does last to an object that is created.
func made(o Object) {
	switch o := o.(type) {
	case *corev1.Pod:
		appArmor(o)
		podResources(&o.Spec)
	case *batchv1.Job:
		if !*o.Spec.ManualSelector {
			selector(o)
		}
	case *appsv1.DaemonSet:
		templateGeneration(o, 1)
	}
}

// again is what the API server does last to an object that takes the place of another.
func again(o, old Object) {
	d, ok := o.(*appsv1.DaemonSet)
	was, also := old.(*appsv1.DaemonSet)
	if !ok || !also {
		return
	}
	n, err := strconv.ParseInt(was.Annotations[appsv1.DeprecatedTemplateGeneration], 10, 64)
	if err == nil && !equality.Semantic.DeepEqual(d.Spec.Template, was.Spec.Template) {
		n++
	}
	templateGeneration(d, n)
}

func templateGeneration(d *appsv1.DaemonSet, n int64) {
	annotations := map[string]string{appsv1.DeprecatedTemplateGeneration: strconv.FormatInt(n, 10)}
	for key, value := range d.Annotations {
		if key != appsv1.DeprecatedTemplateGeneration {
			annotations[key] = value
		}
	}
	d.Annotations = annotations
}

// appArmor makes fields of the annotations that pods had for it.
func appArmor(p *corev1.Pod) {
	if p.Spec.OS != nil && p.Spec.OS.Name == corev1.Windows {
		return
	}
	for _, list := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for i := range list {
			c := &list[i]
			profile := appArmorProfile(p.Annotations[corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix+c.Name])
			said := c.SecurityContext != nil && c.SecurityContext.AppArmorProfile != nil
			if profile == nil || said || p.Spec.SecurityContext != nil && reflect.DeepEqual(profile, p.Spec.SecurityContext.AppArmorProfile) {
				continue
			}
			point(&c.SecurityContext, corev1.SecurityContext{})
			c.SecurityContext.AppArmorProfile = profile
		}
	}
}

func appArmorProfile(annotation string) *corev1.AppArmorProfile {
	local, isLocal := strings.CutPrefix(annotation, corev1.DeprecatedAppArmorBetaProfileNamePrefix)
	switch {
	case annotation == corev1.DeprecatedAppArmorBetaProfileNameUnconfined:
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeUnconfined}
	case annotation == corev1.DeprecatedAppArmorBetaProfileRuntimeDefault:
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeRuntimeDefault}
	case isLocal && local != "":
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeLocalhost, LocalhostProfile: &local}
	}
	return nil
}
