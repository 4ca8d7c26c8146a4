package cases_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/check/cases"
	"demarc.dev/demarc/internal/guardrail/offline"
	"demarc.dev/demarc/internal/manifest"
)

const rules = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: size}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [persistentvolumeclaims]}]}
  validations:
    - expression: "quantity(object.spec.resources.requests.storage).compareTo(quantity(params.data.most)) <= 0 || (oldObject != null && oldObject.spec == object.spec)"
      messageExpression: "'at most ' + params.data.most"
---
apiVersion: v1
kind: ConfigMap
metadata: {name: sizes, namespace: test}
data: {most: 100Gi}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: kept}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [persistentvolumeclaims]}]}
  validations: [{expression: "request.userInfo.username == 'ana' && 'ops' in request.userInfo.groups", message: only ana}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: kept}
spec: {policyName: kept, validationActions: [Warn]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [UPDATE], resources: [deployments/scale]}]}
  validations: [{expression: "object.spec.replicas <= 3 || timestamp('2026-06-01T00:00:00Z') > timestamp(namespaceObject.metadata.annotations.now)", message: few}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: asks}
spec:
  matchConstraints: {namespaceSelector: {matchLabels: {asks: "yes"}}, resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [persistentvolumeclaims]}]}
  validations: [{expression: "authorizer.path('/x').check('get').allowed()"}]
`

func run(t *testing.T, text string) cases.Report {
	t.Helper()
	docs, err := manifest.Parse("rules.yaml", rules)
	if err != nil {
		t.Fatal(err)
	}
	source, err := offline.Read(docs)
	if err != nil {
		t.Fatal(err)
	}
	list, err := cases.Parse("a.test.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	report, err := cases.Run(source, list, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

const pvc = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {resources: {requests: {storage: SIZE}}}}"

func sized(size string) string { return strings.Replace(pvc, "SIZE", size, 1) }

// Every case that is as it should be passes: made, changed, deleted, scaled, asked.
func TestAsExpected(t *testing.T) {
	report := run(t, `
name: too large
object: `+sized("200Gi")+`
expect: {size: {verdict: refused, message: at most 100Gi}}
---
name: as large as may be
object: `+sized("0.1Ti")+`
expect: {size: refused}
---
name: stays as large
old: `+sized("200Gi")+`
object: `+sized("200Gi")+`
---
# what only a cluster knows
name: asks somebody
namespace: {labels: {asks: "yes"}}
object: `+sized("1Gi")+`
expect: {asks: unknown, size: allowed}
---
name: another parameter
given: [{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: test}, data: {most: 1Gi}}]
object: `+sized("50Gi")+`
expect: {size: {verdict: refused, message: at most 1Gi}}
---
name: a stranger deletes
operation: DELETE
old: `+sized("1Gi")+`
expect: {kept: warned}
---
name: ana deletes
operation: DELETE
user: {name: ana, groups: [ops]}
old: `+sized("1Gi")+`
expect: {kept: allowed}
---
name: scaled
subresource: scale
given: [{apiVersion: v1, kind: Namespace, metadata: {name: test, annotations: {now: "2026-07-01T00:00:00Z"}}}]
old: &d {apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 1, selector: {matchLabels: {a: b}}}}
object: {apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 9, selector: {matchLabels: {a: b}}}}
expect: {few: refused}
`)
	for _, r := range report.Results {
		if len(r.Wrong) > 0 {
			t.Errorf("%s:%d: %s: %v", r.File, r.Line, r.Name, r.Wrong)
		}
	}
	if len(report.Results) != 8 || report.Failed() != 0 {
		t.Errorf("%d results, %d failed", len(report.Results), report.Failed())
	}
	want := []string{"asks: no case sees it let something pass", "few: no case sees it let something pass"}
	if diff := cmp.Diff(want, report.Unproven); diff != "" {
		t.Errorf("unproven (-want +got)\n%s", diff)
	}
}

// What is not as expected is said, and so is what nobody expected.
func TestNotAsExpected(t *testing.T) {
	report := run(t, `name: all wrong
object: `+sized("200Gi")+`
expect: {nowhere: allowed, kept: refused, asks: allowed}
---
name: another message
object: `+sized("200Gi")+`
expect: {size: {verdict: refused, message: at least}}
---
name: it is refused
object: `+sized("200Gi")+`
expect: {size: allowed}
`)
	var got []string
	for _, r := range report.Results {
		got = append(got, r.Wrong...)
	}
	want := []string{
		"kept does not look at it, and is to be refused",
		"there is no policy nowhere",
		"size: refused, and nothing is expected of it: at most 100Gi",
		`size says "at most 100Gi", and is to say "at least"`,
		"size: refused, and is to be allowed: at most 100Gi",
	}
	if diff := cmp.Diff(want, got); diff != "" || report.Failed() != 3 {
		t.Errorf("%d failed (-want +got)\n%s", report.Failed(), diff)
	}
}

func TestParse(t *testing.T) {
	_, err := cases.Parse("a.test.yaml", `# a comment alone
---
name: a
objekt: {}
---
object: {}
---
name: b
operation: PATCH
object: {}
---
name: c
operation: UPDATE
object: {}
---
name: d
---
name: e
object: {}
expect: {p: denied}
---
name: f
object: {}
expect: {p: {verdict: refused, mesage: x}}
---
- a list
`)
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	for _, part := range []string{`a.test.yaml:3: unknown field "objekt"`, "a.test.yaml:6: a case has a name", `operation is CREATE, UPDATE or DELETE, not "PATCH"`,
		"a.test.yaml:12: old is missing", "a.test.yaml:16: object is missing", `not "denied"`, `unknown field "mesage"`, "a.test.yaml:26: "} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("it does not say %q:\n%v", part, err)
		}
	}
	if _, err := cases.Parse("a.test.yaml", "a: ["); err == nil || !strings.Contains(err.Error(), "no YAML") {
		t.Errorf("of what is no YAML it says %v", err)
	}
}
