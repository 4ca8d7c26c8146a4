package serviceclaim

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func ready(status metav1.ConditionStatus, reason string) []metav1.Condition {
	return []metav1.Condition{{Type: "Ready", Status: status, Reason: reason}}
}

// A step of the way is told when it lasts; all else at once.
func TestPace(t *testing.T) {
	start := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	var p pace
	held := func(seconds float64, old, now []metav1.Condition, want float64) {
		t.Helper()
		got := max(p.hold("web", old, now, at(seconds)), 0)
		if got != time.Duration(want*float64(time.Second)) {
			t.Errorf("after %vs: held for %s, want %vs", seconds, got, want)
		}
	}
	waiting, syncing, progressing := ready("False", "WaitingForArgoCD"), ready("False", "Syncing"), ready("False", "Progressing")
	held(0, nil, waiting, 2)
	held(0.5, nil, syncing, 1.5)
	held(2, nil, syncing, 0)
	p.told("web")
	held(30, syncing, progressing, 5)
	held(31, syncing, waiting, 4)
	held(31.5, syncing, syncing, 0) // back to what was told
	held(32, syncing, progressing, 5)

	running, refused := ready("True", "Running"), ready("False", "QuotaExceeded")
	for name, c := range map[string][2][]metav1.Condition{
		"Ready":                         {syncing, running},
		"the end of it":                 {running, progressing},
		"what somebody must hear of":    {progressing, refused},
		"that it is over":               {refused, progressing},
		"a first word that is no way":   {nil, refused},
		"Ready from the very beginning": {nil, running},
	} {
		if got := p.hold("web", c[0], c[1], at(33)); got > 0 {
			t.Errorf("%s is held for %s", name, got)
		}
	}
}
