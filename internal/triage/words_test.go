package triage

import (
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"demarc.dev/demarc/internal/finding"
)

// whenTold is when the worlds of these tests are looked at.
var whenTold = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// What Argo CD says begins with its own words; those of a team come after them, and make nothing
// the platform's.
func TestComparison(t *testing.T) {
	const load, source = "Failed to load target state: ", "failed to generate manifest for source 1 of 1: "
	unknown, template := load+source+"rpc error: code = Unknown desc = ", "`helm template . --name-template web` failed exit status 1: Error: execution error at (web/t.yaml:1:4): "
	for message, want := range map[string]string{
		load + source + `rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:8081: connect: connection refused"`: "DM415",
		`rpc error: code = Unavailable desc = connection error: desc = "transport: error while dialing"`:                                                                       "DM415",
		unknown + "failed to list refs: authentication required: Repository not found.":                                                                                        "DM404",
		unknown + `Get "https://git.example.com/shop/web.git/info/refs?service=git-upload-pack": dial tcp: lookup git.example.com: no such host`:                               "DM404",
		load + source + "rpc error: code = Internal desc = Failed to fetch default: `git fetch origin --tags --force --prune` failed exit status 128":                          "DM404",
		unknown + "helm client error: error fetching chart: failed to fetch chart":                                                                                             "DM404",
		unknown + "web: app path does not exist":           "DM417",
		unknown + "unable to resolve 'v9' to a commit SHA": "DM417",
		// A team's path, branch, chart, file, jsonnet and dependency.
		unknown + "dial tcp: lookup x: app path does not exist":                                                                                  "DM417",
		unknown + "unable to resolve 'failed to list refs: ' to a commit SHA":                                                                    "DM417",
		unknown + template + "code = Unavailable desc = connection error":                                                                        "DM401",
		unknown + "Manifest generation error (cached): " + template + "rpc error: code = Unavailable desc = connection error: desc = ":           "DM401",
		unknown + "Manifest generation error (cached): " + template + "dial tcp: lookup x: no such host":                                         "DM401",
		unknown + "`kustomize build <path to cached source>/web` failed exit status 1: Error: accumulating resources: dial tcp: i/o timeout":     "DM401",
		unknown + `Failed to unmarshal "failed to list refs: .yaml": yaml: line 2`:                                                               "DM401",
		unknown + `Failed to evaluate jsonnet "web.jsonnet": RUNTIME ERROR: failed to fetch default: repository not found`:                       "DM401",
		unknown + "Manifest generation error (cached): error building helm chart dependencies: failed to list refs: dial tcp":                    "DM401",
		unknown + `repository contains out-of-bounds symlinks. file: failed to list refs: `:                                                      "DM401",
		load + source + "rpc error: code = FailedPrecondition desc = Failed to unmarshal: rpc error: code = Unavailable desc = connection error": "DM401",
		"the words of an outage alone: rpc error: code = Unavailable desc = connection error: desc = ":                                           "DM401",
	} {
		if got := comparison(message); got != want {
			t.Errorf("%s, want %s: %s", got, want, message)
		}
	}
}

// What the API server refuses begins with its own words; the values that it repeats are of whoever
// asked.
func TestRefused(t *testing.T) {
	const forbidden = `pods "web-6c8d9f7b54-x7k2p" is forbidden: `
	fails := `ValidatingAdmissionPolicy 'demarc-marks' with binding 'demarc-marks' denied request: failed to configure binding: no params found`
	for message, want := range map[string]string{
		forbidden + fails:                      "DM511",
		"Error creating: " + forbidden + fails: "DM511",
		`one or more objects failed to apply, reason: error when patching "/dev/shm/1234": deployments.apps "web" is forbidden: ` + fails:          "DM511",
		forbidden + `ValidatingAdmissionPolicy 'p' denied request: expression 'object.x' resulted in error: no such key: x`:                        "DM511",
		`Internal error occurred: failed calling webhook "w.example.com": failed to call webhook: Post "https://w": refused`:                       "DM510",
		`admission webhook "w.example.com" denied the request: no`:                                                                                 "DM406",
		`create Pod web-0 in StatefulSet web failed error: pods "web-0" is forbidden: no PriorityClass with name urgent was found`:                 "DM332",
		forbidden + `[maximum cpu usage per Container is 1, but limit is 2, cpu max limit to request ratio per Pod is 2, but provided ratio is 4]`: "DM317",
		forbidden + `violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true)`:                                                 "DM407",
		// A team's label, name, annotation and value.
		`ConfigMap "c" is invalid: metadata.labels: Invalid value: "failed calling webhook \"demarc-core\"": a valid label must be`:                             "DM136",
		`Deployment "c" is invalid: spec.x: Invalid value: "` + fails + `"`:                                                                                     "DM136",
		`pods "x\" is forbidden: ` + fails + `" is forbidden: error looking up service account team-a/app: serviceaccount "app" not found`:                      "DM135",
		`admission webhook "w.example.com" denied the request: label failed calling webhook "demarc-core"`:                                                      "DM406",
		forbidden + `ValidatingAdmissionPolicy 'p' denied request: image 'x' resulted in error: y is not allowed`:                                               "DM405",
		forbidden + `ValidatingAdmissionPolicy 'p' denied request: value "` + fails + `" is not allowed`:                                                        "DM405",
		`Deployment "c" is invalid: spec.x: Invalid value: "pods \"x\" is forbidden: exceeded quota: demarc, requested: pods=1, used: pods=2, limited: pods=2"`: "DM136",
	} {
		w := &world{}
		if got := w.refused(refusal{top: deploymentNamed("web"), what: "it", message: message, seen: finding.Evidence{Value: "x"}}); got[0].id != want {
			t.Errorf("%s, want %s: %s", got[0].id, want, message)
		}
	}
}

// A metric may have the name of an outage.
func TestUnnamedMetric(t *testing.T) {
	metric := func(name string) autoscalingv2.MetricSpec {
		return autoscalingv2.MetricSpec{Pods: &autoscalingv2.PodsMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: name}}}
	}
	for name, want := range map[string]string{"requests": "DM336", "unable to fetch metrics from custom metrics API": "DM336", "no custom metrics API": "DM336"} {
		a := &autoscalingv2.HorizontalPodAutoscaler{}
		a.Spec.Metrics = []autoscalingv2.MetricSpec{metric(name)}
		a.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.ScalingActive, Status: "False", Reason: "FailedGetPodsMetric",
			Message: "the HPA was unable to compute the replica count: unable to get metric " + name + ": no metrics returned from custom metrics API"}}
		a.Status.Conditions[0].LastTransitionTime.Time = whenTold.Add(-slow)
		if got := (&world{now: whenTold}).autoscaler(a); len(got) != 1 || got[0].id != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
