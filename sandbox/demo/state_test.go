package demo

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func condition(kind, status, reason string, generation int64) map[string]any {
	return map[string]any{
		"type": kind, "status": status, "reason": reason, "message": "because", "observedGeneration": generation,
		"lastTransitionTime": "2026-01-02T03:04:05Z",
	}
}

func TestStateOf(t *testing.T) {
	for name, test := range map[string]struct {
		conditions []any
		want       state
	}{
		"nobody has looked":     {nil, state{}},
		"ready":                 {[]any{condition("Ready", "True", "Running", 2)}, state{ready, "Running", "because"}},
		"ready for an old spec": {[]any{condition("Ready", "True", "Running", 1)}, state{}},
		"waiting":               {[]any{condition("Ready", "False", "Syncing", 2)}, state{waiting, "Syncing", "because"}},
		"unknown is not ready":  {[]any{condition("Ready", "Unknown", "Syncing", 2)}, state{waiting, "Syncing", "because"}},
		"waiting does not help": {
			[]any{condition("Ready", "False", "SyncFailed", 2), condition("Stalled", "True", "SyncFailed", 2)},
			state{stalled, "SyncFailed", "because"},
		},
		"another condition only": {[]any{condition("TenantReady", "True", "TenantReady", 2)}, state{}},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"generation": int64(2)}}}
			if test.conditions != nil {
				u.Object["status"] = map[string]any{"conditions": test.conditions}
			}
			if got := stateOf(u); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestBrief(t *testing.T) {
	const message = "waiting. Next, platform: wait."
	if got := (state{waiting, "Syncing", message}).brief(); got != "waiting" {
		t.Errorf("a reason on the way keeps its advice: %q", got)
	}
	for _, reason := range []string{"ImagePullFailed", "UnknownReason"} {
		if got := (state{waiting, reason, message}).brief(); got != message {
			t.Errorf("%s loses its advice: %q", reason, got)
		}
	}
}

func TestTracker(t *testing.T) {
	a, b := object{"Tenant", "a"}, object{"ServiceClaim", "b"}
	track := newTracker([]object{a, b})
	yes, no := state{word: ready}, state{word: waiting, reason: "Syncing"}
	for i, step := range []struct {
		object  object
		state   state
		show    bool
		pending []object
	}{
		{a, state{}, false, []object{a, b}},
		{a, no, true, []object{a, b}},
		{a, no, false, []object{a, b}},
		{a, yes, true, []object{b}},
		{object{"Tenant", "other"}, yes, false, []object{b}},
		{b, yes, true, nil},
		{a, state{}, false, []object{a}}, // a new spec that nobody has judged
		{a, yes, true, nil},
		{b, state{word: gone}, true, []object{b}},
	} {
		if show := track.observe(step.object, step.state); show != step.show {
			t.Errorf("step %d: show %v, want %v", i, show, step.show)
		}
		if diff := cmp.Diff(step.pending, track.pending(), cmp.AllowUnexported(object{})); diff != "" {
			t.Errorf("step %d, pending (-want +got):\n%s", i, diff)
		}
	}
}
