package offline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"

	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/guardrail/offline"
	"demarc.dev/demarc/internal/manifest"
)

// test/parity holds what is evaluated here against a real API server; these tests say what
// is to be so, in short.
const rules = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: tags}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {team: shop}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}]
  matchConditions: [{name: not-system, expression: "request.userInfo.username != 'system'"}]
  variables:
    - {name: fresh, expression: "object.spec.containers.filter(c, !c.image.contains(':')).map(c, {'at': 'spec.containers[' + c.name + '].image', 'is': string(c.image)})"}
    - {name: now, expression: "request.operation == 'CREATE' ? timestamp(object.metadata.creationTimestamp) : object.metadata.managedFields.map(m, timestamp(m.time)).max()"}
  validations:
    - expression: "size(variables.fresh) == 0 || variables.now < timestamp('2026-03-01T12:00:00Z')"
      messageExpression: "'a tag is missing at ' + string(variables.now)"
      reason: Forbidden
  auditAnnotations: [{key: looked, valueExpression: "string(object.metadata.name)"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: tags-warn}
spec: {policyName: tags, validationActions: [Warn]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: tags-deny}
spec: {policyName: tags, validationActions: [Deny, Audit], matchResources: {objectSelector: {matchLabels: {strict: "yes"}}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: asks}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [UPDATE], resources: [deployments/scale]}]}
  validations: [{expression: "object.spec.replicas < 9 || authorizer.group('apps').resource('deployments').subresource('scale').namespace(request.namespace).check('delete').allowed()"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: asks}
spec: {policyName: asks, validationActions: [Deny]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: unbound}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]}
  validations: [{expression: "false"}]
`

func policies(t *testing.T) *offline.Policies {
	t.Helper()
	docs, err := manifest.Parse("rules.yaml", rules)
	if err != nil {
		t.Fatal(err)
	}
	source, err := offline.Read(docs)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := source.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func object(t *testing.T, text string) runtime.Object {
	t.Helper()
	docs, err := manifest.Parse("object", text)
	if err != nil {
		t.Fatal(err)
	}
	o, err := admitted.Decode(docs[0].JSON)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func at(clock string) time.Time {
	t, err := time.Parse(time.TimeOnly, clock)
	if err != nil {
		panic(err)
	}
	return t.AddDate(2026, 2, 0)
}

func world(t *testing.T, clock string) *offline.World {
	t.Helper()
	w := &offline.World{At: at(clock)}
	w.Add(object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: shop}}}"),
		object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: other}}"))
	return w
}

func TestReview(t *testing.T) {
	all := policies(t)
	pod := func(name, edit string) runtime.Object {
		return object(t, strings.NewReplacer("NAME", name, "EDIT", edit).Replace(
			"{apiVersion: v1, kind: Pod, metadata: {name: NAME, labels: {EDIT}}, spec: {containers: [{name: a, image: nginx}]}}"))
	}
	plain, strict := pod("plain", ""), pod("strict", `strict: "yes"`)
	for name, c := range map[string]struct {
		request offline.Request
		clock   string
		want    []string
	}{
		"warned":                 {offline.Request{Operation: offline.Create, Object: plain, Namespace: "shop"}, "13:00:00", []string{"tags-warn broken a tag is missing at 2026-03-01T13:00:00Z"}},
		"refused and warned":     {offline.Request{Operation: offline.Create, Object: strict, Namespace: "shop"}, "13:00:00", []string{"tags-deny broken a tag is missing at 2026-03-01T13:00:00Z", "tags-warn broken a tag is missing at 2026-03-01T13:00:00Z"}},
		"before":                 {offline.Request{Operation: offline.Create, Object: strict, Namespace: "shop"}, "11:59:59", nil},
		"an update has a time":   {offline.Request{Operation: offline.Update, Object: strict, Old: pod("strict", ""), Namespace: "shop"}, "12:00:30", []string{"tags-deny broken a tag is missing at 2026-03-01T12:00:30Z", "tags-warn broken a tag is missing at 2026-03-01T12:00:30Z"}},
		"another namespace":      {offline.Request{Operation: offline.Create, Object: strict, Namespace: "other"}, "13:00:00", nil},
		"a namespace not known":  {offline.Request{Operation: offline.Create, Object: strict, Namespace: "nowhere"}, "13:00:00", []string{` failed failed to configure policy: Internal error occurred: nothing is known of namespace "nowhere"`}},
		"a user of the system":   {offline.Request{Operation: offline.Create, Object: strict, Namespace: "shop", User: user.DefaultInfo{Name: "system"}}, "13:00:00", nil},
		"another operation":      {offline.Request{Operation: offline.Delete, Old: strict, Namespace: "shop"}, "13:00:00", nil},
		"another subresource":    {offline.Request{Operation: offline.Update, Object: strict, Old: plain, Namespace: "shop", Subresource: "status"}, "13:00:00", nil},
		"the namespace is named": {offline.Request{Operation: offline.Create, Object: admitted.Placed(strict, "other", false), Namespace: "shop"}, "13:00:00", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := all.Review(c.request, world(t, c.clock))
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, v := range got.Verdicts {
				said = append(said, strings.Join([]string{v.Binding, string(v.Outcome), v.Message}, " "))
			}
			if diff := cmp.Diff(c.want, said); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A verdict says what a cluster does, and where; what the audit log gets is told.
func TestVerdict(t *testing.T) {
	pod := object(t, `{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {strict: "yes"}}, spec: {containers: [{name: a, image: nginx}, {name: b, image: "b:1"}]}}`)
	got, err := policies(t).Review(offline.Request{Operation: offline.Create, Object: pod, Namespace: "shop"}, world(t, "13:00:00"))
	if err != nil {
		t.Fatal(err)
	}
	refusal := got.Refusal()
	if !got.Refused() || refusal.Binding != "tags-deny" || refusal.Reason != "Forbidden" || !refusal.Does(admissionregistrationv1.Audit) || refusal.Does(admissionregistrationv1.Warn) {
		t.Errorf("it is refused by %+v", refusal)
	}
	if diff := cmp.Diff([]offline.Place{{At: "spec.containers[a].image", Is: "nginx"}}, refusal.Places); diff != "" {
		t.Errorf("places (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"tags/looked": "p"}, got.Annotations); diff != "" {
		t.Errorf("annotations (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"tags"}, got.Judged); diff != "" {
		t.Errorf("judged by (-want +got)\n%s", diff)
	}
}

// What asks the authorizer is not known, and is no refusal; where it need not ask it is known.
func TestUnknown(t *testing.T) {
	stored := object(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: shop, uid: '1'}, spec: {replicas: 1, selector: {matchLabels: {a: b}}}}")
	for replicas, want := range map[int32]string{3: "", 9: "it asks whether who makes the request may delete deployments.apps/scale in shop, which only a cluster knows"} {
		got, err := policies(t).Review(*offline.Scale(stored, replicas), world(t, "13:00:00"))
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, v := range got.Verdicts {
			if v.Outcome == offline.Unknown {
				said = v.Message
			}
		}
		if said != want || got.Refused() {
			t.Errorf("to %d: %q, refused %v", replicas, said, got.Refused())
		}
	}
	if offline.Scale(object(t, "{apiVersion: v1, kind: Pod, metadata: {name: p}}"), 1) != nil {
		t.Error("a pod is scaled")
	}
}
