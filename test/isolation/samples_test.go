package isolation

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/contract"
)

const (
	container = "containers: [{name: x, image: x}]"
	selected  = "selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: {" + container + "}}"
	oneJob    = "suspend: true, template: {spec: {restartPolicy: Never, " + container + "}}"
)

// samples hold what is beside the metadata of one object of each kind that a team's
// Git may bring. None of them runs anything but the pod.
var samples = map[string]string{
	"Pod":                     "spec: {" + container + "}",
	"ConfigMap":               "data: {a: b}",
	"Secret":                  "data: {a: Yg==}",
	"Service":                 "spec: {ports: [{port: 80}]}",
	"ServiceAccount":          "automountServiceAccountToken: false",
	"PersistentVolumeClaim":   "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}",
	"Deployment":              "spec: {replicas: 0, " + selected + "}",
	"StatefulSet":             "spec: {replicas: 0, serviceName: x, " + selected + "}",
	"DaemonSet":               "spec: {selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: {nodeSelector: {no: where}, " + container + "}}}",
	"ReplicaSet":              "spec: {replicas: 0, " + selected + "}",
	"Job":                     "spec: {" + oneJob + "}",
	"CronJob":                 "spec: {suspend: true, schedule: '0 0 1 1 *', jobTemplate: {spec: {" + oneJob + "}}}",
	"HorizontalPodAutoscaler": "spec: {maxReplicas: 1, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: none}}",
	"PodDisruptionBudget":     "spec: {maxUnavailable: 1, selector: {matchLabels: {app: x}}}",
	"Ingress":                 "spec: {defaultBackend: {service: {name: x, port: {number: 80}}}}",
	"Role":                    "rules: [{apiGroups: [''], resources: [configmaps], verbs: [get]}]",
	"RoleBinding":             "{roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: sample}, subjects: [{kind: ServiceAccount, name: sample, namespace: NS}]}",
	"ServiceClaim":            "spec: {team: TEAM, image: 'nginx:1.27-alpine', replicas: 0}",
}

// versions of the groups whose version is not v1.
var versions = map[string]string{"autoscaling": "v2", "demarc.dev": "v1alpha1"}

func versionOf(k contract.Row) schema.GroupVersionResource {
	version := versions[k.Group]
	if version == "" {
		version = "v1"
	}
	return schema.GroupVersionResource{Group: k.Group, Version: version, Resource: k.Resource}
}

// sample is an object of a kind in a team's namespace, or of the team where the kind has none.
func sample(t *testing.T, k contract.Row, team, name string) *unstructured.Unstructured {
	t.Helper()
	text, ok := samples[k.Kind]
	if !ok {
		t.Fatalf("there is no sample of %s: add one to samples", k.Kind)
	}
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(replaced(replaced(text, "NS", "team-"+team), "TEAM", team)), &o.Object); err != nil {
		t.Fatalf("%s: %v", k.Kind, err)
	}
	o.SetGroupVersionKind(versionOf(k).GroupVersion().WithKind(k.Kind))
	o.SetName(name)
	if k.Cluster {
		o.SetName(team + "-" + name)
	} else {
		o.SetNamespace("team-" + team)
	}
	return o
}

// deliverable are the kinds that Git may bring; each must have a sample.
func deliverable() []contract.Row { return contract.Default().Deliverable(true) }

func describe(k contract.Row) string {
	return fmt.Sprint(schema.GroupResource{Group: k.Group, Resource: k.Resource})
}
