package admitted

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

const (
	tokenMount  = "/var/run/secrets/kubernetes.io/serviceaccount"
	tokenVolume = "kube-api-access-"
	// tokenSeconds that a token of a pod lasts.
	tokenSeconds = 3607
)

// account gives a pod its service account: the name, the token, the secrets to pull with.
func (s *Surroundings) account(p *corev1.Pod) {
	if _, mirror := p.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
		return
	}
	set(&p.Spec.ServiceAccountName, "default")
	p.Spec.DeprecatedServiceAccount = p.Spec.ServiceAccountName
	account := &corev1.ServiceAccount{}
	for _, a := range s.ServiceAccounts {
		if a.Namespace == p.Namespace && a.Name == p.Spec.ServiceAccountName {
			account = a
		}
	}
	if ptr.Deref(p.Spec.AutomountServiceAccountToken, ptr.Deref(account.AutomountServiceAccountToken, true)) {
		mountToken(&p.Spec)
	}
	if len(p.Spec.ImagePullSecrets) == 0 {
		p.Spec.ImagePullSecrets = slices.Clone(account.ImagePullSecrets)
	}
}

func mountToken(p *corev1.PodSpec) {
	name, has := tokenVolume+"00000", false
	for _, v := range p.Volumes {
		if strings.HasPrefix(v.Name, tokenVolume) {
			name, has = v.Name, true
			break
		}
	}
	needed := false
	for _, list := range [][]corev1.Container{p.InitContainers, p.Containers} {
		for i := range list {
			mounted := slices.ContainsFunc(list[i].VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == tokenMount })
			if !mounted {
				list[i].VolumeMounts = append(list[i].VolumeMounts, corev1.VolumeMount{Name: name, ReadOnly: true, MountPath: tokenMount})
				needed = true
			}
		}
	}
	if needed && !has {
		p.Volumes = append(p.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Projected: token()}})
	}
}

func token() *corev1.ProjectedVolumeSource {
	return &corev1.ProjectedVolumeSource{DefaultMode: ptr.To(corev1.ProjectedVolumeSourceDefaultMode), Sources: []corev1.VolumeProjection{
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: ptr.To[int64](tokenSeconds)}},
		{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
			Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
		{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{
			{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
	}}
}
