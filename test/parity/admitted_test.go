package parity

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/internal/guardrail/admitted"
)

// What the API server makes of an object that is created is what is made of it without
// one, field by field.
func TestAdmitted(t *testing.T) {
	must(t, prepare())
	same, invalid := 0, map[string]int{}
	for _, f := range fromProjects(t) {
		for _, team := range []string{bare, limited} {
			o := nameless(f.object)
			q := create(f.where, team, o)
			got := ask(t, q, true)
			if got.Code >= 300 {
				invalid[got.refusal()]++
				continue
			}
			w := world(t, got.At)
			want := admitted.Create(q.requests[0].Object, got.At, w.Around)
			raw, err := json.Marshal(want)
			must(t, err)
			if diff := cmp.Diff(toCompare(t, got.Body), toCompare(t, raw)); diff != "" {
				t.Errorf("%s in team %s (-API server +offline)\n%s", f.where, team, diff)
				continue
			}
			same++
		}
	}
	t.Logf("%d are the same", same)
	for m, n := range invalid {
		t.Log(n, m)
	}
}

// nameless takes the namespace off an object, and makes its name one that it may have.
func nameless(o runtime.Object) runtime.Object {
	o = o.DeepCopyObject()
	m := admitted.Meta(o)
	m.SetNamespace("")
	m.SetName(strings.ToLower(strings.ReplaceAll(m.GetName(), "_", "-")))
	return o
}

// toCompare is an object without what only the API server makes: names of its own, addresses.
func toCompare(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	var o map[string]any
	must(t, json.Unmarshal(raw, &o))
	m := o["metadata"].(map[string]any)
	if generated, ok := m["generateName"].(string); ok {
		m["name"] = generated
	}
	uid, _ := m["uid"].(string)
	for _, field := range []string{"uid", "creationTimestamp", "managedFields", "resourceVersion", "selfLink"} {
		delete(m, field)
	}
	if spec, ok := o["spec"].(map[string]any); ok && o["kind"] == "Service" {
		for _, field := range []string{"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"} {
			delete(spec, field)
		}
		ports, _ := spec["ports"].([]any)
		for _, p := range ports {
			delete(p.(map[string]any), "nodePort")
		}
	}
	if labels, ok := m["labels"].(map[string]any); ok && o["kind"] == "Job" {
		// They are copied from the template when the answer is written, after the policies.
		for _, key := range []string{"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"} {
			delete(labels, key)
		}
	}
	return renamed(o, uid).(map[string]any)
}

// renamed replaces the uid and the name of the volume with the token.
func renamed(v any, uid string) any {
	switch v := v.(type) {
	case string:
		if uid != "" && v == uid {
			return "UID"
		}
		if strings.HasPrefix(v, "kube-api-access-") {
			return "kube-api-access"
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			v[i] = renamed(v[i], uid)
		}
	case map[string]any:
		if len(v) == 0 {
			return nil
		}
		for key := range v {
			if v[key] = renamed(v[key], uid); v[key] == nil {
				delete(v, key)
			}
		}
	}
	return v
}
