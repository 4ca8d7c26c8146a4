package admitted

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
)

// part fills one part of an object, whichever it is of.
func part(p any) {
	switch p := p.(type) {
	case *corev1.PodSpec:
		podSpec(p)
	case *corev1.Container:
		container(&p.ImagePullPolicy, p.Image, &p.TerminationMessagePath, &p.TerminationMessagePolicy)
	case *corev1.EphemeralContainerCommon:
		container(&p.ImagePullPolicy, p.Image, &p.TerminationMessagePath, &p.TerminationMessagePolicy)
	case *corev1.Volume:
		volume(p)
	case *corev1.PersistentVolumeClaimSpec:
		point(&p.VolumeMode, corev1.PersistentVolumeFilesystem)
	case *corev1.PersistentVolumeClaimStatus:
		set(&p.Phase, corev1.ClaimPending)
	case *batchv1.PodFailurePolicyOnPodConditionsPattern:
		set(&p.Status, corev1.ConditionTrue)
	case *rbacv1.Subject:
		if p.Kind == rbacv1.UserKind || p.Kind == rbacv1.GroupKind {
			set(&p.APIGroup, rbacv1.GroupName)
		}
	case *corev1.LimitRangeItem:
		limitRangeItem(p)
	default:
		small(p)
	}
}

// small are parts that say how something is reached, probed or referred to.
func small(p any) {
	switch p := p.(type) {
	case *corev1.ContainerPort:
		set(&p.Protocol, corev1.ProtocolTCP)
	case *corev1.Probe:
		fill(&p.TimeoutSeconds, 1)
		fill(&p.PeriodSeconds, 10)
		fill(&p.SuccessThreshold, 1)
		fill(&p.FailureThreshold, 3)
	case *corev1.HTTPGetAction:
		set(&p.Path, "/")
		set(&p.Scheme, corev1.URISchemeHTTP)
	case *corev1.GRPCAction:
		point(&p.Service, "")
	case *corev1.ObjectFieldSelector:
		set(&p.APIVersion, "v1")
	case *corev1.FileKeySelector:
		point(&p.Optional, false)
	case *corev1.ServicePort:
		set(&p.Protocol, corev1.ProtocolTCP)
	case *networkingv1.NetworkPolicyPort:
		point(&p.Protocol, corev1.ProtocolTCP)
	}
}

func podSpec(p *corev1.PodSpec) {
	set(&p.ServiceAccountName, p.DeprecatedServiceAccount)
	p.DeprecatedServiceAccount = p.ServiceAccountName
	set(&p.DNSPolicy, corev1.DNSClusterFirst)
	set(&p.RestartPolicy, corev1.RestartPolicyAlways)
	point(&p.SecurityContext, corev1.PodSecurityContext{})
	point(&p.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds)
	set(&p.SchedulerName, corev1.DefaultSchedulerName)
}

func container(pull *corev1.PullPolicy, image string, path *string, policy *corev1.TerminationMessagePolicy) {
	set(pull, pullPolicy(image))
	set(path, corev1.TerminationMessagePathDefault)
	set(policy, corev1.TerminationMessageReadFile)
}

// pullPolicy is Always where an image's tag is latest, or it has neither tag nor digest.
// What is no name of an image has no tag.
func pullPolicy(image string) corev1.PullPolicy {
	name, _, digest := strings.Cut(image, "@")
	_, tag, tagged := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
	switch {
	case tagged && tag == "latest", !tagged && !digest && sound(name):
		return corev1.PullAlways
	default:
		return corev1.PullIfNotPresent
	}
}

// sound reports whether a name without a tag is one of an image: lower case, but for its host.
func sound(name string) bool {
	host, path, many := strings.Cut(name, "/")
	if !many || !strings.ContainsAny(host, ".:") && host != "localhost" {
		path = name
	}
	return path != "" && path == strings.ToLower(path) && !strings.ContainsAny(path, " \t")
}

func volume(v *corev1.Volume) {
	if v.VolumeSource == (corev1.VolumeSource{}) {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
	if v.Image != nil {
		set(&v.Image.PullPolicy, pullPolicy(v.Image.Reference))
	}
	if v.HostPath != nil {
		point(&v.HostPath.Type, corev1.HostPathUnset)
	}
	if v.Secret != nil {
		point(&v.Secret.DefaultMode, corev1.SecretVolumeSourceDefaultMode)
	}
	if v.ConfigMap != nil {
		point(&v.ConfigMap.DefaultMode, corev1.ConfigMapVolumeSourceDefaultMode)
	}
	if v.DownwardAPI != nil {
		point(&v.DownwardAPI.DefaultMode, corev1.DownwardAPIVolumeSourceDefaultMode)
	}
	storage(&v.VolumeSource)
	if v.Projected != nil {
		point(&v.Projected.DefaultMode, corev1.ProjectedVolumeSourceDefaultMode)
		for i := range v.Projected.Sources {
			if token := v.Projected.Sources[i].ServiceAccountToken; token != nil {
				point(&token.ExpirationSeconds, 3600)
			}
		}
	}
}

// storage fills in what kinds of storage of old ask for.
func storage(v *corev1.VolumeSource) {
	if v.ISCSI != nil {
		set(&v.ISCSI.ISCSIInterface, "default")
	}
	if v.RBD != nil {
		set(&v.RBD.RBDPool, "rbd")
		set(&v.RBD.RadosUser, "admin")
		set(&v.RBD.Keyring, "/etc/ceph/keyring")
	}
	if v.AzureDisk != nil {
		point(&v.AzureDisk.CachingMode, corev1.AzureDataDiskCachingReadWrite)
		point(&v.AzureDisk.FSType, "ext4")
		point(&v.AzureDisk.ReadOnly, false)
		point(&v.AzureDisk.Kind, corev1.AzureSharedBlobDisk)
	}
	if v.ScaleIO != nil {
		set(&v.ScaleIO.StorageMode, "ThinProvisioned")
		set(&v.ScaleIO.FSType, "xfs")
	}
}

// limitRangeItem gives a container's default what its maximum says, and so on.
func limitRangeItem(l *corev1.LimitRangeItem) {
	if l.Type != corev1.LimitTypeContainer {
		return
	}
	if l.Default == nil {
		l.Default = corev1.ResourceList{}
	}
	if l.DefaultRequest == nil {
		l.DefaultRequest = corev1.ResourceList{}
	}
	lay(l.Default, l.Max)
	lay(l.DefaultRequest, l.Default)
	lay(l.DefaultRequest, l.Min)
}

// lay copies into a list what it does not have.
func lay(into, from corev1.ResourceList) {
	for name, q := range from {
		if _, ok := into[name]; !ok {
			into[name] = q.DeepCopy()
		}
	}
}
