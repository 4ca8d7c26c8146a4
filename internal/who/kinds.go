package who

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/snapshot"
)

// short names, as a cluster serves them; they are needed where there is none to ask.
var short = map[string]schema.GroupKind{
	"po": {Kind: "Pod"}, "cm": {Kind: "ConfigMap"}, "svc": {Kind: "Service"}, "sa": {Kind: "ServiceAccount"},
	"pvc": {Kind: "PersistentVolumeClaim"}, "ep": {Kind: "Endpoints"}, "ev": {Kind: "Event"}, "quota": {Kind: "ResourceQuota"},
	"limits": {Kind: "LimitRange"}, "ns": {Kind: "Namespace"}, "no": {Kind: "Node"}, "pv": {Kind: "PersistentVolume"},
	"rc": {Kind: "ReplicationController"}, "cs": {Kind: "ComponentStatus"},
	"deploy": {Group: "apps", Kind: "Deployment"}, "sts": {Group: "apps", Kind: "StatefulSet"},
	"ds": {Group: "apps", Kind: "DaemonSet"}, "rs": {Group: "apps", Kind: "ReplicaSet"},
	"cj": {Group: "batch", Kind: "CronJob"}, "hpa": {Group: "autoscaling", Kind: "HorizontalPodAutoscaler"},
	"pdb": {Group: "policy", Kind: "PodDisruptionBudget"}, "ing": {Group: "networking.k8s.io", Kind: "Ingress"},
	"netpol": {Group: "networking.k8s.io", Kind: "NetworkPolicy"}, "ip": {Group: "networking.k8s.io", Kind: "IPAddress"},
	"csr":  {Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"},
	"crd":  {Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	"crds": {Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	"sc":   {Group: "storage.k8s.io", Kind: "StorageClass"}, "vac": {Group: "storage.k8s.io", Kind: "VolumeAttributesClass"},
	"pc":  {Group: "scheduling.k8s.io", Kind: "PriorityClass"},
	"app": {Group: "argoproj.io", Kind: "Application"}, "apps": {Group: "argoproj.io", Kind: "Application"},
	"appset": {Group: "argoproj.io", Kind: "ApplicationSet"}, "appsets": {Group: "argoproj.io", Kind: "ApplicationSet"},
	"appproj": {Group: "argoproj.io", Kind: "AppProject"}, "appprojs": {Group: "argoproj.io", Kind: "AppProject"},
	"claim": {Group: "demarc.dev", Kind: "ServiceClaim"}, "claims": {Group: "demarc.dev", Kind: "ServiceClaim"},
	"tn": {Group: "demarc.dev", Kind: "Tenant"}, "plat": {Group: "demarc.dev", Kind: "Platform"},
	"contract": {Group: "demarc.dev", Kind: "OwnershipContract"},
}

// ParseKind finds the kind that a word stands for without a cluster: by the kinds that
// Demarc knows, those that the contract names, and those that are in the snapshot.
func ParseKind(word string, set *snapshot.Set) (Object, bool) {
	word, group, grouped := strings.Cut(strings.ToLower(word), ".")
	if gk, ok := short[word]; ok && !grouped {
		return kindOf(gk), true
	}
	for _, k := range known(set) {
		if grouped && group != k.Group && (k.Group == "" || !strings.HasSuffix(group, "."+k.Group)) {
			continue // deployments.apps, and deployments.v1.apps
		}
		if kind := strings.ToLower(k.Kind); word == kind || word == k.Resource || word == kind+"s" {
			return k, true
		}
	}
	return Object{}, false
}

// NamedKind finds a kind that the cluster does not serve by the contract that holds: the one
// in the snapshot, or the one that comes with Demarc.
func NamedKind(word string, set *snapshot.Set) (Object, bool) {
	found, ok := ParseKind(word, set)
	if !ok {
		return Object{}, false
	}
	c, _ := contractOf(&reader{set: set}, FromFiles)
	for _, d := range c.Spec.Domains {
		for _, r := range d.Resources {
			if r.Group == found.Group && slices.Contains(r.Kinds, found.Kind) {
				found.Unserved = true
				return found, true
			}
		}
	}
	return Object{}, false
}

// Like is the kind that may have been meant by a word for which there is none; ok is false
// where none is near.
func Like(word string, set *snapshot.Set) (like string, ok bool) {
	word, _, _ = strings.Cut(strings.ToLower(word), ".")
	var names []string
	for _, k := range known(set) {
		names = append(names, strings.ToLower(k.Kind))
		if k.Resource != "" {
			names = append(names, k.Resource)
		}
	}
	return contract.Nearest(word, names)
}

// kindOf is what is known of a kind.
func kindOf(gk schema.GroupKind) Object {
	if k, ok := contract.ServedKind(gk); ok {
		return objectOf(k)
	}
	return Object{Group: gk.Group, Kind: gk.Kind}
}

func known(set *snapshot.Set) (kinds []Object) {
	for _, k := range contract.Known() {
		kinds = append(kinds, objectOf(k))
	}
	add := func(o Object) {
		if !slices.ContainsFunc(kinds, func(k Object) bool { return k.GroupKind() == o.GroupKind() }) {
			kinds = append(kinds, o)
		}
	}
	c, _ := contractOf(&reader{set: set}, FromFiles)
	for _, d := range c.Spec.Domains {
		for _, r := range d.Resources {
			for _, kind := range r.Kinds {
				add(kindOf(schema.GroupKind{Group: r.Group, Kind: kind}))
			}
		}
	}
	for _, o := range set.All() {
		gk := o.GroupVersionKind().GroupKind()
		add(Object{Group: gk.Group, Kind: gk.Kind, Cluster: o.GetNamespace() == ""})
	}
	return kinds
}
