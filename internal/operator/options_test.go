package operator_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"demarc.dev/demarc/internal/operator"
)

// An interval that would have triage look without a pause is refused before anything begins.
func TestTriageIntervalIsChecked(t *testing.T) {
	for _, interval := range []time.Duration{-time.Second, time.Millisecond, 999 * time.Millisecond} {
		_, err := operator.New(&rest.Config{Host: "127.0.0.1:1"}, operator.Options{TriageInterval: interval})
		if err == nil || !strings.Contains(err.Error(), "the triage interval is "+interval.String()+": make it 1s at least") {
			t.Errorf("%s: %v", interval, err)
		}
	}
}
