package check_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/check"
	"demarc.dev/demarc/internal/snapshot"
)

// cluster has a team with a Deployment that breaks image-tag, what Kubernetes made of it,
// an autoscaler, a CronJob, and a team without anything.
const cluster = `
apiVersion: v1
kind: Namespace
metadata: {name: team-shop, labels: {demarc.dev/tenant: shop}}
---
apiVersion: v1
kind: Namespace
metadata: {name: kube-system}
---
apiVersion: demarc.dev/v1alpha1
kind: GuardrailSet
metadata: {name: warn}
spec: {rules: [image-tag]}
---
apiVersion: demarc.dev/v1alpha1
kind: GuardrailSet
metadata: {name: deny}
spec: {rules: [host-path], limits: {replicas: 5}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team-shop, uid: d1}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {volumes: [{name: h, hostPath: {path: /}}], containers: [{name: web, image: nginx}]}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-1, namespace: team-shop, uid: r1, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d1, controller: true}]}
spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {volumes: [{name: h, hostPath: {path: /}}], containers: [{name: web, image: nginx}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1-a, namespace: team-shop, uid: p1, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: r1, controller: true}]}
spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: v1
kind: Pod
metadata: {name: going, namespace: team-shop, uid: p2, deletionTimestamp: "2026-03-01T11:00:00Z"}
spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: v1
kind: Pod
metadata: {name: system, namespace: kube-system, uid: p3}
spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: team-shop, uid: h1}
spec: {minReplicas: 2, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: team-shop, uid: c1}
spec:
  schedule: "0 1 * * *"
  concurrencyPolicy: Forbid
  jobTemplate: {spec: {ttlSecondsAfterFinished: 60, template: {spec: {restartPolicy: Never, containers: [{name: a, image: "registry.example/a:1"}]}}}}
`

// careless is a rule that does not let controllers work.
const careless = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: careless}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {demarc.dev/tenant: shop}}
    resourceRules:
      - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [replicasets, deployments/scale]}
      - {apiGroups: [batch], apiVersions: [v1], operations: [CREATE], resources: [jobs]}
      - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations: [{expression: "false", message: "no"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: careless}
spec: {policyName: careless, validationActions: [Audit]}
`

func set(t *testing.T) *snapshot.Set {
	t.Helper()
	objects, err := snapshot.Parse([]byte(cluster))
	if err != nil {
		t.Fatal(err)
	}
	s := &snapshot.Set{At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	s.Add(objects...)
	return s
}

func live(t *testing.T, own string, only ...string) check.LiveAnswer {
	t.Helper()
	answer, err := check.Live(check.LiveQuestion{Set: set(t), Rules: compile(t, read(t, "own.yaml", own)), Only: only})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// What breaks a rule that holds for somebody is named once, in what people wrote, with the
// mode that the rule has now; none of the shipped rules stops a controller.
func TestLive(t *testing.T) {
	got := live(t, "")
	want := []check.Row{{Team: "shop", Rule: "host-path", Mode: "deny", Objects: 1}, {Team: "shop", Rule: "image-tag", Mode: "warn", Objects: 1}}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(got.Frozen) > 0 || got.Judged != 5 {
		t.Errorf("frozen %+v, judged %d", got.Frozen, got.Judged)
	}
	for _, f := range got.Findings {
		if f.Object.String() != "Deployment/web in team-shop" || f.Docs == "" || len(f.Evidence) != 1 {
			t.Errorf("found %+v", f)
		}
	}
}

// A rule that is off is looked at where it is named; an autoscaler that could not go to its
// end is told.
func TestLiveOneRule(t *testing.T) {
	got := live(t, "", "hpa-max", "memory-limit")
	want := []check.Row{{Team: "shop", Rule: "hpa-max", Mode: "off", Objects: 1}, {Team: "shop", Rule: "memory-limit", Mode: "off", Objects: 2}}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A careless rule of somebody's own stops every controller, and it is said what each could
// not do.
func TestLiveFrozen(t *testing.T) {
	got := live(t, careless)
	var frozen []string
	for _, f := range got.Frozen {
		frozen = append(frozen, strings.Join([]string{f.Team, f.Rule, f.Object.String(), f.Cannot, f.Message}, "; "))
	}
	want := []string{
		"shop; careless; ReplicaSet/web-1 in team-shop; make a pod in the place of one that is lost; no",
		"shop; careless; Deployment/web in team-shop; scale ReplicaSet/web-1; no",
		"shop; careless; Deployment/web in team-shop; roll out a change; no",
		"shop; careless; HorizontalPodAutoscaler/web in team-shop; scale Deployment/web to 2; no",
		"shop; careless; HorizontalPodAutoscaler/web in team-shop; scale Deployment/web to 9; no",
		"shop; careless; CronJob/nightly in team-shop; start its next job; no",
	}
	if diff := cmp.Diff(joined(want), joined(frozen)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func joined(list []string) string {
	list = slices.Sorted(slices.Values(list))
	return strings.Join(list, "\n")
}

// What is read of a cluster is what the rules judge.
func TestKinds(t *testing.T) {
	rules := compile(t, nil)
	kinds := map[schema.GroupKind]bool{}
	for _, k := range rules.Kinds() {
		kinds[k] = true
	}
	for kind, want := range map[schema.GroupKind]bool{
		{Kind: "Pod"}: true, {Group: "apps", Kind: "ReplicaSet"}: true, {Group: "batch", Kind: "CronJob"}: true, {Group: "networking.k8s.io", Kind: "Ingress"}: true,
		{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}: true, {Kind: "Secret"}: false, {Kind: "Node"}: false,
	} {
		if kinds[kind] != want {
			t.Errorf("%s: %v, want %v", kind, kinds[kind], want)
		}
	}
}
