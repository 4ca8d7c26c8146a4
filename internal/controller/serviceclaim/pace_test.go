package serviceclaim

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func ready(status metav1.ConditionStatus, reason string) []metav1.Condition {
	return []metav1.Condition{{Type: "Ready", Status: status, Reason: reason}}
}

func TestPace(t *testing.T) {
	at := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	var p pace
	p.wrote("web", at)
	for _, c := range []struct {
		name     string
		old, now []metav1.Condition
		after    time.Duration
		want     time.Duration
	}{
		{"the first word is said at once", nil, ready("False", "TenantNotFound"), 0, 0},
		{"the next step waits", ready("False", "WaitingForArgoCD"), ready("False", "Syncing"), 300 * time.Millisecond, 700 * time.Millisecond},
		{"and is said after a second", ready("False", "WaitingForArgoCD"), ready("False", "Syncing"), time.Second, 0},
		{"Ready is said at once", ready("False", "Progressing"), ready("True", "Running"), 0, 0},
		{"so is the end of it", ready("True", "Running"), ready("False", "Progressing"), 0, 0},
		{"so is what somebody must hear of", ready("False", "Progressing"), ready("False", "QuotaExceeded"), 0, 0},
		{"and its end", ready("False", "QuotaExceeded"), ready("False", "Progressing"), 0, 0},
	} {
		if got := p.hold("web", c.old, c.now, at.Add(c.after)); got != c.want && (got > 0 || c.want > 0) {
			t.Errorf("%s: held for %s, want %s", c.name, got, c.want)
		}
	}
}
