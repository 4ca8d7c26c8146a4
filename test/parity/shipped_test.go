package parity

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/guardrail/compile"
	"demarc.dev/demarc/internal/guardrail/offline"
)

// Every rule judges its examples in every kind that carries a pod, and its own kind
// otherwise, as a real API server does: made, changed, with exceptions, in each mode.
func TestParityOfRules(t *testing.T) {
	must(t, prepare())
	questions := examples()
	made := len(questions)
	questions = append(questions, changes(t)...)
	questions = append(questions, scales(t)...)
	questions = append(questions, inPods(t)...)
	questions = append(questions, controllers(t)...)
	s := compare(t, compiled(t, shipped()), questions)
	t.Logf("%d objects, %d requests; %d verdicts are equal, %d of them break a rule; %d requests are invalid", made, len(questions), s.equal, s.broken, s.invalid)
	if s.equal < 400 {
		t.Errorf("only %d verdicts were compared", s.equal)
	}
	if s.unknown > 0 {
		t.Errorf("%d verdicts are unknown: no rule of ours asks the authorizer", s.unknown)
	}
	for _, r := range guardrail.Catalogue() {
		if !admitted.Builtin(example(r.Bad).GetObjectKind().GroupVersionKind()) {
			continue // its kind is not served here
		}
		if policy := compile.Prefix + r.ID; !s.no[policy] || !s.yes[policy] {
			t.Errorf("%s: seen to be broken %v, and not to be broken %v", r.ID, s.no[policy], s.yes[policy])
		}
	}
}

// examples are those of all rules, made anew: in every kind that carries a pod, and the bad
// ones for teams where something else holds.
func examples() (list []question) {
	elsewhere := []string{limited, warned, refused}
	for i, r := range guardrail.Catalogue() {
		for _, one := range []struct{ what, text string }{{"good", r.Good}, {"bad", r.Bad}} {
			list = append(list, create(one.what+" example of "+r.ID, bare, example(one.text)))
			for _, b := range bearing {
				if o := carrying(one.text, b.kind); o != nil {
					list = append(list, create(one.what+" example of "+r.ID+" as "+b.kind, bare, o))
				}
			}
		}
		bad := "bad example of " + r.ID
		list = append(list, create(bad, elsewhere[i%len(elsewhere)], example(r.Bad)), create(bad, excepted, example(r.Bad)))
		if i%3 == 0 {
			list = append(list, create(bad+" with a label", excepted, labelled(example(r.Bad), "app", "web")))
		}
	}
	return list
}

func labelled(o runtime.Object, key, value string) runtime.Object {
	o = o.DeepCopyObject()
	m := admitted.Meta(o)
	labels := map[string]string{key: value}
	for k, v := range m.GetLabels() {
		labels[k] = v
	}
	m.SetLabels(labels)
	return o
}

// changes are those of what a team had before: into what breaks a rule, of what broke it
// already, and mended.
func changes(t *testing.T) (list []question) {
	t.Helper()
	for _, f := range formers() {
		list = append(list,
			update(t, f.rule.ID+": the good one becomes bad", bare, f.bad, f.good),
			relabel(t, f.rule.ID+": the bad one stays as it is", bare, f.bad),
			update(t, f.rule.ID+": the bad one becomes good", bare, f.good, f.bad),
		)
	}
	return append(list, relabel(t, "a pod that is going", bare, goingPod()))
}

// scales are those of the former workloads to several numbers.
func scales(t *testing.T) (list []question) {
	t.Helper()
	ns := v1alpha1.NamespaceOf(bare)
	seen := map[string]bool{}
	for _, f := range formers() {
		where := address(f.good, ns, admitted.Meta(f.good).GetName())
		kind := f.good.GetObjectKind().GroupVersionKind().Kind
		if admitted.Scale(f.good) == nil || seen[kind] {
			continue
		}
		seen[kind] = true
		for _, replicas := range []int32{0, 1, 5, 100000} {
			request := offline.Scale(live(t, where), replicas)
			list = append(list, question{what: "scale the good one of " + f.rule.ID, team: bare, method: "PUT", where: where + "/scale",
				body: request.Object, requests: []offline.Request{*request}})
		}
	}
	return list
}

// inPods are ephemeral containers and new resources of a pod that runs.
func inPods(t *testing.T) (list []question) {
	t.Helper()
	where := address(runningPod(), v1alpha1.NamespaceOf(bare), "running")
	stored := live(t, where)
	ask := func(what, subresource string, edit func(spec map[string]any)) {
		o := edited(t, stored, func(content map[string]any) { edit(content["spec"].(map[string]any)) })
		list = append(list, question{what: what, team: bare, method: "PUT", where: where + "/" + subresource, body: o, requests: []offline.Request{
			{Operation: admission.Update, Object: o, Old: stored, Subresource: subresource}}})
	}
	debugged := 0
	for _, r := range guardrail.Catalogue() {
		_, spec := podOf(unread(r.Bad))
		containers, _ := spec["containers"].([]any)
		if len(containers) == 0 {
			continue
		}
		bad := containers[0].(map[string]any)
		if debugged++; debugged%2 == 0 {
			continue
		}
		ask("debug with the bad example of "+r.ID, "ephemeralcontainers", func(spec map[string]any) {
			bad["name"] = "debug"
			for _, field := range []string{"resources", "ports", "readinessProbe", "livenessProbe", "startupProbe", "lifecycle"} {
				delete(bad, field)
			}
			spec["ephemeralContainers"] = []any{bad}
		})
	}
	for _, amounts := range []string{`{"requests":{"cpu":"100"},"limits":{"cpu":"100"}}`, `{"requests":{"memory":"63Mi"}}`, `{"requests":{"memory":"100Gi"},"limits":{"memory":"100Gi"}}`} {
		ask("resize to "+amounts, "resize", func(spec map[string]any) {
			web := spec["containers"].([]any)[0].(map[string]any)
			web["resources"] = merged(t, web["resources"], amounts)
		})
	}
	return list
}

// controllers make pods of templates that were judged; people who pretend to be one do not.
func controllers(t *testing.T) (list []question) {
	t.Helper()
	const owner = `{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"1","controller":true}`
	for i, r := range guardrail.Catalogue() {
		o := carrying(r.Bad, "Pod")
		if o == nil || i%3 != 0 {
			continue
		}
		owned := edited(t, o, func(content map[string]any) {
			content["metadata"].(map[string]any)["ownerReferences"] = []any{decodedJSON(t, owner)}
		})
		q := create("bad example of "+r.ID+" owned by a ReplicaSet", bare, owned)
		list = append(list,
			q.by("system:serviceaccount:kube-system:replicaset-controller", "system:serviceaccounts", "system:masters"),
			create(q.what, bare, owned).by("mallory", "system:masters"))
	}
	return list
}
