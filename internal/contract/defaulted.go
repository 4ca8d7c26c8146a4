package contract

import "slices"

// defaulted are fields of workloads, Services and Secrets that the API server fills in
// where nobody says them (k8s.io/kubernetes/pkg/apis/*/v1/defaults.go, 1.37).
var defaulted = []string{
	"spec.replicas", "spec.strategy", "spec.strategy.type", "spec.strategy.rollingUpdate", "spec.updateStrategy", "spec.updateStrategy.type",
	"spec.revisionHistoryLimit", "spec.progressDeadlineSeconds", "spec.podManagementPolicy", "spec.persistentVolumeClaimRetentionPolicy",
	"spec.completions", "spec.parallelism", "spec.backoffLimit", "spec.suspend", "spec.completionMode", "spec.podReplacementPolicy",
	"spec.concurrencyPolicy", "spec.successfulJobsHistoryLimit", "spec.failedJobsHistoryLimit",
	"spec.type", "spec.sessionAffinity", "spec.internalTrafficPolicy", "spec.externalTrafficPolicy", "spec.ipFamilies", "spec.ipFamilyPolicy",
	"spec.clusterIP", "spec.clusterIPs", "spec.allocateLoadBalancerNodePorts", "spec.volumeMode", "spec.storageClassName", "spec.ingressClassName",
	"spec.minReplicas", "spec.behavior", "type",
}

// defaultedOfPods are such fields of a pod's spec.
var defaultedOfPods = []string{
	"restartPolicy", "dnsPolicy", "schedulerName", "securityContext", "terminationGracePeriodSeconds", "enableServiceLinks",
	"serviceAccountName", "serviceAccount", "priority", "preemptionPolicy", "tolerations",
}

// Defaulted says whether the API server fills a field in where nobody says it. Who made an
// object is then not told apart from who said nothing.
func Defaulted(field string) bool {
	if slices.Contains(defaulted, field) {
		return true
	}
	for _, pod := range []string{"spec.", "spec.template.spec.", "spec.jobTemplate.spec.template.spec."} {
		for _, f := range defaultedOfPods {
			if field == pod+f {
				return true
			}
		}
	}
	return false
}
