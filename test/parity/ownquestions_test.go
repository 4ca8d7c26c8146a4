package parity

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"

	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/guardrail/offline"
)

func placedIn(o runtime.Object, namespace string) runtime.Object {
	return admitted.Placed(o, namespace, admitted.KindOf(o.GetObjectKind().GroupVersionKind()).Cluster)
}

// ownQuestions are such that each of users' own policies has something to say.
func ownQuestions(t *testing.T) (list []question) {
	t.Helper()
	for _, text := range []string{
		`{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"},"maxReplicas":3}}`,
		`{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"},"minReplicas":2,"maxReplicas":3,"targetCPUUtilizationPercentage":50}}`,
		`{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"},"maxReplicas":3}}`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one"},"data":{"a":"b"}}`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two"},"data":{"a":"b","c":"d","e":"f"}}`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"three-"}}`,
		`{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"a"}}`,
		`{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"a","labels":{"chosen":"yes"}}}`,
		`{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"a"}}`,
		`{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"ports":[{"name":"http","port":80}]}}`,
		`{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"type":"NodePort","ports":[{"name":"http","port":80,"targetPort":"web"}]}}`,
		`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"stringData":{"a":"b"},"data":{"c":"ZA=="}}`,
		`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"a"}]}}}}`,
		`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"a"},"spec":{"maxUnavailable":"10%","selector":{"matchLabels":{"a":"b"}}}}`,
		`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"a"},"spec":{"maxUnavailable":1,"selector":{"matchLabels":{"a":"b"}}}}`,
		`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1024Mi"}}}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"priorityClassName":"urgent","containers":[{"name":"a","image":"a:1"}]}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"resources":{"limits":{"cpu":"2"}},"containers":[{"name":"a","image":"a:1","resources":{"requests":{"cpu":"0.5"}}}]}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"a","resources":{"requests":{"cpu":"1500m"}},"readinessProbe":{"httpGet":{"port":"web"}}}]}}}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":0,"strategy":{"rollingUpdate":{"maxSurge":2}},"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"a:1","resources":{"requests":{"cpu":2}}}]}}}}`,
		`{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"named"},"spec":{"rules":[{"host":"a.example"}]}}`,
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"a"}}`,
		`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"another"}}`,
	} {
		list = append(list, in(text, text))
	}
	for _, o := range ownStored() {
		where := address(o, own, admitted.Meta(o).GetName())
		stored := live(t, where)
		changed := labelled(o, "changed", "yes")
		list = append(list,
			question{what: "update " + where, team: own, method: "PUT", where: where, body: changed,
				requests: []offline.Request{{Operation: admission.Update, Object: changed, Old: stored}, {Operation: admission.Update, Object: changed, Old: o}}},
			question{what: "delete " + where, team: own, method: "DELETE", where: where, requests: []offline.Request{{Operation: admission.Delete, Old: stored}}})
	}
	return list
}
