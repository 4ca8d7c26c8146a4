package parity

import (
	"encoding/json"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/guardrail/offline"
)

// question is one request that is put to both.
type question struct {
	what, team, method, where string
	body                      runtime.Object
	// requests are the same without a cluster. All of them are to get its answer.
	requests []offline.Request
}

// create is the question whether an object may be made in a team's namespace.
func create(what, team string, o runtime.Object) question {
	ns := v1alpha1.NamespaceOf(team)
	o = admitted.Placed(o, ns, false)
	return question{what: "create " + what, team: team, method: "POST", where: address(o, ns), body: o,
		requests: []offline.Request{{Operation: offline.Create, Object: o}}}
}

// update is the question whether an object may take the place of one that was made before,
// under its name. Without a cluster that one is known twice: as it is stored, and as it was
// written.
func update(t *testing.T, what, team string, o, was runtime.Object) question {
	t.Helper()
	ns := v1alpha1.NamespaceOf(team)
	o, was = admitted.Placed(o, ns, false), admitted.Placed(was, ns, false)
	o = o.DeepCopyObject()
	admitted.Meta(o).SetName(admitted.Meta(was).GetName())
	where := address(o, ns, admitted.Meta(o).GetName())
	stored := live(t, where)
	admitted.Meta(o).SetResourceVersion(admitted.Meta(stored).GetResourceVersion())
	return question{what: "update " + what, team: team, method: "PUT", where: where, body: o,
		requests: []offline.Request{{Operation: offline.Update, Object: o, Old: stored}, {Operation: offline.Update, Object: o, Old: was}}}
}

// relabel is the question whether an object that was made before may get a label.
func relabel(t *testing.T, what, team string, was runtime.Object) question {
	t.Helper()
	where := address(was, v1alpha1.NamespaceOf(team), admitted.Meta(was).GetName())
	stored := live(t, where)
	o := labelled(stored, "changed", "yes")
	return question{what: "relabel " + what, team: team, method: "PUT", where: where, body: o, requests: []offline.Request{{Operation: offline.Update, Object: o, Old: stored}}}
}

// live reads an object of the cluster.
func live(t *testing.T, where string) runtime.Object {
	t.Helper()
	a := ask(t, question{method: "GET", where: where}, false)
	if a.Code != 200 {
		t.Fatalf("get %s: %s", where, a.refusal())
	}
	o, err := admitted.Decode(a.Body)
	must(t, err)
	return o
}

// by asks as somebody.
func (q question) by(name string, groups ...string) question {
	for i := range q.requests {
		q.requests[i].User = user.DefaultInfo{Name: name, Groups: append([]string{"system:authenticated"}, groups...)}
	}
	return q
}

func (q question) user() user.DefaultInfo {
	if len(q.requests) == 0 {
		return user.DefaultInfo{}
	}
	return q.requests[0].User
}

func (q question) String() string { return fmt.Sprintf("%s in team %s", q.what, q.team) }

// edited is an object after an edit of its JSON.
func edited(t testing.TB, o runtime.Object, edit func(map[string]any)) runtime.Object {
	t.Helper()
	raw, err := json.Marshal(o)
	must(t, err)
	var content map[string]any
	must(t, json.Unmarshal(raw, &content))
	edit(content)
	raw, err = json.Marshal(content)
	must(t, err)
	read, err := admitted.Decode(raw)
	must(t, err)
	return read
}

func decodedJSON(t testing.TB, text string) (content map[string]any) {
	t.Helper()
	must(t, json.Unmarshal([]byte(text), &content))
	return content
}

// merged lays amounts over those of a container.
func merged(t testing.TB, into any, text string) map[string]any {
	t.Helper()
	out, _ := into.(map[string]any)
	for part, amounts := range decodedJSON(t, text) {
		have, ok := out[part].(map[string]any)
		if !ok {
			have = map[string]any{}
			out[part] = have
		}
		for name, amount := range amounts.(map[string]any) {
			have[name] = amount
		}
	}
	return out
}
