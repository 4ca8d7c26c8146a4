package compile

import (
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"demarc.dev/demarc/internal/guardrail"
)

// judged is the one condition on which the rest is looked at. With it nearly every request
// is done with: what the API server spends on a policy it spends for each binding and each
// part of it, and evaluates messages that nobody gets. Where a check needs what is not known
// here, it is left to the rest.
func judged(r guardrail.Rule) ([]admissionv1.MatchCondition, error) {
	condition := fmt.Sprintf("('%[1]s' in params.spec.?rules.orValue([]) || params.spec.?teams.orValue('').contains('%[1]s/')) &&\n%[2]s", r.ID, notMade)
	if !strings.Contains(r.Check, "$team") && !r.JudgesHosts() {
		broken, err := bound("size(" + strings.TrimSpace(r.Check) + ") > 0")
		if err != nil {
			return nil, err
		}
		condition += " &&\n" + broken
	}
	return []admissionv1.MatchCondition{{Name: "judged", Expression: condition}}, nil
}

// notMade is that no controller of Kubernetes' own made it from a template that was
// judged itself, or scales within the bounds of an autoscaler that was. Who writes such an
// ownerReference and is somebody else is judged. A mirror pod says what runs on a node
// already.
const notMade = `!(request.userInfo.username in ['system:kube-controller-manager',
  'system:serviceaccount:kube-system:cronjob-controller', 'system:serviceaccount:kube-system:daemon-set-controller',
  'system:serviceaccount:kube-system:deployment-controller', 'system:serviceaccount:kube-system:ephemeral-volume-controller',
  'system:serviceaccount:kube-system:horizontal-pod-autoscaler', 'system:serviceaccount:kube-system:job-controller',
  'system:serviceaccount:kube-system:replicaset-controller', 'system:serviceaccount:kube-system:replication-controller',
  'system:serviceaccount:kube-system:statefulset-controller'] &&
(object.kind in ['PersistentVolumeClaim', 'Scale'] || object.metadata.?ownerReferences.orValue([]).exists(r, r.?controller.orValue(false) &&
  r.apiVersion + ' ' + r.kind in ['apps/v1 DaemonSet', 'apps/v1 Deployment', 'apps/v1 ReplicaSet', 'apps/v1 StatefulSet',
    'batch/v1 CronJob', 'batch/v1 Job', 'v1 ReplicationController']))) &&
!('system:nodes' in request.userInfo.?groups.orValue([]) && 'kubernetes.io/config.mirror' in object.metadata.?annotations.orValue({}))`
