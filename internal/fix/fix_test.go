package fix_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/check"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/fix"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/manifest"
)

// shipped are the rules, compiled once.
var shipped = sync.OnceValues(func() (*check.Rules, error) { return check.Compile(nil) })

// judge judges a file by the strict profile.
func judge(t testing.TB) fix.Judge {
	t.Helper()
	rules, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	platform := &v1alpha1.Platform{}
	platform.Spec.Guardrails.Profile = v1alpha1.ProfileStrict
	return func(text string) ([]finding.Finding, error) {
		docs, err := manifest.Parse("f.yaml", text)
		if err != nil {
			return nil, err
		}
		q := check.Question{Team: "shop", At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Rules: rules, Settings: check.Settings{Platform: platform}}
		for _, d := range docs {
			o, err := admitted.Decode(d.JSON)
			if err != nil {
				return nil, err
			}
			q.Manifests = append(q.Manifests, check.Manifest{Object: o, Find: func(path string) (string, int) { return d.File, d.LineOf(path) }})
		}
		answer, err := check.Check(q)
		return answer.Findings, err
	}
}

const before = `# a service, and what else it has
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # the name
  labels: {app: web, demarc.dev/team: other}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
    spec:
      # what runs
      containers:
        # the first
        - name: web
          image: registry.example/web:1   # pinned
          resources: &amounts
            requests: {cpu: 100m, memory: 64Mi}
            limits: {memory: 64Mi}
          readinessProbe: {tcpSocket: {port: 80}}
          ports:
            - containerPort: 80
          securityContext:
            runAsNonRoot: true
            capabilities:
              drop:
                - NET_RAW
        - {name: side, image: "registry.example/side:1", resources: *amounts, securityContext: {runAsNonRoot: true, allowPrivilegeEscalation: true, capabilities: {drop: []}}}
        - image: registry.example/third:1
          command:
            - sh
          name: third
          resources: *amounts
          securityContext:
      initContainers:
        - name: first
          image: registry.example/first:1
          resources: *amounts
          securityContext:
            privileged: true
---
# how it may be disrupted
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: "100%" # all of them
  selector: {matchLabels: {app: web}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  template:
    spec: {restartPolicy: Never, automountServiceAccountToken: false, containers: [{name: once, image: "registry.example/once:1", securityContext: {seccompProfile: {type: Unconfined}}}]}
`

const after = `# a service, and what else it has
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # the name
  labels: {app: web, demarc.dev/team: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
    spec:
      automountServiceAccountToken: false
      # what runs
      containers:
        # the first
        - name: web
          image: registry.example/web:1   # pinned
          resources: &amounts
            requests: {cpu: 100m, memory: 64Mi}
            limits: {memory: 64Mi}
          readinessProbe: {tcpSocket: {port: 80}}
          ports:
            - containerPort: 80
          securityContext:
            runAsNonRoot: true
            allowPrivilegeEscalation: false
            capabilities:
              drop:
                - ALL
                - NET_RAW
        - {name: side, image: "registry.example/side:1", resources: *amounts, securityContext: {runAsNonRoot: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}
        - image: registry.example/third:1
          command:
            - sh
          name: third
          resources: *amounts
          securityContext:
            allowPrivilegeEscalation: false
            capabilities:
              drop: [ALL]
      initContainers:
        - name: first
          image: registry.example/first:1
          resources: *amounts
          securityContext:
            privileged: true
            capabilities:
              drop: [ALL]
---
# how it may be disrupted
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  maxUnavailable: 1 # all of them
  selector: {matchLabels: {app: web}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  ttlSecondsAfterFinished: 86400
  template:
    spec: {restartPolicy: Never, automountServiceAccountToken: false, containers: [{name: once, image: "registry.example/once:1", securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}, seccompProfile: {type: RuntimeDefault}}}]}
`

// Only what the rules ask for changes; comments, order and the way of writing stay.
func TestText(t *testing.T) {
	judges := judge(t)
	got, done, left, err := fix.Text("f.yaml", before, judges)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(after, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(done) != 14 {
		t.Errorf("%d places are mended: %+v", len(done), done)
	}
	if len(left) != 1 || !strings.Contains(left[0].Says, "privileged") {
		t.Errorf("left for people: %+v", left)
	}
	again, done, _, err := fix.Text("f.yaml", got, judges)
	if err != nil || again != got || len(done) > 0 {
		t.Errorf("once more it does %+v, %v", done, err)
	}
}

// A file keeps the ends of its lines, and JSON stays JSON.
func TestTextOfOtherForms(t *testing.T) {
	judges := judge(t)
	windows, _, _, err := fix.Text("f.yaml", "\ufeff"+strings.ReplaceAll(before, "\n", "\r\n"), judges)
	if err != nil || windows != "\ufeff"+strings.ReplaceAll(after, "\n", "\r\n") {
		t.Errorf("of lines that end as on Windows it makes %q, %v", windows, err)
	}
	json := `{
	"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "labels": {"demarc.dev/team": "other"}},
	"spec": {
		"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "registry.example/a:1"}]}}
	}
}
`
	want := `{
	"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "labels": {"demarc.dev/team": "shop"}},
	"spec": {"ttlSecondsAfterFinished": 86400, 
		"template": {"spec": {"automountServiceAccountToken": false, "restartPolicy": "Never", "containers": [{"securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}, "name": "a", "image": "registry.example/a:1"}]}}
	}
}
`
	got, _, _, err := fix.Text("f.json", json, judges)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

// What cannot be done without a doubt is left alone.
func TestLeft(t *testing.T) {
	const pod = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  ttlSecondsAfterFinished: 1\n  template:\n    spec:\n      automountServiceAccountToken: false\n      restartPolicy: Never\n      containers:\n"
	for name, text := range map[string]string{
		"shared by an anchor": pod + "        - &c\n          name: a\n          image: registry.example/a:1\n          securityContext: &s {allowPrivilegeEscalation: false}\n        - name: b\n          image: registry.example/b:1\n          securityContext: *s\n",
		"two ways to end":     strings.Replace(pod, "Job\n", "Job\r\n", 1) + "        - {name: a, image: \"registry.example/a:1\"}\n",
	} {
		got, _, left, err := fix.Text("f.yaml", text, judge(t))
		if err != nil || len(left) == 0 {
			t.Errorf("%s: %+v, %v\n%s", name, left, err, got)
		}
	}
}

// Every rule that says so has a mending, and it mends its bad example.
func TestRules(t *testing.T) {
	judges := judge(t)
	for _, r := range guardrail.Catalogue() {
		_, known := find(r.ID)
		if known != r.Fixable {
			t.Errorf("%s: it says fixable %v, and there is a mending: %v", r.ID, r.Fixable, known)
		}
		if !r.Fixable {
			continue
		}
		got, done, _, err := fix.Text("f.yaml", r.Bad, judges)
		if err != nil || len(done) == 0 {
			t.Errorf("%s: %+v, %v", r.ID, done, err)
			continue
		}
		found, err := judges(got)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if f.ID == r.ID {
				t.Errorf("%s is still broken: %s\n%s", r.ID, f.Message, got)
			}
		}
	}
}

func find(id string) (string, bool) {
	for _, known := range fix.Rules() {
		if known == id {
			return id, true
		}
	}
	return "", false
}
