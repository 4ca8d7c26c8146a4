package demo

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/internal/ownership"
)

// word is where an object stands.
type word string

const (
	ready   word = "ready"
	waiting word = "waiting" // goes on by itself when what it waits for is there
	stalled word = "stalled" // waiting does not help
	gone    word = "gone"    // deleted by somebody while the demo ran
)

// state is what is shown of an object. The zero state is one that nobody has judged yet.
type state struct {
	word            word
	reason, message string
}

// brief leaves out what to do about a reason that every healthy object passes through.
func (s state) brief() string {
	if r, known := ownership.Reasons[s.reason]; known && !r.Notable() {
		message, _, _ := strings.Cut(s.message, ". Next, ")
		return message
	}
	return s.message
}

// stateOf reads the Ready condition. One that speaks of an older spec does not count.
func stateOf(o *unstructured.Unstructured) state {
	var read struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &read); err != nil {
		return state{stalled, "Unreadable", err.Error()}
	}
	c := meta.FindStatusCondition(read.Status.Conditions, "Ready")
	switch {
	case c == nil || c.ObservedGeneration < o.GetGeneration():
		return state{}
	case c.Status == metav1.ConditionTrue:
		return state{ready, c.Reason, c.Message}
	case meta.IsStatusConditionTrue(read.Status.Conditions, "Stalled"):
		return state{stalled, c.Reason, c.Message}
	}
	return state{waiting, c.Reason, c.Message}
}

// tracker remembers the last state of each object that must become Ready.
type tracker struct {
	objects []object
	last    map[object]state
}

func newTracker(objects []object) *tracker {
	return &tracker{objects: objects, last: map[object]state{}}
}

// observe reports whether there is something new to show.
func (t *tracker) observe(o object, now state) bool {
	if !slices.Contains(t.objects, o) || t.last[o] == now {
		return false
	}
	t.last[o] = now
	return now != state{}
}

// pending lists what is not Ready.
func (t *tracker) pending() []object {
	var list []object
	for _, o := range t.objects {
		if t.last[o].word != ready {
			list = append(list, o)
		}
	}
	return list
}
