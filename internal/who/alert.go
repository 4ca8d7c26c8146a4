package who

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/routes"
)

// Labels by which an alert says whose it is.
const (
	LabelAlertTeam   = routes.LabelTeam
	LabelAlertDomain = routes.LabelDomain
)

const longestAlert = 64 << 10

// ParseAlert reads labels as Prometheus writes them, {alertname="X",namespace="y"}, with
// its own parser; the braces may be left out.
func ParseAlert(text string) (map[string]string, error) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		if inner, ok = strings.CutSuffix(inner, "}"); !ok {
			return nil, errors.New("the labels do not end with }")
		}
		text = strings.TrimSpace(inner)
	}
	switch {
	case text == "":
		return nil, errors.New("there is no label in it")
	case len(text) > longestAlert:
		return nil, fmt.Errorf("it is longer than %d bytes", longestAlert)
	case strings.ContainsAny(text, "\n\r"):
		return nil, errors.New(`it is more than one line; a line break in a value is written \n`)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader("alert{" + text + "} 1\n"))
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "text format parsing error in line 1: "))
	}
	family := families["alert"]
	if len(families) != 1 || len(family.GetMetric()) != 1 || family.GetMetric()[0].TimestampMs != nil {
		return nil, errors.New("it is not one set of labels")
	}
	labels := map[string]string{}
	for _, pair := range family.GetMetric()[0].GetLabel() {
		if _, twice := labels[pair.GetName()]; twice {
			return nil, fmt.Errorf("the label %s is set twice", pair.GetName())
		}
		labels[pair.GetName()] = pair.GetValue()
	}
	return labels, nil
}

// byLabel are the labels by which kube-state-metrics and the kubelet name objects, the
// closest to what is wrong first: the others say where that is.
var byLabel = []struct {
	label string
	kind  schema.GroupKind
}{
	{"persistentvolumeclaim", schema.GroupKind{Kind: "PersistentVolumeClaim"}},
	{"persistentvolume", schema.GroupKind{Kind: "PersistentVolume"}},
	{"horizontalpodautoscaler", schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}},
	{"poddisruptionbudget", schema.GroupKind{Group: "policy", Kind: "PodDisruptionBudget"}},
	{"ingress", schema.GroupKind{Group: "networking.k8s.io", Kind: "Ingress"}},
	{"networkpolicy", schema.GroupKind{Group: "networking.k8s.io", Kind: "NetworkPolicy"}},
	{"configmap", schema.GroupKind{Kind: "ConfigMap"}},
	{"secret", schema.GroupKind{Kind: "Secret"}},
	{"resourcequota", schema.GroupKind{Kind: "ResourceQuota"}},
	{"limitrange", schema.GroupKind{Kind: "LimitRange"}},
	{"endpointslice", schema.GroupKind{Group: "discovery.k8s.io", Kind: "EndpointSlice"}},
	{"cronjob", schema.GroupKind{Group: "batch", Kind: "CronJob"}},
	{"job_name", schema.GroupKind{Group: "batch", Kind: "Job"}},
	{"deployment", schema.GroupKind{Group: "apps", Kind: "Deployment"}},
	{"statefulset", schema.GroupKind{Group: "apps", Kind: "StatefulSet"}},
	{"daemonset", schema.GroupKind{Group: "apps", Kind: "DaemonSet"}},
	{"replicaset", schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}},
	{"replicationcontroller", schema.GroupKind{Kind: "ReplicationController"}},
	{"pod", schema.GroupKind{Kind: "Pod"}},
	{"service", schema.GroupKind{Kind: "Service"}},
	{"storageclass", schema.GroupKind{Group: "storage.k8s.io", Kind: "StorageClass"}},
	{"certificatesigningrequest", schema.GroupKind{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}},
	{"node", schema.GroupKind{Kind: "Node"}},
}

// alertObject is what an alert's labels name; nil where they name nothing. general is
// that they name only a namespace or a team: then it is about what runs there.
func alertObject(labels map[string]string) (o *Object, general bool) {
	label := func(name string) string { // exported_ is what Prometheus makes of a label that its own one hides
		return cmp.Or(labels["exported_"+name], labels[name])
	}
	namespace := label("namespace")
	for _, by := range byLabel {
		if name := label(by.label); name != "" {
			found := kindOf(by.kind)
			if !found.Cluster && namespace == "" {
				continue
			}
			if found.Name = name; !found.Cluster {
				found.Namespace = namespace
			}
			return &found, false
		}
	}
	if team := labels[LabelAlertTeam]; namespace == "" && team != "" {
		namespace = v1alpha1.NamespaceOf(team)
	}
	if namespace == "" {
		return nil, false
	}
	pods := kindOf(schema.GroupKind{Kind: "Pod"})
	pods.Namespace = namespace
	return &pods, true
}

// CheckAlert says why labels cannot be answered.
func CheckAlert(labels map[string]string) error {
	if o, _ := alertObject(labels); o != nil || labels[LabelAlertDomain] != "" {
		return nil
	}
	return fmt.Errorf("nothing in these labels says what they are about: %s, %s, namespace, node, or namespace with one of deployment, pod, job_name …",
		LabelAlertDomain, LabelAlertTeam)
}
